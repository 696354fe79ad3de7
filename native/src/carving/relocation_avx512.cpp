// The masked add of the raw encoding with AVX-512: 16 slots an instruction.

#if defined(__x86_64__)

#include <immintrin.h>

#include "carving/relocation_paths.h"

// For every function here; a helper without it would be called where it should be inlined.
#define HEAPSPAN_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,bmi,bmi2")))
#define HEAPSPAN_AVX512_INLINE HEAPSPAN_AVX512 __attribute__((always_inline)) inline

namespace heapspan::carving {
namespace {

using vm::load;

constexpr std::size_t kVectorBytes = 64;
constexpr std::size_t kSlotsPerVector = kVectorBytes / kSlotBytes;

struct Narrow {
  __m512i first;
  __m512i count;
  __m512i base;
  __m128i shift;
};

HEAPSPAN_AVX512_INLINE Narrow narrow(const Relocation& r) {
  return {_mm512_set1_epi32(static_cast<std::int32_t>(r.first_unit)),
          _mm512_set1_epi32(static_cast<std::int32_t>(r.unit_count)),
          _mm512_set1_epi32(static_cast<std::int32_t>(r.base)), _mm_cvtsi32_si128(unit_shift_bits(r.shift))};
}

// The lanes of `slots` as references; adds to `outside` the lanes that are not in range.
template <UnitShift kShift>
HEAPSPAN_AVX512_INLINE __m512i relocate(__m512i slots, __mmask16 marked, const Narrow& n, __mmask16& outside) {
  constexpr auto kAll = static_cast<__mmask16>(-1);
  const __mmask16 references = _mm512_mask_test_epi32_mask(marked, slots, slots);
  __m512i distance = _mm512_sub_epi32(slots, n.first);
  outside = static_cast<__mmask16>(outside | _mm512_mask_cmpge_epu32_mask(references, distance, n.count));
  // The masked forms of the shifts: the plain ones start from an undefined register, of which gcc 12 warns.
  if constexpr (kShift == UnitShift::kLeft) {
    distance = _mm512_maskz_sll_epi32(kAll, distance, n.shift);
  } else if constexpr (kShift == UnitShift::kRight) {
    distance = _mm512_maskz_srl_epi32(kAll, distance, n.shift);
  }
  return _mm512_mask_add_epi32(slots, references, distance, n.base);
}

template <UnitShift kShift>
HEAPSPAN_AVX512 bool copy_objects_narrow(std::byte* to, const std::byte* from, const std::byte* bitmap,
                                         std::size_t size_bytes, const Relocation& r) {
  const Narrow n = narrow(r);
  __mmask16 outside = 0;
  std::size_t done = 0;
  for (; done + kBytesPerWord <= size_bytes; done += kBytesPerWord) {
    auto bits = load<std::uint64_t>(bitmap + done / kBytesPerBitmapByte);
    for (std::size_t i = done; i < done + kBytesPerWord; i += kVectorBytes, bits >>= kSlotsPerVector) {
      prefetch_for_writing(to + i + kPrefetchBytes);
      _mm512_storeu_si512(to + i,
                          relocate<kShift>(_mm512_loadu_si512(from + i), static_cast<__mmask16>(bits), n, outside));
    }
  }
  if (done < size_bytes) {
    auto bits = load<std::uint64_t>(bitmap + done / kBytesPerBitmapByte);
    for (; done + kVectorBytes <= size_bytes; done += kVectorBytes, bits >>= kSlotsPerVector) {
      _mm512_storeu_si512(to + done,
                          relocate<kShift>(_mm512_loadu_si512(from + done), static_cast<__mmask16>(bits), n, outside));
    }
    const auto exists =
        static_cast<__mmask16>(_bzhi_u32(0xffff, static_cast<std::uint32_t>((size_bytes - done) / kSlotBytes)));
    _mm512_mask_storeu_epi32(to + done, exists,
                             relocate<kShift>(_mm512_maskz_loadu_epi32(exists, from + done),
                                              static_cast<__mmask16>(bits & exists), n, outside));
  }
  return outside == 0;
}

template <UnitShift kShift>
HEAPSPAN_AVX512 bool copy_roots_narrow(std::byte* to, const std::byte* units, std::size_t count, const Relocation& r) {
  const Narrow n = narrow(r);
  const std::size_t size_bytes = count * kSlotBytes;
  __mmask16 outside = 0;
  std::size_t done = 0;
  for (; done + kVectorBytes <= size_bytes; done += kVectorBytes) {
    _mm512_storeu_si512(to + done,
                        relocate<kShift>(_mm512_loadu_si512(units + done), static_cast<__mmask16>(-1), n, outside));
  }
  const auto exists =
      static_cast<__mmask16>(_bzhi_u32(0xffff, static_cast<std::uint32_t>((size_bytes - done) / kSlotBytes)));
  _mm512_mask_storeu_epi32(to + done, exists,
                           relocate<kShift>(_mm512_maskz_loadu_epi32(exists, units + done), exists, n, outside));
  return outside == 0;
}

struct Wide {
  __m512i first;
  __m512i count;
  __m512i base;
};

HEAPSPAN_AVX512_INLINE __m512i relocate_wide(__m512i slots, std::uint32_t bits, const Wide& w, __mmask8& outside) {
  constexpr auto kAll = static_cast<__mmask8>(-1);
  const auto marked = static_cast<__mmask8>(_pext_u32(bits, ~static_cast<std::uint32_t>(kSecondHalves)));
  const __mmask8 references = _mm512_mask_test_epi64_mask(marked, slots, slots);
  const __m512i distance = _mm512_sub_epi64(slots, w.first);
  outside = static_cast<__mmask8>(outside | _mm512_mask_cmpge_epu64_mask(references, distance, w.count));
  return _mm512_mask_add_epi64(slots, references, _mm512_maskz_slli_epi64(kAll, distance, kUnitShift), w.base);
}

HEAPSPAN_AVX512 bool copy_objects_wide(std::byte* to, const std::byte* from, const std::byte* bitmap,
                                       std::size_t size_bytes, const Relocation& r) {
  const Wide w = {_mm512_set1_epi64(static_cast<std::int64_t>(r.first_unit)),
                  _mm512_set1_epi64(static_cast<std::int64_t>(r.unit_count)),
                  _mm512_set1_epi64(static_cast<std::int64_t>(r.base))};
  __mmask8 outside = 0;
  std::uint64_t all_bits = 0;
  std::size_t done = 0;
  for (; done + kBytesPerWord <= size_bytes; done += kBytesPerWord) {
    auto bits = load<std::uint64_t>(bitmap + done / kBytesPerBitmapByte);
    all_bits |= bits;
    for (std::size_t i = done; i < done + kBytesPerWord; i += kVectorBytes, bits >>= kSlotsPerVector) {
      prefetch_for_writing(to + i + kPrefetchBytes);
      _mm512_storeu_si512(to + i,
                          relocate_wide(_mm512_loadu_si512(from + i), static_cast<std::uint16_t>(bits), w, outside));
    }
  }
  if (done < size_bytes) {
    auto bits = low_bits(load<std::uint64_t>(bitmap + done / kBytesPerBitmapByte), (size_bytes - done) / kSlotBytes);
    all_bits |= bits;
    for (; done < size_bytes; done += kVectorBytes, bits >>= kSlotsPerVector) {
      const auto lanes = static_cast<std::uint32_t>((size_bytes - done) / 8);
      const auto exists = static_cast<__mmask8>(_bzhi_u32(0xff, lanes));
      _mm512_mask_storeu_epi64(
          to + done, exists,
          relocate_wide(_mm512_maskz_loadu_epi64(exists, from + done), static_cast<std::uint16_t>(bits), w, outside));
    }
  }
  return outside == 0 && (all_bits & kSecondHalves) == 0;
}

template <UnitShift kShift>
constexpr RelocationKernels kNarrow = {copy_objects_narrow<kShift>, copy_roots_narrow<kShift>};

}  // namespace

RelocationKernels avx512_kernels(bool narrow_references, UnitShift shift) {
  if (!narrow_references) {
    return {copy_objects_wide, copy_roots_wide};
  }
  switch (shift) {
    case UnitShift::kNone:
      return kNarrow<UnitShift::kNone>;
    case UnitShift::kLeft:
      return kNarrow<UnitShift::kLeft>;
    default:
      return kNarrow<UnitShift::kRight>;
  }
}

}  // namespace heapspan::carving

#endif
