#pragma once

#include <cstdint>

namespace heapspan::carving {

// Why no objects were carved; numbers as org.heapspan.vm.Decline knows them. The target is then still an array of
// numbers, whatever they are.
enum class Decline : std::int64_t {
  kNone = 0,
  kNotEden = 1,
  kTooLarge = 2,
  kCollectorBusy = 3,
  kCopiedArray = 4,
  kMalformed = 5,
  kUnknownClass = 6,
  kWrongTarget = 7,
};

}  // namespace heapspan::carving
