#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace heapspan::vm {

// Loads and stores of any alignment; the compiler makes each of them one instruction.
template <typename T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <typename T>
void store(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

inline std::byte* at_address(std::uint64_t address) { return reinterpret_cast<std::byte*>(address); }

inline std::uint64_t address_of(const std::byte* place) { return reinterpret_cast<std::uint64_t>(place); }

}  // namespace heapspan::vm
