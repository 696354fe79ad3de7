#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "carving_fuzz_input.h"
#include "carving_fuzz_layout.h"

namespace heapspan::testing {

// What a request works on, as it lies in the heap of a JVM: the holder, the target, an image, constants. Between them
// lies what nobody may touch.
class FuzzHeap {
 public:
  static constexpr std::size_t kBytes = 256 * 1024;

  // Ends the process if there is no memory at kFuzzHeapAddress.
  FuzzHeap();
  FuzzHeap(const FuzzHeap&) = delete;
  FuzzHeap& operator=(const FuzzHeap&) = delete;

  void build(const FuzzInput& input, const FuzzLayout& layout);

  // The target as it was after build(), and AddressSanitizer told what may be touched. Until unguard().
  void guard();
  void unguard();

  // Whether all but the target is what build() made of it.
  bool is_unchanged_around_target() const;

  std::byte* target() const { return target_.begin; }
  std::uint64_t target_bytes() const { return target_.bytes; }
  // What the target was before.
  const std::byte* target_before() const { return before_.data() + (target_.begin - memory_); }
  const std::byte* holder() const { return holder_.begin; }
  // What the elements of the array of constants hold.
  const std::vector<std::uint64_t>& constant_slots() const { return constant_slots_; }

 private:
  struct Range {
    std::byte* begin;
    std::uint64_t bytes;
  };

  // Room for an object, `skew_bytes` behind a place that fits any object.
  Range place(std::uint64_t bytes, std::uint64_t skew_bytes);
  Range place_array(const FuzzLayout& layout, std::uint64_t word, std::uint32_t log2_element_bytes,
                    std::uint64_t length, std::uint64_t skew_bytes);
  void put_constants(const FuzzInput& input, const FuzzLayout& layout);
  void put_image(const FuzzInput& input, const FuzzLayout& layout);

  std::byte* const memory_;
  std::size_t used_bytes_ = 0;
  std::vector<Range> ranges_;  // that may be touched
  std::vector<std::byte> before_;
  std::vector<std::uint64_t> constant_slots_;
  Range holder_ = {};
  Range constants_ = {};
  Range image_ = {};
  Range target_ = {};
};

}  // namespace heapspan::testing
