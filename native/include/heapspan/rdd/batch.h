#pragma once

#include <array>
#include <memory>
#include <vector>

#include "buffer.h"
#include "error.h"

// Batches: how the buffers of a column lie in one range of memory. All numbers are in the byte order of the machine.
//
//   offset 0   u64 number of rows
//   offset 8   u64 number of buffers n
//   offset 16  n times u64: the length of each buffer in bytes; in the highest byte, how many bytes each number in the
//              buffer has, if that is 2, 4 or 8 (for compression only; else 0)
//   then       the buffers, each at the next multiple of 8, filled up with zeros

namespace heapspan::detail {

// Memory of one batch, ready to be given away.
using BatchMemory = Buffer<uint64_t>;

// For the paper's comparison (Chukonu, section 6.3, strawman A): programs that are compiled with HEAPSPAN_BY_ELEMENT
// have no fused operators and no compact batches. Each operator is a stage, and each element passes through the host
// alone.
#ifdef HEAPSPAN_BY_ELEMENT
inline constexpr bool by_element = true;
#else
inline constexpr bool by_element = false;
#endif

inline constexpr size_t batch_target_bytes = by_element ? 1 : 1 << 20;

inline size_t aligned(size_t bytes) { return (bytes + 7) & ~size_t{7}; }

inline constexpr unsigned length_bits = 56;

// The numbers that a buffer of T has, as the header of a batch says.
template <class T>
inline constexpr uint64_t number_bytes =
    (std::is_arithmetic_v<T> || std::is_enum_v<T>) && (sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8) ? sizeof(T)
                                                                                                           : 0;
template <class T, size_t n>
inline constexpr uint64_t number_bytes<std::array<T, n>> = number_bytes<T>;

class BatchWriter {
 public:
  template <class T>
  void add(const Buffer<T>& buffer) {
    add_part(buffer.untyped_data(), buffer.size() * sizeof(T), number_bytes<T>);
  }
  void add_bits(const Buffer<uint64_t>& words) { add_part(words.data(), words.size() * sizeof(uint64_t), 0); }

  // A buffer of one number, which must live until the end.
  void add_number(const uint64_t& number) { add_part(&number, sizeof(number), number_bytes<uint64_t>); }

  HEAPSPAN_ONCE BatchMemory finish(size_t rows);

 private:
  struct Part {
    const void* data;
    size_t size;
    uint64_t number_bytes;
  };
  HEAPSPAN_ONCE void add_part(const void* data, size_t size, uint64_t number_bytes);

  std::vector<Part> parts_;
};

// Gives out the buffers of a batch one by one, without copies. Trusts no length.
class BatchReader {
 public:
  HEAPSPAN_ONCE BatchReader(const void* data, size_t size);
  size_t rows() const { return rows_; }
  size_t buffers() const { return count_; }

  template <class T>
  void take(Buffer<T>& buffer, size_t expected) {
    static_assert(alignof(T) <= 8);
    take(buffer, sizeof(T), expected);
  }
  template <class T>
  void take_any(Buffer<T>& buffer) {
    static_assert(alignof(T) <= 8);
    take_any(buffer, sizeof(T));
  }
  uint64_t take_number() {
    Buffer<uint64_t> buffer;
    take(buffer, 1);
    return buffer[0];
  }
  void finish() const {
    if (position_ != count_ || next_ != end_) {
      damaged();
    }
  }

  [[noreturn, gnu::cold]] HEAPSPAN_ONCE static void damaged();

 private:
  HEAPSPAN_ONCE void take(UntypedBuffer& buffer, size_t value_bytes, size_t expected);
  HEAPSPAN_ONCE void take_any(UntypedBuffer& buffer, size_t value_bytes);

  uint64_t rows_ = 0;
  uint64_t count_ = 0;
  uint64_t position_ = 0;
  const uint64_t* lengths_ = nullptr;
  const uint64_t* next_ = nullptr;
  const uint64_t* end_ = nullptr;
};

template <class Column>
[[gnu::noinline]] BatchMemory write_batch(const Column& column) {
  BatchWriter writer;
  column.write(writer);
  return writer.finish(column.size());
}

// The column shows the memory of the batch, which must live as long.
template <class Column>
[[gnu::noinline]] void read_batch(Column& column, const void* data, size_t size) {
  BatchReader reader(data, size);
  column.read(reader, reader.rows());
  reader.finish();
}

}  // namespace heapspan::detail
