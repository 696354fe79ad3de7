#pragma once

#include <cstddef>
#include <cstdint>

namespace heapspan::testing {

// SplitMix64. Each mutation begins with a seed of its own, and to seed std::mt19937_64 takes longer than to carve.
class RandomNumbers {
 public:
  explicit RandomNumbers(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t mixed = (state_ ^ state_ >> 30) * 0xbf58476d1ce4e5b9ULL;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebULL;
    return mixed ^ mixed >> 31;
  }

  // From 0 to limit - 1; 0 if there is none.
  std::uint64_t below(std::uint64_t limit) { return limit == 0 ? 0 : next() % limit; }

  bool one_in(std::uint64_t count) { return below(count) == 0; }

  template <typename T, std::size_t kCount>
  T one_of(const T (&choices)[kCount]) {
    return choices[below(kCount)];
  }

 private:
  std::uint64_t state_;
};

}  // namespace heapspan::testing
