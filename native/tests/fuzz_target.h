#pragma once

#include <cstddef>
#include <cstdint>

// What libFuzzer and fuzz_driver.cpp expect of a fuzz target, and what they offer it. The names are libFuzzer's.

extern "C" {

// Before the first input.
int LLVMFuzzerInitialize(int* argc, char*** argv);

// Aborts, or is stopped by a sanitizer, if something is wrong.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

// Changes an input in place; makes a valid one of an empty one. Returns the new size.
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned int seed);

// Offered by the driver: a mutation that knows nothing of what the bytes mean.
std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

}  // extern "C"
