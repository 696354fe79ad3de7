#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "carving/carver.h"

namespace heapspan::testing {

struct ClassPair {
  std::uint64_t image_word;
  std::uint64_t word_here;
};

// A request to the carver and the image it is about. As bytes: 16 bytes of choices and counts, 4 numbers of 8 bytes,
// pieces, pairs, and the image up to the end.
struct FuzzInput {
  // Choices that no list names mean the first.
  enum ImagePlace : std::uint8_t { kImageInArray, kImageAtAddress, kNoImage };
  enum ConstantsPlace : std::uint8_t { kConstantsInArray, kNoConstants };
  enum Young : std::uint8_t { kAroundTarget, kEverywhere, kUpToTargetsEnd, kFromTargetsEnd, kNowhere };
  enum Door : std::uint8_t { kCriticalCall, kCriticalArray, kCopiedArray };
  enum TargetKind : std::uint8_t { kArrayOfNumbers, kArrayOfBytes, kNoTarget };

  static constexpr std::size_t kMaxPieces = 4;
  static constexpr std::size_t kMaxPairs = 16;
  static constexpr std::size_t kMaxConstants = 16;
  static constexpr std::size_t kMaxImageBytes = 16 * 1024;
  static constexpr std::uint64_t kMaxArrayLength = 4096;

  std::uint32_t layout = 0;
  ImagePlace image_place = kImageInArray;
  ConstantsPlace constants_place = kConstantsInArray;
  Young young = kAroundTarget;
  Door door = kCriticalCall;
  TargetKind target_kind = kArrayOfNumbers;
  std::uint32_t image_skew_bytes = 0;
  std::uint32_t target_skew = 0;  // in alignments
  std::uint32_t log2_class_table_capacity = 0;
  std::uint32_t constant_count = 0;
  std::uint64_t array_length = 0;   // of the target
  std::uint64_t target_length = 0;  // what the request says
  std::uint64_t first_unit = 0;
  std::uint64_t image_limit_bytes = 0;  // what may be read at an address; not more than there is

  std::vector<carving::CarvePiece> pieces;
  std::vector<ClassPair> pairs;
  std::vector<std::byte> image;

  // The carver believes its caller that as much may be read, and that the table has room.
  std::uint64_t readable_image_bytes() const;
  std::uint64_t class_table_capacity() const;
};

// Makes an input of any bytes; what is missing is 0.
FuzzInput read_input(const std::uint8_t* data, std::size_t size);

std::vector<std::uint8_t> write_input(const FuzzInput& input);

}  // namespace heapspan::testing
