#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

namespace heapspan::detail {

// A growing array of plain values, or a window on memory that somebody else owns. Never initializes what it does not
// need.
template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() {
    if (capacity_ != 0) {
      std::free(data_);
    }
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  T& back() { return data_[size_ - 1]; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }

  // Bytes that are allocated, for the accounting of memory.
  size_t allocated_bytes() const { return capacity_ * sizeof(T); }

  void push(const T& value) {
    if (size_ >= capacity_) [[unlikely]] {
      T copy = value;
      grow(size_ + 1);
      data_[size_++] = copy;
      return;
    }
    data_[size_++] = value;
  }
  void append(const T* values, size_t count) {
    if (count == 0) {
      return;
    }
    if (size_ + count > capacity_) [[unlikely]] {
      grow(size_ + count);
    }
    std::memcpy(data_ + size_, values, count * sizeof(T));
    size_ += count;
  }
  // `count` values for the caller to fill.
  T* extend(size_t count) {
    if (size_ + count > capacity_) [[unlikely]] {
      grow(size_ + count);
    }
    size_ += count;
    return data_ + size_ - count;
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
      grow(count);
    }
  }
  void clear() { size_ = 0; }
  void borrow(const T* values, size_t count) {
    *this = Buffer();
    data_ = const_cast<T*>(values);  // NOLINT: a window is only read, because its capacity is 0
    size_ = count;
  }
  // Gives the memory away; the caller frees it.
  T* release() {
    size_ = 0;
    capacity_ = 0;
    return std::exchange(data_, nullptr);
  }

 private:
  [[gnu::noinline]] void grow(size_t wanted) {
    size_t capacity = capacity_ == 0 ? 16 : capacity_ * 2;
    if (capacity < wanted) {
      capacity = wanted;
    }
    void* memory = std::realloc(capacity_ == 0 ? nullptr : static_cast<void*>(data_), capacity * sizeof(T));
    if (memory == nullptr) {
      throw std::bad_alloc();
    }
    if (capacity_ == 0 && size_ != 0) {
      std::memcpy(memory, data_, size_ * sizeof(T));
    }
    data_ = static_cast<T*>(memory);
    capacity_ = capacity;
  }

  T* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace heapspan::detail
