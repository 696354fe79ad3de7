#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "vm/hotspot_facts.h"

namespace heapspan::testing {

// Where the fake heap lies: low enough for references of 4 bytes without a base.
constexpr std::uint64_t kFuzzHeapAddress = 0x20000000;

// A class of the fake JVM.
struct FuzzClass {
  std::uint64_t word;
  std::uint32_t instance_bytes;      // 0: an array
  std::uint32_t log2_element_bytes;  // of an array
  bool has_references_as_elements;
  std::uint32_t reference_count;  // of an instance
  std::array<std::uint32_t, 3> reference_offsets;

  bool is_array() const { return instance_bytes == 0; }
};

// How objects lie in one of the heaps that HotSpot can have: kinds of headers and of references, alignments. Says once
// more what vm/object_model.h says, in other words: what is expected must not come from the code that is tested.
class FuzzLayout {
 public:
  static constexpr std::uint32_t kCount = 24;
  enum ClassNumber : std::size_t { kNumbers, kReferences, kBytes, kInts, kPlain, kLink, kNode, kClassCount };

  explicit FuzzLayout(std::uint32_t number);

  // What the carver is told.
  const vm::HotSpotFacts& facts() const { return facts_; }

  const std::array<FuzzClass, kClassCount>& classes() const { return classes_; }
  const FuzzClass* class_with_word(std::uint64_t word) const;
  std::int32_t layout_helper(const FuzzClass& type) const;
  // Words that this layout has room for but no class.
  std::uint64_t unknown_word(std::uint64_t number) const;

  std::uint32_t alignment_bytes() const { return alignment_bytes_; }
  std::uint32_t reference_bytes() const { return reference_bytes_; }
  std::uint32_t array_length_offset() const { return array_length_offset_; }
  // From the beginning of any object to the end of its class word.
  std::uint32_t header_bytes() const { return header_bytes_; }
  std::uint32_t array_base_offset(std::uint32_t log2_element_bytes) const;
  std::uint32_t log2_reference_bytes() const { return reference_bytes_ == 4 ? 2 : 3; }
  std::uint32_t reference_array_base_offset() const { return array_base_offset(log2_reference_bytes()); }
  std::uint64_t align_up(std::uint64_t bytes) const {
    return (bytes + alignment_bytes_ - 1) / alignment_bytes_ * alignment_bytes_;
  }

  std::uint64_t class_word(const std::byte* object) const;
  void put_class_word(std::byte* object, std::uint64_t word) const;
  std::uint32_t array_length(const std::byte* array) const;
  // Mark word, class word and, of an array, length.
  void put_header(std::byte* object, std::uint64_t word) const;
  void put_array_header(std::byte* array, std::uint64_t word, std::uint32_t length) const;

  // What a slot holds that refers to an address, and back. 0 and null are each other's.
  std::uint64_t reference_to(std::uint64_t address) const;
  std::uint64_t address_of(std::uint64_t reference) const;
  std::uint64_t slot(const std::byte* place) const;
  void put_slot(std::byte* place, std::uint64_t value) const;

 private:
  enum class Header { kNarrow, kWide, kCompact };

  FuzzClass array_class(ClassNumber number, std::uint32_t log2_element_bytes, bool references) const;
  FuzzClass instance_class(ClassNumber number, std::uint32_t reference_count) const;
  std::uint64_t word_of(std::uint64_t number) const;

  Header header_;
  std::uint32_t header_bytes_;
  std::uint32_t array_length_offset_;
  std::uint32_t alignment_bytes_;
  std::uint32_t reference_bytes_;
  std::int32_t reference_shift_;
  std::uint64_t reference_base_address_;
  vm::HotSpotFacts facts_;
  std::array<FuzzClass, kClassCount> classes_;
};

}  // namespace heapspan::testing
