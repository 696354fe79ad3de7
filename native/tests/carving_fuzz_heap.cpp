#include "carving_fuzz_heap.h"

#include <sanitizer/asan_interface.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "vm/memory_access.h"

namespace heapspan::testing {
namespace {

constexpr std::uint64_t kGuardBytes = 256;
constexpr std::uint64_t kPlaceAlignmentBytes = 64;

std::byte* map_memory() {
  void* const wanted = vm::at_address(kFuzzHeapAddress);
  void* const memory =
      mmap(wanted, FuzzHeap::kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (memory != wanted) {
    std::fprintf(stderr, "carving_fuzz: no memory at %p: %s\n", wanted, std::strerror(errno));
    std::exit(2);
  }
  return static_cast<std::byte*>(memory);
}

}  // namespace

FuzzHeap::FuzzHeap() : memory_(map_memory()) {}

void FuzzHeap::build(const FuzzInput& input, const FuzzLayout& layout) {
  std::memset(memory_, 0xab, used_bytes_);
  used_bytes_ = kGuardBytes;
  ranges_.clear();
  constants_ = image_ = {};
  constant_slots_.clear();
  const auto& classes = layout.classes();
  constexpr std::uint64_t kHolderLength = 3;
  holder_ = place_array(layout, classes[FuzzLayout::kReferences].word, layout.log2_reference_bytes(), kHolderLength, 0);
  put_constants(input, layout);
  put_image(input, layout);
  // An array of another kind has the same size.
  target_ = place_array(layout, classes[FuzzLayout::kNumbers].word, layout.log2_reference_bytes(), input.array_length,
                        input.target_skew * layout.alignment_bytes());
  if (input.target_kind == FuzzInput::kArrayOfBytes) {
    layout.put_class_word(target_.begin, classes[FuzzLayout::kBytes].word);
  }
  std::byte* slot = holder_.begin + layout.reference_array_base_offset();
  for (const Range& range : {input.target_kind == FuzzInput::kNoTarget ? Range() : target_, image_, constants_}) {
    layout.put_slot(slot, layout.reference_to(vm::address_of(range.begin)));
    slot += layout.reference_bytes();
  }
  // The rest of the last place belongs to the target: an object ends where the next may begin.
  target_.bytes = layout.align_up(target_.bytes);
  ranges_.back() = target_;
  before_.assign(memory_, memory_ + used_bytes_);
}

FuzzHeap::Range FuzzHeap::place(std::uint64_t bytes, std::uint64_t skew_bytes) {
  const std::uint64_t begin =
      (used_bytes_ + kPlaceAlignmentBytes - 1) / kPlaceAlignmentBytes * kPlaceAlignmentBytes + skew_bytes;
  const std::uint64_t end = begin + bytes + kGuardBytes;
  if (end > kBytes) {
    std::fprintf(stderr, "carving_fuzz: an object of %llu bytes does not fit into the fake heap\n",
                 static_cast<unsigned long long>(bytes));
    std::abort();
  }
  // What is between was used by the input before.
  std::memset(memory_ + used_bytes_, 0xab, end - used_bytes_);
  used_bytes_ = end;
  ranges_.push_back({memory_ + begin, bytes});
  return ranges_.back();
}

FuzzHeap::Range FuzzHeap::place_array(const FuzzLayout& layout, std::uint64_t word, std::uint32_t log2_element_bytes,
                                      std::uint64_t length, std::uint64_t skew_bytes) {
  const Range range = place(layout.array_base_offset(log2_element_bytes) + (length << log2_element_bytes), skew_bytes);
  layout.put_array_header(range.begin, word, static_cast<std::uint32_t>(length));
  return range;
}

// The objects themselves may not be touched: the carver hands on references to them and does not look.
void FuzzHeap::put_constants(const FuzzInput& input, const FuzzLayout& layout) {
  if (input.constants_place == FuzzInput::kNoConstants) {
    return;
  }
  constants_ = place_array(layout, layout.classes()[FuzzLayout::kReferences].word, layout.log2_reference_bytes(),
                           input.constant_count, 0);
  std::byte* slot = constants_.begin + layout.reference_array_base_offset();
  for (std::uint32_t i = 0; i < input.constant_count; i++) {
    const Range constant = place(layout.classes()[FuzzLayout::kPlain].instance_bytes, 0);
    ranges_.pop_back();
    const bool is_null = i == 1;
    constant_slots_.push_back(is_null ? 0 : layout.reference_to(vm::address_of(constant.begin)));
    layout.put_slot(slot, constant_slots_.back());
    slot += layout.reference_bytes();
  }
}

void FuzzHeap::put_image(const FuzzInput& input, const FuzzLayout& layout) {
  if (input.image_place != FuzzInput::kImageInArray) {
    return;
  }
  image_ = place_array(layout, layout.classes()[FuzzLayout::kBytes].word, 0, input.image.size(), 0);
  std::copy(input.image.begin(), input.image.end(), image_.begin + layout.array_base_offset(0));
}

void FuzzHeap::guard() {
  std::memcpy(target_.begin, target_before(), target_.bytes);
  ASAN_POISON_MEMORY_REGION(memory_, used_bytes_);
  for (const Range& range : ranges_) {
    ASAN_UNPOISON_MEMORY_REGION(range.begin, range.bytes);
  }
}

void FuzzHeap::unguard() { ASAN_UNPOISON_MEMORY_REGION(memory_, used_bytes_); }

bool FuzzHeap::is_unchanged_around_target() const {
  const std::size_t target_begin = static_cast<std::size_t>(target_.begin - memory_);
  const std::size_t target_end = target_begin + target_.bytes;
  return std::memcmp(memory_, before_.data(), target_begin) == 0 &&
         std::memcmp(memory_ + target_end, before_.data() + target_end, used_bytes_ - target_end) == 0;
}

}  // namespace heapspan::testing
