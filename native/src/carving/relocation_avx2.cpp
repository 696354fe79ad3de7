// The masked add of the raw encoding with AVX2: 8 slots an instruction, masks made of the bits by comparison.

#if defined(__x86_64__)

#include <immintrin.h>

#include "carving/relocation_paths.h"

#define HEAPSPAN_AVX2 __attribute__((target("avx2")))
#define HEAPSPAN_AVX2_INLINE HEAPSPAN_AVX2 __attribute__((always_inline)) inline

namespace heapspan::carving {
namespace {

using vm::load;

constexpr std::size_t kVectorBytes = 32;
constexpr std::size_t kSlotsPerVector = kVectorBytes / kSlotBytes;

HEAPSPAN_AVX2_INLINE __m256i load_vector(const std::byte* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}

HEAPSPAN_AVX2_INLINE void store_vector(std::byte* to, __m256i value) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), value);
}

HEAPSPAN_AVX2_INLINE std::size_t vectors_end(std::size_t size_bytes) { return size_bytes & ~(kVectorBytes - 1); }

struct Narrow {
  __m256i first;
  __m256i count;
  __m256i base;
  __m256i bit_of_lane;
  __m128i shift;
};

HEAPSPAN_AVX2_INLINE Narrow narrow(const Relocation& r) {
  return {_mm256_set1_epi32(static_cast<std::int32_t>(r.first_unit)),
          _mm256_set1_epi32(static_cast<std::int32_t>(r.unit_count)),
          _mm256_set1_epi32(static_cast<std::int32_t>(r.base)), _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128),
          _mm_cvtsi32_si128(unit_shift_bits(r.shift))};
}

template <UnitShift kShift>
HEAPSPAN_AVX2_INLINE __m256i relocate(__m256i slots, std::uint64_t bits, const Narrow& n, __m256i& outside) {
  const __m256i lanes = _mm256_and_si256(_mm256_set1_epi32(static_cast<std::int32_t>(bits)), n.bit_of_lane);
  const __m256i marked = _mm256_cmpeq_epi32(lanes, n.bit_of_lane);
  const __m256i references = _mm256_andnot_si256(_mm256_cmpeq_epi32(slots, _mm256_setzero_si256()), marked);
  __m256i distance = _mm256_sub_epi32(slots, n.first);
  // Unsigned distance >= count.
  const __m256i too_far = _mm256_cmpeq_epi32(_mm256_min_epu32(distance, n.count), n.count);
  outside = _mm256_or_si256(outside, _mm256_and_si256(too_far, references));
  if constexpr (kShift == UnitShift::kLeft) {
    distance = _mm256_sll_epi32(distance, n.shift);
  } else if constexpr (kShift == UnitShift::kRight) {
    distance = _mm256_srl_epi32(distance, n.shift);
  }
  return _mm256_blendv_epi8(slots, _mm256_add_epi32(distance, n.base), references);
}

template <UnitShift kShift>
HEAPSPAN_AVX2 bool copy_objects_narrow(std::byte* to, const std::byte* from, const std::byte* bitmap,
                                       std::size_t size_bytes, const Relocation& r) {
  const Narrow n = narrow(r);
  __m256i outside = _mm256_setzero_si256();
  bool in_range = true;
  std::size_t done = 0;
  for (; done + kBytesPerWord <= size_bytes; done += kBytesPerWord) {
    auto bits = load<std::uint64_t>(bitmap + done / kBytesPerBitmapByte);
    for (std::size_t i = done; i < done + kBytesPerWord; i += 2 * kVectorBytes, bits >>= 2 * kSlotsPerVector) {
      prefetch_for_writing(to + i + kPrefetchBytes);
      store_vector(to + i, relocate<kShift>(load_vector(from + i), bits, n, outside));
      store_vector(to + i + kVectorBytes,
                   relocate<kShift>(load_vector(from + i + kVectorBytes), bits >> kSlotsPerVector, n, outside));
    }
  }
  if (done < size_bytes) {
    auto bits = load<std::uint64_t>(bitmap + done / kBytesPerBitmapByte);
    for (; done < vectors_end(size_bytes); done += kVectorBytes, bits >>= kSlotsPerVector) {
      store_vector(to + done, relocate<kShift>(load_vector(from + done), bits, n, outside));
    }
    const std::size_t rest = size_bytes - done;
    std::memcpy(to + done, from + done, rest);
    in_range = relocate_narrow_word<kShift>(to + done, low_bits(bits, rest / kSlotBytes), r);
  }
  return in_range && _mm256_testz_si256(outside, outside) != 0;
}

