// Fuzz target for src/carving. Each input is carved on every path that the processor has, and what comes out is
// compared with a model that carves one slot after the other. How it is run: README.md.

#include <sanitizer/asan_interface.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <vector>

#include "carving/carver.h"
#include "carving/class_words.h"
#include "carving_fuzz_generator.h"
#include "carving_fuzz_heap.h"
#include "carving_fuzz_input.h"
#include "carving_fuzz_layout.h"
#include "carving_fuzz_model.h"
#include "carving_fuzz_mutation.h"
#include "fuzz_random.h"
#include "fuzz_target.h"
#include "vm/memory_access.h"
#include "vm/object_model.h"
#include "vm/young_space.h"

namespace {

using heapspan::carving::best_cpu_path;
using heapspan::carving::CarvePiece;
using heapspan::carving::CarveRequest;
using heapspan::carving::CarvingContext;
using heapspan::carving::ClassWordTable;
using heapspan::carving::CpuPath;
using heapspan::carving::Decline;
using heapspan::carving::relocation_kernels;
using heapspan::testing::ClassPair;
using heapspan::testing::Expectation;
using heapspan::testing::FuzzClass;
using heapspan::testing::FuzzHeap;
using heapspan::testing::FuzzInput;
using heapspan::testing::FuzzLayout;
using heapspan::testing::RandomNumbers;
using heapspan::vm::address_of;
using heapspan::vm::YoungSpace;

constexpr CpuPath kPaths[] = {CpuPath::kScalar, CpuPath::kAvx2, CpuPath::kAvx512};
constexpr const char* kPathNames[] = {"scalar", "AVX2", "AVX-512"};

bool has(CpuPath path) { return best_cpu_path(path) == path; }

// What became of the inputs, by Decline; tells whether the search gets anywhere.
constexpr std::size_t kDeclines = 8;
std::uint64_t input_counts[kDeclines] = {};
std::uint64_t sound_count = 0;

void report_counts() {
  constexpr const char* kNames[kDeclines] = {"carved",       "not Eden",  "too large",     "collector busy",
                                             "copied array", "malformed", "unknown class", "wrong target"};
  std::printf("carving_fuzz:");
  for (std::size_t i = 0; i < kDeclines; i++) {
    if (input_counts[i] != 0) {
      std::printf(" %s %llu,", kNames[i], static_cast<unsigned long long>(input_counts[i]));
    }
  }
  std::printf(" of the carved ones sound %llu; paths:", static_cast<unsigned long long>(sound_count));
  for (const CpuPath path : kPaths) {
    std::printf("%s%s", has(path) ? " " : " no ", kPathNames[static_cast<int>(path)]);
  }
  std::printf("\n");
}

// As org.heapspan.vm.KnownClasses lays it out.
std::vector<std::uint64_t> known_table(const FuzzLayout& layout) {
  constexpr std::uint64_t kCapacity = 16;
  static_assert(FuzzLayout::kClassCount <= kCapacity / 2);
  std::vector<std::uint64_t> table(1 + 2 * kCapacity);
  table[0] = kCapacity;
  for (const FuzzClass& type : layout.classes()) {
    std::uint64_t i = type.word * 0x9e3779b97f4a7c15ULL >> 32;
    while (table[1 + 2 * (i % kCapacity)] != 0) {
      i++;
    }
    table[1 + 2 * (i % kCapacity)] = type.word;
    table[2 + 2 * (i % kCapacity)] = static_cast<std::uint64_t>(layout.layout_helper(type));
  }
  return table;
}

YoungSpace young_space(const FuzzInput& input, const FuzzHeap& heap) {
  const std::uint64_t begin = address_of(heap.target());
  const std::uint64_t end = begin + heap.target_bytes();
  switch (input.young) {
    case FuzzInput::kAroundTarget:
      return YoungSpace::range(begin, end);
    case FuzzInput::kEverywhere: {
      YoungSpace everywhere;
      if (!everywhere.open({}, heapspan::vm::Collector::kEpsilon).is_ok()) {
        std::abort();
      }
      return everywhere;
    }
    case FuzzInput::kUpToTargetsEnd:
      return YoungSpace::range(begin - 64, end - 1);
    case FuzzInput::kFromTargetsEnd:
      return YoungSpace::range(begin + 1, end + 64);
    default:
      return {};
  }
}

// An image outside the heap, which ends where its memory does.
class NativeImage {
 public:
  explicit NativeImage(const FuzzInput& input)
      : memory_(static_cast<std::byte*>(std::malloc(input.image_skew_bytes + input.readable_image_bytes() + 1))),
        skew_bytes_(input.image_skew_bytes) {
    if (input.readable_image_bytes() != 0) {
      std::memcpy(begin(), input.image.data(), input.readable_image_bytes());
    }
    // The byte too many makes an address of an image of none.
    __asan_poison_memory_region(begin() + input.readable_image_bytes(), 1);
  }
  ~NativeImage() { std::free(memory_); }
  NativeImage(const NativeImage&) = delete;
  NativeImage& operator=(const NativeImage&) = delete;

