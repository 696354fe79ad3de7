#pragma once

#include "carving_fuzz_input.h"
#include "fuzz_random.h"

namespace heapspan::testing {

// One change of a request or an image, made where it may matter: next to a limit, in a header, in one of several
// numbers that must agree.
void mutate_input(FuzzInput& input, RandomNumbers& numbers);

}  // namespace heapspan::testing
