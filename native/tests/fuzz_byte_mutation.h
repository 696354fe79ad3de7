#pragma once

#include <cstdint>

namespace heapspan::testing {

// Of what LLVMFuzzerMutate does from now on.
void seed_byte_mutations(std::uint64_t seed);

}  // namespace heapspan::testing
