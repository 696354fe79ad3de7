#include "carving_fuzz_layout.h"

#include <bit>

#include "vm/memory_access.h"

namespace heapspan::testing {
namespace {

using vm::load;
using vm::store;

constexpr std::uint32_t kClassWordOffset = 8;
constexpr std::uint32_t kCompactClassShift = 42;
constexpr std::uint64_t kFreshMark = 1;

// Distances and beginnings as in a JVM: class words are addresses, shifted or not, or small numbers.
constexpr std::uint64_t kWordDistance = 0x1c8;

std::uint32_t round_up(std::uint32_t number, std::uint32_t multiple) {
  return (number + multiple - 1) / multiple * multiple;
}

}  // namespace

FuzzLayout::FuzzLayout(std::uint32_t number) {
  constexpr Header kHeaders[] = {Header::kNarrow, Header::kWide, Header::kCompact};
  constexpr std::uint32_t kHeaderBytes[] = {12, 16, 8};
  const std::uint32_t header = number % 3;
  header_ = kHeaders[header];
  header_bytes_ = array_length_offset_ = kHeaderBytes[header];
  alignment_bytes_ = number / 3 % 2 == 0 ? 8 : 16;
  enum { kUncompressed, kUnscaled, kZeroBased, kBased };
  const std::uint32_t references = number / 6 % 4;
  reference_bytes_ = references == kUncompressed ? 8 : 4;
  reference_shift_ = references >= kZeroBased ? std::countr_zero(alignment_bytes_) : 0;
  reference_base_address_ = references == kBased ? kFuzzHeapAddress - 4096 : 0;

  facts_.compressed_references = reference_bytes_ == 4;
  facts_.reference_shift = reference_shift_;
  facts_.reference_base_address = reference_base_address_;
  facts_.compressed_class_pointers = header_ != Header::kWide;
  facts_.compact_headers = header_ == Header::kCompact;
  facts_.object_alignment_bytes = static_cast<std::int32_t>(alignment_bytes_);

  classes_ = {array_class(kNumbers, log2_reference_bytes(), false),
              array_class(kReferences, log2_reference_bytes(), true),
              array_class(kBytes, 0, false),
              array_class(kInts, 2, false),
              instance_class(kPlain, 0),
              instance_class(kLink, 1),
              instance_class(kNode, 3)};
}

FuzzClass FuzzLayout::array_class(ClassNumber number, std::uint32_t log2_element_bytes, bool references) const {
  return {word_of(number), 0, log2_element_bytes, references, 0, {}};
}

// References, a number of 8 bytes among them, one of 4 behind.
FuzzClass FuzzLayout::instance_class(ClassNumber number, std::uint32_t reference_count) const {
  FuzzClass type = {word_of(number), 0, 0, false, reference_count, {}};
  std::uint32_t end = round_up(header_bytes_, reference_bytes_);
  for (std::uint32_t i = 0; i < reference_count; i++) {
    type.reference_offsets[i] = end;
    end += reference_bytes_ + (i == 1 ? 8 : 0);
  }
  type.instance_bytes = static_cast<std::uint32_t>(align_up(end + 4));
  return type;
}

std::uint64_t FuzzLayout::word_of(std::uint64_t number) const {
  switch (header_) {
    case Header::kNarrow:
      return 0x1000098 + kWordDistance * number;
    case Header::kWide:
      return 0x7f3100800098 + kWordDistance * number;
    default:
      return 0x1234 + number;
  }
}

std::uint64_t FuzzLayout::unknown_word(std::uint64_t number) const { return word_of(kClassCount + number % 1024); }

const FuzzClass* FuzzLayout::class_with_word(std::uint64_t word) const {
  for (const FuzzClass& type : classes_) {
    if (type.word == word) {
      return &type;
    }
  }
  return nullptr;
}

// Klass::_layout_helper: of an array its kind, header size, element type and size of an element.
std::int32_t FuzzLayout::layout_helper(const FuzzClass& type) const {
  if (!type.is_array()) {
    return static_cast<std::int32_t>(type.instance_bytes);
  }
  constexpr std::uint32_t kSomeElementType = 10;
  const std::uint32_t kind = type.has_references_as_elements ? 2 : 3;
  return static_cast<std::int32_t>(kind << 30 | array_base_offset(type.log2_element_bytes) << 16 |
                                   kSomeElementType << 8 | type.log2_element_bytes);
}

std::uint32_t FuzzLayout::array_base_offset(std::uint32_t log2_element_bytes) const {
  return round_up(array_length_offset_ + 4, 1u << log2_element_bytes);
}

std::uint64_t FuzzLayout::class_word(const std::byte* object) const {
  switch (header_) {
    case Header::kNarrow:
      return load<std::uint32_t>(object + kClassWordOffset);
    case Header::kWide:
      return load<std::uint64_t>(object + kClassWordOffset);
    default:
      return load<std::uint64_t>(object) >> kCompactClassShift;
  }
}

void FuzzLayout::put_class_word(std::byte* object, std::uint64_t word) const {
  if (header_ == Header::kNarrow) {
    store(object + kClassWordOffset, static_cast<std::uint32_t>(word));
  } else if (header_ == Header::kWide) {
    store(object + kClassWordOffset, word);
  } else {
    const std::uint64_t mark = load<std::uint64_t>(object);
    store(object, mark << (64 - kCompactClassShift) >> (64 - kCompactClassShift) | word << kCompactClassShift);
  }
}

std::uint32_t FuzzLayout::array_length(const std::byte* array) const {
  return load<std::uint32_t>(array + array_length_offset_);
}

void FuzzLayout::put_header(std::byte* object, std::uint64_t word) const {
  store(object, kFreshMark);
  put_class_word(object, word);
}

void FuzzLayout::put_array_header(std::byte* array, std::uint64_t word, std::uint32_t length) const {
  put_header(array, word);
  store(array + array_length_offset_, length);
}

std::uint64_t FuzzLayout::reference_to(std::uint64_t address) const {
  return address == 0 ? 0 : (address - reference_base_address_) >> reference_shift_;
}

std::uint64_t FuzzLayout::address_of(std::uint64_t reference) const {
  return reference == 0 ? 0 : reference_base_address_ + (reference << reference_shift_);
}

std::uint64_t FuzzLayout::slot(const std::byte* place) const {
  return reference_bytes_ == 4 ? load<std::uint32_t>(place) : load<std::uint64_t>(place);
}

void FuzzLayout::put_slot(std::byte* place, std::uint64_t value) const {
  if (reference_bytes_ == 4) {
    store(place, static_cast<std::uint32_t>(value));
  } else {
    store(place, value);
  }
}

}  // namespace heapspan::testing
