#pragma once

#include <cstddef>
#include <cstdint>

#include "vm/hotspot_facts.h"
#include "vm/memory_access.h"

// How an object lies in memory. Sources: src/hotspot/share/oops/{oop,arrayOop,markWord,objLayout}.hpp and
// compressedOops.hpp, JDK 17 to 25. The carver's self-test reads back what was written by these rules.

namespace heapspan::vm {

// Where the class word is.
enum class HeaderKind : std::int32_t {
  kNarrow = 0,   // 4 bytes behind the mark word, the length of an array right behind it
  kWide = 1,     // 8 bytes behind the mark word
  kCompact = 2,  // the upper 22 bits of the mark word (JDK 24 and later)
};

// Klass::_layout_helper (src/hotspot/share/oops/klass.hpp, JDK 17 to 25): of an instance its size in bytes, the lowest
// bit set if it must be allocated by the VM; of an array (negative) the size of its header and of its elements.
class LayoutHelper {
 public:
  explicit constexpr LayoutHelper(std::int32_t value) : value_(value) {}

  constexpr bool is_instance() const { return value_ > 0; }
  constexpr bool is_array() const { return value_ < 0; }
  constexpr bool is_reference_array() const { return is_array() && (static_cast<std::uint32_t>(value_) >> 30) == 2; }
  constexpr bool needs_slow_path() const { return (value_ & 1) != 0; }
  constexpr std::uint32_t instance_bytes() const { return static_cast<std::uint32_t>(value_) & ~7u; }
  constexpr std::uint32_t array_base_offset() const { return (static_cast<std::uint32_t>(value_) >> 16) & 255; }
  constexpr std::uint32_t log2_element_bytes() const { return static_cast<std::uint32_t>(value_) & 255; }
  constexpr std::int32_t value() const { return value_; }

 private:
  std::int32_t value_;
};

class ObjectModel {
 public:
  ObjectModel() = default;
  explicit ObjectModel(const HotSpotFacts& facts)
      : header_(facts.compact_headers             ? HeaderKind::kCompact
                : facts.compressed_class_pointers ? HeaderKind::kNarrow
                                                  : HeaderKind::kWide),
        narrow_references_(facts.compressed_references),
        reference_shift_(facts.reference_shift),
        alignment_bytes_(static_cast<std::uint32_t>(facts.object_alignment_bytes)),
        reference_base_(facts.reference_base_address) {}

  HeaderKind header() const { return header_; }
  bool narrow_references() const { return narrow_references_; }
  std::int32_t reference_shift() const { return reference_shift_; }
  std::uint32_t reference_bytes() const { return narrow_references_ ? 4 : 8; }
  std::uint32_t alignment_bytes() const { return alignment_bytes_; }

  std::uint64_t align_up(std::uint64_t bytes) const {
    return (bytes + alignment_bytes_ - 1) & ~(alignment_bytes_ - 1ULL);
  }

  // What a slot that refers to the object at an address holds.
  std::uint64_t encode_reference(std::uint64_t address) const {
    return narrow_references_ ? (address - reference_base_) >> reference_shift_ : address;
  }

  // The object that a slot refers to, or null.
  std::byte* reference_at(const std::byte* slot) const {
    if (!narrow_references_) {
      return load<std::byte*>(slot);
    }
    const auto narrow = load<std::uint32_t>(slot);
    return narrow == 0 ? nullptr
                       : at_address(reference_base_ + (static_cast<std::uint64_t>(narrow) << reference_shift_));
  }

  std::uint64_t class_word(const std::byte* object) const {
    switch (header_) {
      case HeaderKind::kNarrow:
        return load<std::uint32_t>(object + kClassWordOffset);
      case HeaderKind::kWide:
        return load<std::uint64_t>(object + kClassWordOffset);
      default:
        return load<std::uint64_t>(object) >> kCompactClassShift;
    }
  }

  void set_class_word(std::byte* object, std::uint64_t word) const {
    switch (header_) {
      case HeaderKind::kNarrow:
        store(object + kClassWordOffset, static_cast<std::uint32_t>(word));
        break;
      case HeaderKind::kWide:
        store(object + kClassWordOffset, word);
        break;
      default:
        store(object, with_class(load<std::uint64_t>(object), word));
    }
  }

  std::uint32_t array_length(const std::byte* array) const {
    return load<std::uint32_t>(array + array_length_offset());
  }

  std::uint32_t array_length_offset() const {
    switch (header_) {
      case HeaderKind::kNarrow:
        return 12;
      case HeaderKind::kWide:
        return 16;
      default:
        return 8;
    }
  }

  // Makes an array of another whose elements are as wide. Whoever walks the heap meanwhile must find its end. With
  // 4-byte class words this is one store; walkers load the class first and the length after it, and the old class with
  // the new length is as long as the new array. Else callers stop all others first. The mark word stays what it is.
  void turn_into_array(std::byte* object, std::uint64_t class_word, std::uint32_t length) const {
    if (header_ == HeaderKind::kNarrow) {
      store_last(object + kClassWordOffset, class_word | static_cast<std::uint64_t>(length) << 32);
      return;
    }
    store(object + array_length_offset(), length);
    if (header_ == HeaderKind::kWide) {
      store_last(object + kClassWordOffset, class_word);
    } else {
      store_last(object, with_class(load<std::uint64_t>(object), class_word));
    }
  }

  // Whether turn_into_array is one store.
  bool changes_class_at_once() const { return header_ == HeaderKind::kNarrow; }

  // Size in memory of an object of a class; `array` is only read if the class is one of arrays.
  std::uint64_t object_bytes(LayoutHelper helper, const std::byte* array) const {
    if (helper.is_instance()) {
      return helper.instance_bytes();
    }
    return align_up(helper.array_base_offset() +
                    (static_cast<std::uint64_t>(array_length(array)) << helper.log2_element_bytes()));
  }

  // Bytes of an object up to the end of its class word.
  std::uint32_t header_bytes() const {
    switch (header_) {
      case HeaderKind::kNarrow:
        return 12;
      case HeaderKind::kWide:
        return 16;
      default:
        return 8;
    }
  }

  // Bytes from the beginning of an array that must be there before its size can be asked for.
  std::uint32_t array_header_bytes() const { return array_length_offset() + 4; }

 private:
  static constexpr std::uint32_t kClassWordOffset = 8;
  static constexpr std::int32_t kCompactClassShift = 42;

  static std::uint64_t with_class(std::uint64_t mark, std::uint64_t word) {
    return (mark & ((1ULL << kCompactClassShift) - 1)) | word << kCompactClassShift;
  }

  static void store_last(std::byte* to, std::uint64_t value) {
    __atomic_store_n(reinterpret_cast<std::uint64_t*>(to), value, __ATOMIC_RELEASE);
  }

  HeaderKind header_ = HeaderKind::kNarrow;
  bool narrow_references_ = true;
  std::int32_t reference_shift_ = 0;
  std::uint32_t alignment_bytes_ = 8;
  std::uint64_t reference_base_ = 0;
};

}  // namespace heapspan::vm