template <UnitShift kShift>
HEAPSPAN_AVX2 bool copy_roots_narrow(std::byte* to, const std::byte* units, std::size_t count, const Relocation& r) {
  const Narrow n = narrow(r);
  const std::size_t size_bytes = count * kSlotBytes;
  __m256i outside = _mm256_setzero_si256();
  std::size_t done = 0;
  for (; done < vectors_end(size_bytes); done += kVectorBytes) {
    store_vector(to + done, relocate<kShift>(load_vector(units + done), ~0ULL, n, outside));
  }
  const std::size_t rest = size_bytes - done;
  std::memcpy(to + done, units + done, rest);
  const bool in_range = relocate_narrow_word<kShift>(to + done, low_bits(~0ULL, rest / kSlotBytes), r);
  return in_range && _mm256_testz_si256(outside, outside) != 0;
}

struct Wide {
  __m256i first;
  __m256i count;
  __m256i base;
  __m256i bit_of_lane;
};

// Only the sign bits of `outside` count.
HEAPSPAN_AVX2_INLINE __m256i relocate_wide(__m256i slots, std::uint64_t bits, const Wide& w, __m256i& outside) {
  const __m256i lanes = _mm256_and_si256(_mm256_set1_epi64x(static_cast<std::int64_t>(bits)), w.bit_of_lane);
  const __m256i marked = _mm256_cmpeq_epi64(lanes, w.bit_of_lane);
  const __m256i references = _mm256_andnot_si256(_mm256_cmpeq_epi64(slots, _mm256_setzero_si256()), marked);
  const __m256i distance = _mm256_sub_epi64(slots, w.first);
  // Signed distance < count with a distance that is not negative.
  const __m256i near = _mm256_andnot_si256(distance, _mm256_cmpgt_epi64(w.count, distance));
  outside = _mm256_or_si256(outside, _mm256_andnot_si256(near, references));
  return _mm256_blendv_epi8(slots, _mm256_add_epi64(_mm256_slli_epi64(distance, kUnitShift), w.base), references);
}

HEAPSPAN_AVX2 bool copy_objects_wide(std::byte* to, const std::byte* from, const std::byte* bitmap,
                                     std::size_t size_bytes, const Relocation& r) {
  const Wide w = {_mm256_set1_epi64x(static_cast<std::int64_t>(r.first_unit)),
                  _mm256_set1_epi64x(static_cast<std::int64_t>(r.unit_count)),
                  _mm256_set1_epi64x(static_cast<std::int64_t>(r.base)), _mm256_setr_epi64x(1, 4, 16, 64)};
  __m256i outside = _mm256_setzero_si256();
  std::uint64_t all_bits = 0;
  bool in_range = true;
  std::size_t done = 0;
  for (; done + kBytesPerWord <= size_bytes; done += kBytesPerWord) {
    auto bits = load<std::uint64_t>(bitmap + done / kBytesPerBitmapByte);
    all_bits |= bits;
    for (std::size_t i = done; i < done + kBytesPerWord; i += 2 * kVectorBytes, bits >>= 2 * kSlotsPerVector) {
      prefetch_for_writing(to + i + kPrefetchBytes);
      store_vector(to + i, relocate_wide(load_vector(from + i), bits, w, outside));
      store_vector(to + i + kVectorBytes,
                   relocate_wide(load_vector(from + i + kVectorBytes), bits >> kSlotsPerVector, w, outside));
    }
  }
  if (done < size_bytes) {
    auto bits = low_bits(load<std::uint64_t>(bitmap + done / kBytesPerBitmapByte), (size_bytes - done) / kSlotBytes);
    all_bits |= bits;
    for (; done < vectors_end(size_bytes); done += kVectorBytes, bits >>= kSlotsPerVector) {
      store_vector(to + done, relocate_wide(load_vector(from + done), bits, w, outside));
    }
    std::memcpy(to + done, from + done, size_bytes - done);
    in_range = relocate_wide_word(to + done, bits, r);
  }
  return in_range && (all_bits & kSecondHalves) == 0 && _mm256_movemask_pd(_mm256_castsi256_pd(outside)) == 0;
}

template <UnitShift kShift>
constexpr RelocationKernels kNarrow = {copy_objects_narrow<kShift>, copy_roots_narrow<kShift>};

}  // namespace

RelocationKernels avx2_kernels(bool narrow_references, UnitShift shift) {
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
