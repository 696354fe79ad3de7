#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "error.h"

namespace heapspan::detail {

// Makes a value new, and frees what it held. Takes less code than an assignment, which may keep something.
template <class T>
void renew(T& value) {
  static_assert(std::is_nothrow_default_constructible_v<T>);
  std::destroy_at(&value);
  std::construct_at(&value);
}

// So many values as it is made with.
template <class T>
class FixedArray {
 public:
  explicit FixedArray(size_t size) : values_(new T[size]()), size_(size) {}
  FixedArray(const FixedArray&) = delete;
  ~FixedArray() { delete[] values_; }
  size_t size() const { return size_; }
  T& operator[](size_t i) { return values_[i]; }

 private:
  T* values_;
  size_t size_;
};

// The part of a buffer that does not depend on the type of its values.
class UntypedBuffer {
 public:
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const void* untyped_data() const { return data_; }
  void clear() { size_ = 0; }
  // Frees the memory, and shows `count` values that somebody else owns.
  HEAPSPAN_ONCE void borrow(const void* values, size_t count);

 protected:
  UntypedBuffer() = default;
  UntypedBuffer(UntypedBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  UntypedBuffer& operator=(UntypedBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  UntypedBuffer(const UntypedBuffer&) = delete;
  UntypedBuffer& operator=(const UntypedBuffer&) = delete;
  HEAPSPAN_ONCE ~UntypedBuffer();

  // At least twice the capacity.
  HEAPSPAN_ONCE void grow(size_t wanted, size_t value_bytes);

  void* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

// A growing array of plain values, or a window on memory that somebody else owns. Never initializes what it does not
// need.
template <class T>
class Buffer : public UntypedBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;

  T* data() { return static_cast<T*>(data_); }
  const T* data() const { return static_cast<const T*>(data_); }
  T& operator[](size_t i) { return data()[i]; }
  const T& operator[](size_t i) const { return data()[i]; }
  T& back() { return data()[size_ - 1]; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }

  // Bytes that are allocated, for the accounting of memory.
  size_t allocated_bytes() const { return capacity_ * sizeof(T); }

  void push(const T& value) {
    if (size_ >= capacity_) [[unlikely]] {
      push_to_full(value);
      return;
    }
    data()[size_++] = value;
  }
  void append(const T* values, size_t count) {
    if (count != 0) {
      std::memcpy(extend(count), values, count * sizeof(T));
    }
  }
  // `count` values for the caller to fill.
  T* extend(size_t count) {
    if (size_ + count > capacity_) [[unlikely]] {
      grow(size_ + count, sizeof(T));
    }
    size_ += count;
    return data() + size_ - count;
  }
  void assign(size_t count, const T& value) {
    size_ = 0;
    T* values = extend(count);
    for (size_t i = 0; i < count; i++) {
      values[i] = value;
    }
  }
  void reserve(size_t count) {
    if (count > capacity_) {
      grow(count, sizeof(T));
    }
  }
  // Gives the memory away; the caller frees it.
  T* release() {
    size_ = 0;
    capacity_ = 0;
    return static_cast<T*>(std::exchange(data_, nullptr));
  }

 private:
  // By value where that is as fast, since values whose addresses are taken are not kept in registers.
  using Pushed = std::conditional_t<sizeof(T) <= 2 * sizeof(void*), T, const T&>;

  // The value may be an element of this buffer.
  [[gnu::noinline]] void push_to_full(Pushed value) {
    T copy = value;
    grow(size_ + 1, sizeof(T));
    data()[size_++] = copy;
  }
};

}  // namespace heapspan::detail
