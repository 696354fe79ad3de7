#include "carving_fuzz_input.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "carving_fuzz_layout.h"

namespace heapspan::testing {
namespace {

constexpr std::size_t kChoices = 16;

class Reader {
 public:
  Reader(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}

  template <typename T>
  T next() {
    T value = {};
    const std::size_t count = std::min(left_, sizeof value);
    if (count != 0) {
      std::memcpy(&value, data_, count);
    }
    data_ += count;
    left_ -= count;
    return value;
  }

  template <typename T>
  std::vector<T> next(std::size_t count) {
    std::vector<T> values(count);
    for (T& value : values) {
      value = next<T>();
    }
    return values;
  }

  std::vector<std::byte> rest(std::size_t limit) {
    const auto* const begin = reinterpret_cast<const std::byte*>(data_);
    return {begin, begin + std::min(left_, limit)};
  }

 private:
  const std::uint8_t* data_;
  std::size_t left_;
};

class Writer {
 public:
  template <typename T>
  void put(const T& value) {
    const auto* const begin = reinterpret_cast<const std::uint8_t*>(&value);
    bytes_.insert(bytes_.end(), begin, begin + sizeof value);
  }

  template <typename T>
  void put_all(const std::vector<T>& values) {
    const auto* const begin = reinterpret_cast<const std::uint8_t*>(values.data());
    bytes_.insert(bytes_.end(), begin, begin + sizeof(T) * values.size());
  }

  std::vector<std::uint8_t> take() { return std::move(bytes_); }

 private:
  std::vector<std::uint8_t> bytes_;
};

template <typename Choice>
Choice choice(std::uint8_t byte, Choice last) {
  return byte <= last ? static_cast<Choice>(byte) : Choice{};
}

}  // namespace

std::uint64_t FuzzInput::readable_image_bytes() const {
  return image_place == kImageAtAddress ? std::min<std::uint64_t>(image_limit_bytes, image.size()) : image.size();
}

std::uint64_t FuzzInput::class_table_capacity() const {
  return std::max(std::uint64_t{1} << log2_class_table_capacity,
                  std::max<std::uint64_t>(4, std::bit_ceil(2 * pairs.size())));
}

FuzzInput read_input(const std::uint8_t* data, std::size_t size) {
  Reader reader(data, size);
  std::uint8_t choices[kChoices];
  for (std::uint8_t& each : choices) {
    each = reader.next<std::uint8_t>();
  }
  FuzzInput input;
  input.layout = choices[0] % FuzzLayout::kCount;
  input.image_place = choice(choices[1], FuzzInput::kNoImage);
  input.constants_place = choice(choices[2], FuzzInput::kNoConstants);
  input.young = choice(choices[3], FuzzInput::kNowhere);
  input.door = choice(choices[4], FuzzInput::kCopiedArray);
  input.target_kind = choice(choices[5], FuzzInput::kNoTarget);
  input.image_skew_bytes = choices[6] % 64;
  input.target_skew = choices[7] % 8;
  input.log2_class_table_capacity = choices[8] % 8;
  const std::size_t piece_count = std::min<std::size_t>(choices[9], FuzzInput::kMaxPieces);
  const std::size_t pair_count = std::min<std::size_t>(choices[10], FuzzInput::kMaxPairs);
  input.constant_count = std::min<std::uint32_t>(choices[11], FuzzInput::kMaxConstants);
  input.array_length = std::min(reader.next<std::uint64_t>(), FuzzInput::kMaxArrayLength);
  input.target_length = reader.next<std::uint64_t>();
  input.first_unit = reader.next<std::uint64_t>();
  input.image_limit_bytes = reader.next<std::uint64_t>();
  input.pieces = reader.next<carving::CarvePiece>(piece_count);
  input.pairs = reader.next<ClassPair>(pair_count);
  input.image = reader.rest(FuzzInput::kMaxImageBytes);
  return input;
}

std::vector<std::uint8_t> write_input(const FuzzInput& input) {
  const std::uint8_t choices[kChoices] = {static_cast<std::uint8_t>(input.layout),
                                          input.image_place,
                                          input.constants_place,
                                          input.young,
                                          input.door,
                                          input.target_kind,
                                          static_cast<std::uint8_t>(input.image_skew_bytes),
                                          static_cast<std::uint8_t>(input.target_skew),
                                          static_cast<std::uint8_t>(input.log2_class_table_capacity),
                                          static_cast<std::uint8_t>(input.pieces.size()),
                                          static_cast<std::uint8_t>(input.pairs.size()),
                                          static_cast<std::uint8_t>(input.constant_count)};
  Writer writer;
  writer.put(choices);
  writer.put(input.array_length);
  writer.put(input.target_length);
  writer.put(input.first_unit);
  writer.put(input.image_limit_bytes);
  writer.put_all(input.pieces);
  writer.put_all(input.pairs);
  writer.put_all(input.image);
  return writer.take();
}

}  // namespace heapspan::testing
