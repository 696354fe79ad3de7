#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "carving/decline.h"
#include "carving_fuzz_heap.h"
#include "carving_fuzz_input.h"
#include "carving_fuzz_layout.h"

namespace heapspan::testing {

// What must come out of a request.
struct Expectation {
  // A bit for each Decline that fits; none if the request must be carved.
  std::uint32_t reasons = 0;
  // The target afterwards, if it must be carved.
  std::vector<std::byte> target;
  // Whether the image is one that a writer could have written: whole objects of known classes, units at their
  // beginnings and only in slots of references. The carver does not check it (docs/decisions/0006-direct-engine.md,
  // Trust), and promises a sound heap only then.
  bool is_sound = false;

  bool allows(carving::Decline decline) const { return (reasons >> static_cast<int>(decline) & 1) != 0; }
};

// Carves one slot after the other, without regard to speed.
Expectation expect(const FuzzInput& input, const FuzzLayout& layout, const FuzzHeap& heap);

// What is wrong with what was carved; null if nothing is. Objects are always whole where class words were rewritten;
// all references lead to them or to constants if the image was sound.
const char* fault_of_target(const FuzzInput& input, const FuzzLayout& layout, const FuzzHeap& heap, bool is_sound);

}  // namespace heapspan::testing
