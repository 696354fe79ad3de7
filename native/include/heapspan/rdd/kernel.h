#pragma once

#include "captures.h"

// Kernels: the functions that a user passes to operators. Only their type is code, and only their captures are data: a
// kernel that captures nothing itself can be made again in another process from its type alone.

namespace heapspan::detail {

template <class F>
inline constexpr bool captures_nothing = std::is_empty_v<F> && std::is_default_constructible_v<F>;

// An argument for a kernel: as it is if the kernel takes that, else as its owning value, which a kernel that asks for
// std::string needs. The caller keeps the result while it uses what the kernel returned, which may show a part of it.
template <bool as_it_is, class T>
decltype(auto) adapt(const T& value) {
  if constexpr (as_it_is) {
    return (value);
  } else {
    return own<owned_t<T>>(value);
  }
}

// A kernel with its captures, which come after the arguments.
template <class F, class... Captures>
class Kernel {
 public:
  Kernel() = default;
  explicit Kernel(Captures... captures)
    requires(sizeof...(Captures) > 0)
      : captures_(std::move(captures)...) {}

  template <class Archive>
  void captures(Archive& archive) {
    if constexpr (sizeof...(Captures) > 0) {
      std::apply([&](auto&... captures) { (archive(captures), ...); }, captures_);
    }
  }

  template <class... Arguments>
  static constexpr bool takes = std::is_invocable_v<const F&, const Arguments&..., const Captures&...>;

  // Runs the kernel; what it throws names the operator.
  template <class... Arguments>
  decltype(auto) run(const char* operator_name, const Arguments&... arguments) const {
    try {
      if constexpr (sizeof...(Captures) == 0) {
        return F()(arguments...);
      } else {
        return std::apply([&](const auto&... captures) -> decltype(auto) { return F()(arguments..., captures...); },
                          captures_);
      }
    } catch (...) {
      fail_in_operator(operator_name);
    }
  }

 private:
  std::tuple<Captures...> captures_;
};

// Captures are stored as what owns them: text as std::string, std::span as std::vector.
template <class F, class... Captures>
using kernel_t = Kernel<F, owned_t<Captures>...>;

template <class F, class... Captures>
kernel_t<F, Captures...> make_kernel(Captures... captures) {
  if constexpr (sizeof...(Captures) == 0) {
    return {};
  } else {
    return kernel_t<F, Captures...>(own_or_move<owned_t<Captures>>(std::move(captures))...);
  }
}

// What a kernel gets for an element of type T.
template <class K, class T>
using argument_t = std::conditional_t<K::template takes<T>, T, owned_t<T>>;
// What it returns for that.
template <class K, class T>
using result_t =
    std::remove_cvref_t<decltype(std::declval<const K&>().run("", std::declval<const argument_t<K, T>&>()))>;

// What flat_map and the like take as the result of a kernel.
template <class Result>
inline constexpr bool has_elements = requires(Result& range) {
  range.begin();
  range.end();
};
template <>
inline constexpr bool has_elements<void> = false;

// Checks a kernel where the user passes it, with one error that says what is wrong. Arguments are what the operator
// passes, Captures what the user gave.
template <class... T>
struct Types {};
template <class F, class... Arguments, class... Captures>
consteval bool is_kernel(Types<Arguments...>, Types<Captures...>) {
  static_assert(captures_nothing<F>,
                "heapspan: a kernel must not capture: write [], not [x], [&] or [=], and pass the values after the "
                "kernel, as in map([](auto& element, auto& weight) { ... }, weight); pass no pointer to a function");
  if constexpr (captures_nothing<F>) {
    constexpr bool fits = std::is_invocable_v<const F&, const Arguments&..., const owned_t<Captures>&...> ||
                          std::is_invocable_v<const F&, const owned_t<Arguments>&..., const owned_t<Captures>&...>;
    static_assert(
        fits,
        "heapspan: the kernel does not take what this operator passes: the elements, as const values, then the "
        "captures in their order");
    return fits;
  } else {
    return false;
  }
}

}  // namespace heapspan::detail
