#pragma once

#include "context.h"
#include "each.h"
#include "vector.h"

// What makes a shared object a program: HEAPSPAN_MAIN and the table that it exports.

namespace heapspan {

// The arguments of a program; the first is its name.
using Arguments = std::span<const std::string_view>;

namespace detail {

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512CD__) && defined(__AVX512DQ__) && \
    defined(__AVX512VL__)
inline constexpr char cpu_level[] = "x86-64-v4";
#elif defined(__AVX2__) && defined(__BMI2__) && defined(__FMA__)
inline constexpr char cpu_level[] = "x86-64-v3";
#elif defined(__SSE4_2__)
inline constexpr char cpu_level[] = "x86-64-v2";
#elif defined(__x86_64__)
inline constexpr char cpu_level[] = "x86-64";
#elif defined(__aarch64__)
inline constexpr char cpu_level[] = "aarch64";
#else
#error "heapspan: programs are built for x86-64 or aarch64"
#endif

using UserMain = void (*)(Context&, Arguments);

template <UserMain user_main>
heapspan_status program_main(const heapspan_driver* driver, int32_t argument_count, const char* const* arguments,
                             heapspan_error* error) {
  return guard(error, [&] {
    Context context(driver);
    std::vector<std::string_view> views(arguments, arguments + argument_count);
    user_main(context, views);
  });
}

HEAPSPAN_ONCE heapspan_status stage_open(uint64_t kernel, const heapspan_task* task, heapspan_stage** stage,
                                         heapspan_error* error);
HEAPSPAN_ONCE heapspan_status stage_advance(heapspan_stage* stage, int32_t* done, heapspan_error* error);
HEAPSPAN_ONCE void stage_close(heapspan_stage* stage);
HEAPSPAN_ONCE void forget_broadcast(int64_t broadcast);

template <UserMain user_main>
inline constexpr heapspan_program program_table = {
    .boundary_version = HEAPSPAN_BOUNDARY_VERSION,
    .struct_bytes = sizeof(heapspan_program),
    .cpu_level = cpu_level,
    .compiler = "gcc-compatible " __VERSION__,
    .main = &program_main<user_main>,
    .stage_open = &stage_open,
    .stage_advance = &stage_advance,
    .stage_close = &stage_close,
    .forget_broadcast = &forget_broadcast,
};

}  // namespace detail
}  // namespace heapspan

// Begins the driver side of a program:
//
//   HEAPSPAN_MAIN(context, args) {
//     context.text_file(args[1]).filter([](std::string_view line) { return line.empty(); }).save_as_text_file(args[2]);
//   }
#define HEAPSPAN_MAIN(context, args)                                                                       \
  static void heapspan_user_main(::heapspan::Context& context, ::heapspan::Arguments args);                \
  extern "C" __attribute__((visibility("default"))) const heapspan_program* heapspan_program_table(void) { \
    return &::heapspan::detail::program_table<&heapspan_user_main>;                                        \
  }                                                                                                        \
  static void heapspan_user_main([[maybe_unused]] ::heapspan::Context& context,                            \
                                 [[maybe_unused]] ::heapspan::Arguments args)
