#pragma once

#include "carving_fuzz_input.h"
#include "fuzz_random.h"

namespace heapspan::testing {

// A request that must be carved, and gives a sound heap.
FuzzInput generate_input(RandomNumbers& numbers);

}  // namespace heapspan::testing