  std::byte* begin() const { return memory_ + skew_bytes_; }

 private:
  std::byte* const memory_;
  const std::size_t skew_bytes_;
};

// One input, and what the carver needs to run it any number of times.
class Carving {
 public:
  Carving(FuzzHeap& heap, const FuzzInput& input)
      : heap_(heap), input_(input), layout_(input.layout), known_(known_table(layout_)), image_(input) {
    heap_.build(input, layout_);
    const auto& classes = layout_.classes();
    context_.known_classes = reinterpret_cast<std::uint64_t>(known_.data());
    context_.nanos_per_tick = 1ULL << 32;
    context_.number_array_word = classes[FuzzLayout::kNumbers].word;
    context_.object_array_word = classes[FuzzLayout::kReferences].word;
    context_.object_array_base_offset = layout_.reference_array_base_offset();
    context_.byte_array_base_offset = layout_.array_base_offset(0);
    context_.model = heapspan::vm::ObjectModel(layout_.facts());
    context_.young = young_space(input, heap);
  }

  void check() {
    const Expectation expected = heapspan::testing::expect(input_, layout_, heap_);
    for (const CpuPath path : kPaths) {
      if (has(path)) {
        check(path, expected);
      }
    }
    input_counts[static_cast<std::size_t>(last_result_)]++;
    sound_count += last_result_ == Decline::kNone && expected.is_sound;
  }

  // For inputs that the generator made.
  void check_is_carved() {
    check();
    if (last_result_ != Decline::kNone || !heapspan::testing::expect(input_, layout_, heap_).is_sound) {
      fail("an input of the generator was not carved, or is not sound", CpuPath::kScalar);
    }
  }

 private:
  [[noreturn]] void fail(const char* what, CpuPath path) const {
    std::fprintf(stderr, "carving_fuzz: %s; path %s, layout %u, decline %d\n", what, kPathNames[static_cast<int>(path)],
                 input_.layout, static_cast<int>(last_result_));
    std::abort();
  }

  void check(CpuPath path, const Expectation& expected) {
    last_result_ = run(path);
    const std::byte* const target = heap_.target();
    if (!heap_.is_unchanged_around_target()) {
      fail("something but the target was changed", path);
    }
    if (last_result_ == Decline::kNone ? expected.reasons != 0 : !expected.allows(last_result_)) {
      std::fprintf(stderr, "carving_fuzz: reasons to decline that fit: 0x%x\n", expected.reasons);
      fail(expected.reasons == 0 ? "declined, but nothing is wrong" : "not declined, or for another reason", path);
    }
    if (last_result_ != Decline::kNone) {
      const std::size_t header_bytes = layout_.array_length_offset() + sizeof(std::uint32_t);
      if (std::memcmp(target, heap_.target_before(), header_bytes) != 0) {
        fail("declined, but the target's header was changed", path);
      }
      return;
    }
    if (std::memcmp(target, expected.target.data(), expected.target.size()) != 0) {
      fail("carved other bytes than the model", path);
    }
    const char* const fault = heapspan::testing::fault_of_target(input_, layout_, heap_, expected.is_sound);
    if (fault != nullptr) {
      fail(fault, path);
    }
  }

