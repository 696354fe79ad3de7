#include "rdd/byte_planes.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace heapspan::rdd {
namespace {

constexpr std::size_t kWordBytes = 8;
constexpr unsigned kLengthBits = 56;

std::uint64_t word_at(const std::byte* bytes, std::size_t index) {
  std::uint64_t word;
  std::memcpy(&word, bytes + index * kWordBytes, kWordBytes);
  return word;
}

// 0 if there is none that could be taken for one.
std::size_t header_bytes(const std::byte* batch, std::size_t size) {
  if (size < 2 * kWordBytes || word_at(batch, 1) > kMostBuffers) {
    return 0;
  }
  const std::size_t bytes = (2 + static_cast<std::size_t>(word_at(batch, 1))) * kWordBytes;
  return bytes <= size ? bytes : 0;
}

// The compiler makes vector code of these loops. It is told that no result is read again.
template <std::size_t number_bytes>
void split(const std::byte* __restrict numbers, std::size_t count, std::byte* __restrict planes) {
#pragma GCC ivdep
  for (std::size_t i = 0; i < count; i++) {
    for (std::size_t k = 0; k < number_bytes; k++) {
      planes[k * count + i] = numbers[i * number_bytes + k];
    }
  }
}

template <std::size_t number_bytes>
void join(const std::byte* __restrict planes, std::size_t count, std::byte* __restrict numbers) {
#pragma GCC ivdep
  for (std::size_t i = 0; i < count; i++) {
    for (std::size_t k = 0; k < number_bytes; k++) {
      numbers[i * number_bytes + k] = planes[k * count + i];
    }
  }
}

struct Split {
  template <std::size_t number_bytes>
  static void run(const std::byte* from, std::size_t count, std::byte* to) {
    split<number_bytes>(from, count, to);
  }
};

struct Join {
  template <std::size_t number_bytes>
  static void run(const std::byte* from, std::size_t count, std::byte* to) {
    join<number_bytes>(from, count, to);
  }
};

// Bytes of a batch, from `begin` to `end`, on their way between the batch and a piece.
template <class Change>
class Piece {
 public:
  Piece(const std::byte* from, std::byte* to, std::size_t begin, std::size_t end)
      : from_(from), to_(to), begin_(begin), end_(end), done_(begin) {}

  // `header` is that of the batch, and has been checked.
  void copy(const std::byte* header, std::size_t batch_size) {
    std::size_t offset = header_bytes(header, batch_size);
    const std::size_t buffers = offset == 0 ? 0 : static_cast<std::size_t>(word_at(header, 1));
    for (std::size_t i = 0; i < buffers && offset < end_; i++) {
      const std::uint64_t word = word_at(header, 2 + i);
      const std::uint64_t length = word & ((std::uint64_t{1} << kLengthBits) - 1);
      if (length > batch_size - offset) {
        break;
      }
      const std::size_t buffer_end = offset + static_cast<std::size_t>(length);
      change(offset, buffer_end, static_cast<std::size_t>(word >> kLengthBits));
      offset = (buffer_end + kWordBytes - 1) / kWordBytes * kWordBytes;
    }
    copy_until(end_);
  }

 private:
  void change(std::size_t buffer_begin, std::size_t buffer_end, std::size_t number_bytes) {
    const std::size_t first = std::max(buffer_begin, begin_);
    const std::size_t last = std::min(buffer_end, end_);
    if (first >= last || (number_bytes != 2 && number_bytes != 4 && number_bytes != 8)) {
      return;
    }
    copy_until(first);
    const std::size_t count = (last - first) / number_bytes;
    const std::byte* const from = from_ + (first - begin_);
    std::byte* const to = to_ + (first - begin_);
    if (number_bytes == 2) {
      Change::template run<2>(from, count, to);
    } else if (number_bytes == 4) {
      Change::template run<4>(from, count, to);
    } else {
      Change::template run<8>(from, count, to);
    }
    done_ = first + count * number_bytes;
  }
  void copy_until(std::size_t place) {
    if (place > done_) {
      std::memcpy(to_ + (done_ - begin_), from_ + (done_ - begin_), place - done_);
      done_ = place;
    }
  }

  const std::byte* from_;
  std::byte* to_;
  std::size_t begin_;
  std::size_t end_;
  std::size_t done_;
};

}  // namespace

void to_planes(const std::byte* batch, std::size_t batch_size, std::size_t begin, std::size_t size, std::byte* target) {
  Piece<Split>(batch + begin, target, begin, begin + size).copy(batch, batch_size);
}

void from_planes(std::byte* batch, std::size_t batch_size, std::size_t begin, std::size_t size,
                 const std::byte* source) {
  // The header, which is as it is, begins the first piece.
  Piece<Join>(source, batch + begin, begin, begin + size).copy(begin == 0 ? source : batch, batch_size);
}

}  // namespace heapspan::rdd
