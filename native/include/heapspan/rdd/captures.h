#pragma once

#include "task.h"

// How the captures of kernels travel: each as a batch of one row, in the order of the fused operators.

namespace heapspan::detail {

class CaptureWriter;
class CaptureReader;

// A value that brings its own way to travel: a broadcast or an accumulator.
template <class T>
concept TravelsItself = requires(T& value, CaptureWriter& writer, CaptureReader& reader) {
  value.write_capture(writer);
  value.read_capture(reader);
};

// A part of a stage that has captures of its own, such as a fused operator.
template <class T, class Archive>
concept HasCaptures = requires(T& part, Archive& archive) { part.captures(archive); };

template <class T>
BatchMemory write_value(const T& value) {
  Column<T> column;
  column.push(value);
  return write_batch(column);
}

template <class T>
T read_value(const void* data, size_t size) {
  Column<T> column;
  read_batch(column, data, size);
  if (column.size() != 1) {
    BatchReader::damaged();
  }
  return own<T>(column[0]);
}

class CaptureWriter {
 public:
  template <class T>
  void operator()(T& part) {
    if constexpr (HasCaptures<T, CaptureWriter>) {
      part.captures(*this);
    } else if constexpr (TravelsItself<T>) {
      part.write_capture(*this);
    } else {
      BatchMemory memory = write_value(part);
      words_.push(memory.size());
      words_.append(memory.data(), memory.size());
    }
  }
  heapspan_bytes bytes() const { return {words_.data(), words_.size() * sizeof(uint64_t)}; }

 private:
  Buffer<uint64_t> words_;
};

class CaptureReader {
 public:
  explicit CaptureReader(Task& task)
      : task_(&task),
        next_(static_cast<const uint64_t*>(task.captures().data)),
        left_(task.captures().size / sizeof(uint64_t)) {}

  template <class T>
  void operator()(T& part) {
    if constexpr (HasCaptures<T, CaptureReader>) {
      part.captures(*this);
    } else if constexpr (TravelsItself<T>) {
      part.read_capture(*this);
    } else {
      if (left_ == 0 || *next_ > left_ - 1) {
        BatchReader::damaged();
      }
      uint64_t words = *next_;
      part = read_value<T>(next_ + 1, words * sizeof(uint64_t));
      next_ += 1 + words;
      left_ -= 1 + words;
    }
  }
  Task& task() { return *task_; }

 private:
  Task* task_;
  const uint64_t* next_;
  uint64_t left_;
};

}  // namespace heapspan::detail
