#pragma once

#include <cstddef>
#include <cstdint>

// Copies objects of an image to their place in the heap and turns unit numbers into references on the way. A unit is 8
// bytes of the image's object space; docs/formats/image.md, section "Raw encoding".

namespace heapspan::carving {

struct Relocation {
  std::uint64_t first_unit;  // number of the first copied object's place
  std::uint64_t unit_count;  // units from there on that exist
  std::uint64_t base;        // reference to that object: its address, or what a 4-byte slot holds
  std::int32_t shift;        // of 4-byte references: bits by which they are shifted to give an address
};

// Numbers as org.heapspan.vm.CpuPath knows them.
enum class CpuPath : std::int32_t { kScalar = 0, kAvx2 = 1, kAvx512 = 2 };

// Bits of slots in one word of a bitmap, and the bytes of the slots that it describes.
constexpr std::size_t kSlotBytes = 4;
constexpr std::size_t kSlotsPerWord = 64;
constexpr std::size_t kBytesPerWord = kSlotBytes * kSlotsPerWord;

constexpr std::size_t bitmap_bytes(std::size_t object_bytes) {
  return (object_bytes + kBytesPerWord - 1) / kBytesPerWord * sizeof(std::uint64_t);
}

// All addresses may be unaligned, the ranges do not overlap. Each returns whether every unit number was 0 or in range;
// if not, what was written is no object.
struct RelocationKernels {
  // `size_bytes` is a multiple of 8. The bitmap has a bit for each 4 bytes, in whole words of 8 bytes.
  bool (*copy_objects)(std::byte* to, const std::byte* from, const std::byte* bitmap, std::size_t size_bytes,
                       const Relocation& relocation);
  // From 4-byte unit numbers to slots.
  bool (*copy_roots)(std::byte* to, const std::byte* units, std::size_t count, const Relocation& relocation);
};

// The kernels for references of 4 or 8 bytes that use nothing beyond a path. The caller knows that the processor has
// it.
RelocationKernels relocation_kernels(CpuPath path, bool narrow_references, std::int32_t reference_shift);

// The best path that the processor has and that is not above `limit`.
CpuPath best_cpu_path(CpuPath limit);

}  // namespace heapspan::carving
