#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "carving/relocation.h"
#include "vm/memory_access.h"

// What the files of the paths share; nobody else includes this.

namespace heapspan::carving {

// Units are 8 bytes; a compressed reference counts pieces of 1 << shift bytes.
enum class UnitShift { kNone, kLeft, kRight };

constexpr std::int32_t kUnitShift = 3;

constexpr UnitShift unit_shift(std::int32_t reference_shift) {
  return reference_shift == kUnitShift  ? UnitShift::kNone
         : reference_shift < kUnitShift ? UnitShift::kLeft
                                        : UnitShift::kRight;
}

// By how much, whatever the direction.
constexpr std::int32_t unit_shift_bits(std::int32_t reference_shift) {
  return reference_shift < kUnitShift ? kUnitShift - reference_shift : reference_shift - kUnitShift;
}

// How far ahead of the stores cache lines are asked for. The first touch of a line of Eden is what a copy waits for.
constexpr std::size_t kPrefetchBytes = 1024;

// Asks for the cache line in order to write it; nothing happens where no memory is. In assembler, because compilers
// make a prefetch for reading of it where they may not assume the instruction; processors that lack it take it as a
// no-op.
__attribute__((always_inline)) inline void prefetch_for_writing(const std::byte* place) {
#if defined(__x86_64__)
  __asm__ volatile("prefetchw %0" : : "m"(*place));
#else
  __builtin_prefetch(place, 1);
#endif
}

// Objects that one byte of the bitmap describes.
constexpr std::size_t kBytesPerBitmapByte = 8 * kSlotBytes;

// In 8-byte slots only the first half of each is marked.
constexpr std::uint64_t kSecondHalves = 0xaaaaaaaaaaaaaaaaULL;

// Slots of one word of the bitmap, one by one: the scalar path, and what is left over at the end of the others. Bytes
// have been copied already.
template <UnitShift kShift>
inline bool relocate_narrow_word(std::byte* to, std::uint64_t bits, const Relocation& r) {
  const auto first = static_cast<std::uint32_t>(r.first_unit);
  const auto count = static_cast<std::uint32_t>(r.unit_count);
  const auto base = static_cast<std::uint32_t>(r.base);
  const std::int32_t shift = unit_shift_bits(r.shift);
  bool in_range = true;
  for (; bits != 0; bits &= bits - 1) {
    std::byte* const slot = to + kSlotBytes * static_cast<std::size_t>(std::countr_zero(bits));
    const auto unit = vm::load<std::uint32_t>(slot);
    if (unit != 0) {
      const std::uint32_t distance = unit - first;
      in_range &= distance < count;
      vm::store(slot, base + (kShift == UnitShift::kNone   ? distance
                              : kShift == UnitShift::kLeft ? distance << shift
                                                           : distance >> shift));
    }
  }
  return in_range;
}

inline bool relocate_wide_word(std::byte* to, std::uint64_t bits, const Relocation& r) {
  bool in_range = (bits & kSecondHalves) == 0;
  for (bits &= ~kSecondHalves; bits != 0; bits &= bits - 1) {
    std::byte* const slot = to + kSlotBytes * static_cast<std::size_t>(std::countr_zero(bits));
    const auto unit = vm::load<std::uint64_t>(slot);
    if (unit != 0) {
      const std::uint64_t distance = unit - r.first_unit;
      in_range &= distance < r.unit_count;
      vm::store(slot, r.base + (distance << kUnitShift));
    }
  }
  return in_range;
}

// The bits of the last, incomplete word of a bitmap that belong to slots.
inline std::uint64_t low_bits(std::uint64_t word, std::size_t slots) { return word & ((1ULL << slots) - 1); }

RelocationKernels avx2_kernels(bool narrow_references, UnitShift shift);
RelocationKernels avx512_kernels(bool narrow_references, UnitShift shift);

bool copy_roots_wide(std::byte* to, const std::byte* units, std::size_t count, const Relocation& relocation);

}  // namespace heapspan::carving