  Decline run(CpuPath path) {
    // Memory of exactly the size that may be touched.
    std::vector<CarvePiece> pieces = input_.pieces;
    std::vector<ClassPair> pairs = input_.pairs;
    std::vector<ClassWordTable::Entry> class_table(input_.class_table_capacity());
    context_.kernels = relocation_kernels(path, layout_.facts().compressed_references, layout_.facts().reference_shift);
    CarveRequest request = {};
    request.context_address = reinterpret_cast<std::uint64_t>(&context_);
    request.image_address = input_.image_place == FuzzInput::kImageAtAddress ? address_of(image_.begin()) : 0;
    request.image_bytes = input_.readable_image_bytes();
    request.first_unit = input_.first_unit;
    request.pieces_address = reinterpret_cast<std::uint64_t>(pieces.data());
    request.piece_count = pieces.size();
    request.class_pairs_address = reinterpret_cast<std::uint64_t>(pairs.data());
    request.class_pair_count = pairs.size();
    request.class_table_address = reinterpret_cast<std::uint64_t>(class_table.data());
    request.class_table_capacity = class_table.size();
    request.target_length = input_.target_length;
    const CarveRequest before = request;

    // Whoever has the address of an array's elements has the array.
    const std::byte* const elements =
        input_.door == FuzzInput::kCriticalCall || input_.target_kind == FuzzInput::kNoTarget
            ? nullptr
            : heap_.target() + (input_.door == FuzzInput::kCriticalArray ? context_.object_array_base_offset : 0);
    const std::byte* const global_reference = heap_.holder();
    constexpr std::uint64_t kTag = 2;
    heap_.guard();
    const Decline result = heapspan::carving::carve_in_window(reinterpret_cast<std::uint64_t>(&global_reference) | kTag,
                                                              request, elements);
    heap_.unguard();

    std::uint64_t windows = 0;
    for (const std::uint64_t count : request.windows.by_length) {
      windows += count;
    }
    if (windows != 1 || std::memcmp(&request, &before, offsetof(CarveRequest, windows)) != 0) {
      fail("the request was changed, or not one window was counted", path);
    }
    return result;
  }

  FuzzHeap& heap_;
  const FuzzInput& input_;
  const FuzzLayout layout_;
  const std::vector<std::uint64_t> known_;
  const NativeImage image_;
  CarvingContext context_;
  Decline last_result_ = Decline::kNone;
};

FuzzHeap& fake_heap() {
  static FuzzHeap heap;
  return heap;
}

}  // namespace

// What the generator makes must be carved, or the search begins nowhere.
int LLVMFuzzerInitialize(int*, char***) {
  for (std::uint64_t seed = 0; seed < 1000; seed++) {
    RandomNumbers numbers(seed);
    const FuzzInput generated = heapspan::testing::generate_input(numbers);
    const std::vector<std::uint8_t> bytes = heapspan::testing::write_input(generated);
    const FuzzInput input = heapspan::testing::read_input(bytes.data(), bytes.size());
    Carving(fake_heap(), input).check_is_carved();
  }
  std::fill(std::begin(input_counts), std::end(input_counts), 0);
  sound_count = 0;
  std::atexit(report_counts);
  return 0;
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const FuzzInput input = heapspan::testing::read_input(data, size);
  Carving(fake_heap(), input).check();
  return 0;
}

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned int seed) {
  RandomNumbers numbers(seed);
  // Most changes end in a request that is declined at once: some must begin with one that is not.
  const bool begins_anew = size == 0 || numbers.one_in(12);
  if (!begins_anew && numbers.one_in(4)) {
    return LLVMFuzzerMutate(data, size, max_size);
  }
  FuzzInput input =
      begins_anew ? heapspan::testing::generate_input(numbers) : heapspan::testing::read_input(data, size);
  if (size != 0 && !(begins_anew && numbers.one_in(4))) {
    heapspan::testing::mutate_input(input, numbers);
  }
  const std::vector<std::uint8_t> bytes = heapspan::testing::write_input(input);
  const std::size_t new_size = bytes.size() < max_size ? bytes.size() : max_size;
  std::memcpy(data, bytes.data(), new_size);
  return new_size;
}
