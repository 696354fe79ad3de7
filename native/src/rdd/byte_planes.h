#pragma once

#include <cstddef>

// How numbers of batches lie in a shuffle that Spark compresses: the first bytes of all of them, then the second bytes,
// and so on (byte planes). Bytes of one plane are alike, which a compressor that looks for repeated bytes can use.
//
// A batch is written in pieces, from its first byte to its last. In each piece, the bytes of each buffer of numbers are
// in planes, and all others are as they are. heapspan/rdd/batch.h has the layout of a batch, whose header says how many
// bytes the numbers of a buffer have. The header is as it is, and what the pieces contain follows from it alone. So all
// bytes come back, also those of a damaged batch, or of one that is something else.

namespace heapspan::rdd {

// Batches with more buffers are written as they are.
inline constexpr std::size_t kMostBuffers = 1000;
// The first piece must have at least so many bytes, or the whole batch: then it has the header.
inline constexpr std::size_t kLeastPieceBytes = 8 * (2 + kMostBuffers);

// Writes `size` bytes of a batch, from `begin` on, which is a multiple of 8.
void to_planes(const std::byte* batch, std::size_t batch_size, std::size_t begin, std::size_t size, std::byte* target);

// Reads what to_planes has written for the same piece. The pieces before are there already.
void from_planes(std::byte* batch, std::size_t batch_size, std::size_t begin, std::size_t size,
                 const std::byte* source);

}  // namespace heapspan::rdd
