#include "carving/relocation.h"

#include <algorithm>

#include "carving/relocation_paths.h"
#include "vm/cpu_features.h"

namespace heapspan::carving {
namespace {

using vm::load;
using vm::store;

template <typename RelocateWord>
inline bool copy_word_by_word(std::byte* to, const std::byte* from, const std::byte* bitmap, std::size_t size_bytes,
                              RelocateWord relocate_word) {
  bool in_range = true;
  std::size_t done = 0;
  for (; done + kBytesPerWord <= size_bytes; done += kBytesPerWord) {
    prefetch_for_writing(to + done + kPrefetchBytes);
    std::memcpy(to + done, from + done, kBytesPerWord);
    in_range &= relocate_word(to + done, load<std::uint64_t>(bitmap + done / kBytesPerBitmapByte));
  }
  if (done < size_bytes) {
    const std::size_t rest = size_bytes - done;
    std::memcpy(to + done, from + done, rest);
    in_range &=
        relocate_word(to + done, low_bits(load<std::uint64_t>(bitmap + done / kBytesPerBitmapByte), rest / kSlotBytes));
  }
  return in_range;
}

template <UnitShift kShift>
bool copy_objects_narrow(std::byte* to, const std::byte* from, const std::byte* bitmap, std::size_t size_bytes,
                         const Relocation& r) {
  return copy_word_by_word(to, from, bitmap, size_bytes, [&r](std::byte* at, std::uint64_t bits) {
    return relocate_narrow_word<kShift>(at, bits, r);
  });
}

bool copy_objects_wide(std::byte* to, const std::byte* from, const std::byte* bitmap, std::size_t size_bytes,
                       const Relocation& r) {
  return copy_word_by_word(to, from, bitmap, size_bytes,
                           [&r](std::byte* at, std::uint64_t bits) { return relocate_wide_word(at, bits, r); });
}

template <UnitShift kShift>
bool copy_roots_narrow(std::byte* to, const std::byte* units, std::size_t count, const Relocation& r) {
  bool in_range = true;
  for (std::size_t i = 0; i < count; i += kSlotsPerWord) {
    const std::size_t slots = std::min(kSlotsPerWord, count - i);
    std::memcpy(to + kSlotBytes * i, units + kSlotBytes * i, kSlotBytes * slots);
    in_range &=
        relocate_narrow_word<kShift>(to + kSlotBytes * i, slots == kSlotsPerWord ? ~0ULL : (1ULL << slots) - 1, r);
  }
  return in_range;
}

template <UnitShift kShift>
constexpr RelocationKernels kScalarNarrow = {copy_objects_narrow<kShift>, copy_roots_narrow<kShift>};

RelocationKernels scalar_kernels(bool narrow_references, UnitShift shift) {
  if (!narrow_references) {
    return {copy_objects_wide, copy_roots_wide};
  }
  switch (shift) {
    case UnitShift::kNone:
      return kScalarNarrow<UnitShift::kNone>;
    case UnitShift::kLeft:
      return kScalarNarrow<UnitShift::kLeft>;
    default:
      return kScalarNarrow<UnitShift::kRight>;
  }
}

}  // namespace

bool copy_roots_wide(std::byte* to, const std::byte* units, std::size_t count, const Relocation& r) {
  bool in_range = true;
  for (std::size_t i = 0; i < count; i++) {
    const std::uint64_t unit = load<std::uint32_t>(units + kSlotBytes * i);
    const std::uint64_t distance = unit - r.first_unit;
    in_range &= unit == 0 || distance < r.unit_count;
    store<std::uint64_t>(to + 8 * i, unit == 0 ? 0 : r.base + (distance << kUnitShift));
  }
  return in_range;
}

RelocationKernels relocation_kernels(CpuPath path, bool narrow_references, std::int32_t reference_shift) {
  const UnitShift shift = unit_shift(reference_shift);
#if defined(__x86_64__)
  if (path == CpuPath::kAvx512) {
    return avx512_kernels(narrow_references, shift);
  }
  if (path == CpuPath::kAvx2) {
    return avx2_kernels(narrow_references, shift);
  }
#endif
  return scalar_kernels(narrow_references, shift);
}

CpuPath best_cpu_path(CpuPath limit) {
  const std::int32_t features = vm::cpu_features();
  if (limit >= CpuPath::kAvx512 && (features & vm::kAvx512) != 0) {
    return CpuPath::kAvx512;
  }
  return limit >= CpuPath::kAvx2 && (features & vm::kAvx2) != 0 ? CpuPath::kAvx2 : CpuPath::kScalar;
}

}  // namespace heapspan::carving
