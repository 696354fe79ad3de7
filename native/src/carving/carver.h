#pragma once

#include <cstddef>
#include <cstdint>

#include "carving/decline.h"
#include "carving/relocation.h"
#include "vm/object_model.h"
#include "vm/young_space.h"

// Turns the copies of objects in an image into objects: overwrites an array of numbers in the young generation with
// them and makes its own header that of an array of references to the roots. See docs/decisions/0005-window-doors.md.

namespace heapspan::carving {

// What never changes while the JVM runs; no address of an object.
struct CarvingContext {
  // First, because Java sets it: address of the table of class KnownClasses.
  std::uint64_t known_classes = 0;
  // Nanoseconds of a tick of the processor's clock, times 2^32.
  std::uint64_t nanos_per_tick = 0;

  // Of an array of numbers as wide as references: int[] or long[]. Its elements begin where those of an Object[] do.
  std::uint64_t number_array_word = 0;
  std::uint64_t object_array_word = 0;
  std::uint32_t object_array_base_offset = 0;
  std::uint32_t byte_array_base_offset = 0;
  vm::ObjectModel model;
  vm::YoungSpace young;
  RelocationKernels kernels = {};
};

// Windows, by the thread that uses the workspace; others may read while it writes.
struct WindowCounts {
  static constexpr std::size_t kBuckets = 32;

  std::uint64_t longest_nanos;
  std::uint64_t by_length[kBuckets];  // [i]: of 2^i to 2^(i+1) - 1 ns; the first from 0, the last without end
};

// A part of an image: copies of objects and what belongs to them. The copies of all pieces of a request lie one behind
// the other. Offsets count from the beginning of the image.
struct CarvePiece {
  std::uint64_t objects_offset;
  std::uint64_t object_bytes;
  std::uint64_t bitmap_offset;
  std::uint64_t constant_patches_offset;
  std::uint64_t constant_patch_count;
  std::uint64_t roots_offset;
  std::uint64_t root_count;
  std::uint64_t exports_offset;
  std::uint64_t export_count;
};

// One piece of work, and after it the statistics of its workspace: a block of memory that org.heapspan.vm.RequestBlock
// lays out in the same order.
struct CarveRequest {
  std::uint64_t context_address;
  std::uint64_t image_address;  // 0: the image is the byte[] in the holder
  std::uint64_t image_bytes;    // where there is an address
  std::uint64_t first_unit;
  std::uint64_t pieces_address;  // of CarvePiece[piece_count]
  std::uint64_t piece_count;
  std::uint64_t class_pairs_address;
  std::uint64_t class_pair_count;
  std::uint64_t class_table_address;  // room for class_table_capacity entries of ClassWordTable
  std::uint64_t class_table_capacity;
  std::uint64_t target_length;  // of the array of numbers
  WindowCounts windows;
};
static_assert(offsetof(CarveRequest, windows) == 11 * 8);

// What the holder's elements refer to. Addresses of objects: they live no longer than the window.
struct Operands {
  std::byte* target;
  const std::byte* image;      // a byte[], or null
  const std::byte* constants;  // an Object[], or null
};

// The work itself; nothing but `target` and the table of class words is written, and the target's header last.
Decline carve(const CarvingContext& context, const CarveRequest& request, const Operands& operands);

// Inside a window: reads the operands through a global reference to an Object[] that holds an array of numbers, byte[]
// and Object[], carves, and counts the window. `elements` is the address that the JVM gave out for the numbers, or
// null.
Decline carve_in_window(std::uint64_t holder_reference, CarveRequest& request, const void* elements);

// Ticks of the processor's clock.
std::uint64_t ticks();

}  // namespace heapspan::carving
