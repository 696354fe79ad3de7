#include "rdd/byte_planes.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "check.h"

// Batches on their way through a compressed shuffle: all bytes come back, whatever the header says.

namespace {

constexpr std::size_t kPieceBytes = 64 << 10;
constexpr std::uint64_t kSeed = 20220905;

using Bytes = std::vector<std::byte>;

struct BufferSize {
  std::uint64_t bytes;
  std::uint64_t number_bytes;
};

// A batch with such buffers, whose bytes are counted up.
Bytes batch_of(const std::vector<BufferSize>& buffers) {
  std::vector<std::uint64_t> words{7, buffers.size()};
  std::size_t size = (2 + buffers.size()) * 8;
  for (const BufferSize& buffer : buffers) {
    words.push_back(buffer.bytes | buffer.number_bytes << 56);
    size += (buffer.bytes + 7) / 8 * 8;
  }
  Bytes batch(size);
  for (std::size_t i = 0; i < size; i++) {
    batch[i] = static_cast<std::byte>(i * 31 >> 3);
  }
  std::memcpy(batch.data(), words.data(), words.size() * 8);
  return batch;
}

// What a shuffle has of a batch. Each piece is a block of its own, so that AddressSanitizer sees its ends.
std::vector<Bytes> pieces_of(const Bytes& batch) {
  std::vector<Bytes> pieces;
  for (std::size_t begin = 0; begin < batch.size(); begin += kPieceBytes) {
    Bytes piece(std::min(kPieceBytes, batch.size() - begin));
    heapspan::rdd::to_planes(batch.data(), batch.size(), begin, piece.size(), piece.data());
    pieces.push_back(piece);
  }
  return pieces;
}

Bytes read_back(const std::vector<Bytes>& pieces, std::size_t size) {
  Bytes batch(size);
  std::size_t begin = 0;
  for (const Bytes& piece : pieces) {
    heapspan::rdd::from_planes(batch.data(), size, begin, piece.size(), piece.data());
    begin += piece.size();
  }
  return batch;
}

void numbers_are_in_planes() {
  Bytes batch = batch_of({{5, 0}, {3 * 4, 4}, {2 * 8 + 3, 8}});
  const std::vector<Bytes> pieces = pieces_of(batch);
  CHECK(pieces.size() == 1);
  Bytes expected = batch;
  const std::size_t ints = 5 * 8 + 8;
  const std::size_t longs = ints + 16;
  for (std::size_t k = 0; k < 4; k++) {
    for (std::size_t i = 0; i < 3; i++) {
      expected[ints + k * 3 + i] = batch[ints + i * 4 + k];
    }
  }
  for (std::size_t k = 0; k < 8; k++) {
    for (std::size_t i = 0; i < 2; i++) {
      expected[longs + k * 2 + i] = batch[longs + i * 8 + k];
    }
  }
  CHECK(expected != batch);
  CHECK(pieces[0] == expected);
  CHECK(read_back(pieces, batch.size()) == batch);
}

void all_batches_come_back() {
  std::mt19937_64 random(kSeed);
  for (int round = 0; round < 300; round++) {
    std::vector<BufferSize> buffers;
    for (std::uint64_t i = random() % 5; i > 0; i--) {
      const std::uint64_t most = std::uint64_t{1} << random() % 19;
      buffers.push_back({random() % most, random() % 10});
    }
    const Bytes batch = batch_of(buffers);
    CHECK(read_back(pieces_of(batch), batch.size()) == batch);
  }
}

// Lengths beyond the end, any number of buffers, sizes that are no multiple of 8.
void damaged_batches_come_back() {
  std::mt19937_64 random(kSeed);
  for (int round = 0; round < 3000; round++) {
    Bytes batch = batch_of({{random() % 3000, 4}, {random() % 3000, 8}, {random() % 100000, 2}});
    batch.resize(random() % (batch.size() + 1));
    for (std::uint64_t flips = random() % 4; flips > 0 && !batch.empty(); flips--) {
      batch[random() % std::min<std::size_t>(batch.size(), 48)] = static_cast<std::byte>(random());
    }
    batch.shrink_to_fit();
    CHECK(read_back(pieces_of(batch), batch.size()) == batch);
  }
  Bytes many(kPieceBytes + 16);
  const std::uint64_t buffers = many.size() / 8 - 2;
  std::memcpy(many.data() + 8, &buffers, 8);
  CHECK(read_back(pieces_of(many), many.size()) == many);
}

// What comes from a network need not have been written by to_planes: any bytes make a batch of the same size.
void any_bytes_can_be_read() {
  std::mt19937_64 random(kSeed);
  for (int round = 0; round < 1000; round++) {
    Bytes bytes(random() % 300);
    std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<std::byte>(random() % 12); });
    if (bytes.size() >= 16) {
      const std::uint64_t buffers = random() % 6;
      std::memcpy(bytes.data() + 8, &buffers, 8);
    }
    Bytes read = read_back({bytes}, bytes.size());
    std::sort(read.begin(), read.end());
    std::sort(bytes.begin(), bytes.end());
    CHECK(read == bytes);
  }
}

}  // namespace

int main() {
  numbers_are_in_planes();
  all_batches_come_back();
  damaged_batches_come_back();
  any_bytes_can_be_read();
  return heapspan::testing::check_result("byte_planes_test");
}
