#include "fuzz_byte_mutation.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "fuzz_random.h"
#include "fuzz_target.h"

namespace {

using heapspan::testing::RandomNumbers;

RandomNumbers byte_numbers(0);

constexpr std::uint64_t kInterestingNumbers[] = {
    0,          1,          2,          7,          8,          15,         16,         31,     32,      63,
    64,         127,        128,        255,        256,        0x7fff,     0x8000,     0xffff, 0x10000, 4096,
    0x7fffffff, 0x80000000, 0xffffffff, 1ULL << 32, 1ULL << 47, 1ULL << 61, 1ULL << 63, ~0ULL,  ~7ULL,   ~15ULL};

struct Field {
  std::uint8_t* place;
  std::size_t bytes;

  std::uint64_t value() const {
    std::uint64_t number = 0;
    std::memcpy(&number, place, bytes);
    return number;
  }
  void set(std::uint64_t number) const { std::memcpy(place, &number, bytes); }
};

// 1, 2, 4 or 8 bytes at any place where they are.
Field any_field(std::uint8_t* data, std::size_t size, RandomNumbers& numbers) {
  std::size_t bytes = std::size_t{1} << numbers.below(4);
  while (bytes > size) {
    bytes /= 2;
  }
  return {data + numbers.below(size - bytes + 1), bytes};
}

std::size_t remove_bytes(std::uint8_t* data, std::size_t size, RandomNumbers& numbers) {
  const std::size_t count = 1 + numbers.below(std::min<std::size_t>(size, 64));
  const std::size_t at = numbers.below(size - count + 1);
  std::memmove(data + at, data + at + count, size - at - count);
  return size - count;
}

std::size_t insert_bytes(std::uint8_t* data, std::size_t size, std::size_t max_size, RandomNumbers& numbers) {
  const std::size_t count = std::min<std::size_t>(1 + numbers.below(64), max_size - size);
  const std::size_t at = numbers.below(size + 1);
  std::memmove(data + at + count, data + at, size - at);
  const bool random = numbers.one_in(2);
  for (std::size_t i = 0; i < count; i++) {
    data[at + i] = random ? static_cast<std::uint8_t>(numbers.next()) : 0;
  }
  return size + count;
}

// A range of bytes to another place.
void copy_bytes(std::uint8_t* data, std::size_t size, RandomNumbers& numbers) {
  const std::size_t count = 1 + numbers.below(std::min<std::size_t>(size, 64));
  std::memmove(data + numbers.below(size - count + 1), data + numbers.below(size - count + 1), count);
}

}  // namespace

void heapspan::testing::seed_byte_mutations(std::uint64_t seed) { byte_numbers = RandomNumbers(seed); }

std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size) {
  RandomNumbers& numbers = byte_numbers;
  if (size == 0) {
    return insert_bytes(data, size, max_size, numbers);
  }
  const Field field = any_field(data, size, numbers);
  switch (numbers.below(8)) {
    case 0:
      field.set(field.value() ^ 1ULL << numbers.below(8 * field.bytes));
      return size;
    case 1:
      field.set(numbers.next());
      return size;
    case 2:
    case 3:
      field.set(field.value() + numbers.below(65) - 32);
      return size;
    case 4:
      field.set(numbers.one_of(kInterestingNumbers));
      return size;
    case 5:
      copy_bytes(data, size, numbers);
      return size;
    case 6:
      return remove_bytes(data, size, numbers);
    default:
      return insert_bytes(data, size, max_size, numbers);
  }
}
