#pragma once

#include <algorithm>
#include <vector>

#include "layout.h"

// What the code of a stage sees of its task: input batches, memory, spills, output.

namespace heapspan::detail {

// An accumulator in one task: what was added here, until the task is done.
struct AccumulatorCell {
  int64_t accumulator;
  heapspan_number sum;
};

class Task {
 public:
  explicit Task(const heapspan_task* host) : host_(host) {}
  Task(const Task&) = delete;
  HEAPSPAN_ONCE ~Task();

  int32_t partition() const { return host_->partition; }
  int32_t input_count() const { return host_->input_count; }
  int32_t output_partitions() const { return host_->output_partitions; }
  heapspan_bytes captures() const { return host_->captures; }
  uint64_t free_storage_bytes() const { return host_->free_storage_bytes; }
  const heapspan_task& host() const { return *host_; }

  [[gnu::noinline]] void fail_if_cancelled() const {
    if (host_->is_cancelled(host_->self) != 0) {
      throw HostFailed();
    }
  }

  HEAPSPAN_ONCE void emit(BatchMemory memory);
  // Gives away bytes that are no batch of columns: text or records to be saved.
  void emit_bytes(Buffer<char> bytes) {
    uint64_t size = bytes.size();
    emitted_ = true;
    emitted_bytes_ += size;
    check(host_->emit_batch(host_->self, bytes.release(), size));
  }
  // Whether a batch was given away since the last call.
  bool take_emitted() {
    emitted_bytes_ = 0;
    return std::exchange(emitted_, false);
  }
  // Whether a stage should end its call, because nobody takes what it emits before that: asked by operators that may
  // make much of few rows.
  bool has_emitted_much() const { return emitted_bytes_ >= much_bytes; }

  void write_map_output(int32_t partition, const BatchMemory& memory) {
    check(host_->write_map_output(host_->self, partition, {memory.data(), memory.size() * sizeof(uint64_t)}));
  }

  HEAPSPAN_ONCE AccumulatorCell* cell(int64_t accumulator, heapspan_number zero);
  // Reports what was added, once the work of the task is done.
  HEAPSPAN_ONCE void report_accumulators();

 private:
  const heapspan_task* host_;
  static constexpr uint64_t much_bytes = 4 << 20;
  bool emitted_ = false;
  uint64_t emitted_bytes_ = 0;
  std::vector<std::unique_ptr<AccumulatorCell>> cells_;
};

// A batch that the host lends.
class InputBatch {
 public:
  InputBatch() = default;
  InputBatch(InputBatch&& other) noexcept : task_(std::exchange(other.task_, nullptr)), batch_(other.batch_) {}
  InputBatch& operator=(InputBatch&& other) noexcept {
    std::swap(task_, other.task_);
    std::swap(batch_, other.batch_);
    return *this;
  }
  ~InputBatch() { release(); }

  // False at the end of the input.
  HEAPSPAN_ONCE bool next(Task& task, int32_t input);
  HEAPSPAN_ONCE void release();
  const void* data() const { return batch_.data; }
  size_t size() const { return batch_.size; }

 private:
  Task* task_ = nullptr;
  heapspan_batch batch_ = {};
};

// Memory that one operator holds. A small part is not asked for, so that each operator can hold a few records.
class Reservation {
 public:
  static constexpr size_t free_bytes = 256 << 10;

  explicit Reservation(Task& task) : task_(&task) {}
  Reservation(const Reservation&) = delete;
  ~Reservation() { release(); }

  // True if the operator may now hold this much in all.
  HEAPSPAN_ONCE bool ensure(size_t bytes);
  HEAPSPAN_ONCE void release();

 private:
  Task* task_;
  size_t held_ = 0;
};

// A file of the host for data that does not fit in memory: written once, then read once.
class Spill {
 public:
  HEAPSPAN_ONCE explicit Spill(Task& task);
  Spill(Spill&& other) noexcept : task_(std::exchange(other.task_, nullptr)), id_(other.id_), left_(other.left_) {}
  Spill& operator=(Spill&& other) noexcept {
    std::swap(task_, other.task_);
    std::swap(id_, other.id_);
    std::swap(left_, other.left_);
    return *this;
  }
  HEAPSPAN_ONCE ~Spill();

  // Appends a batch, after its length.
  HEAPSPAN_ONCE void write(const BatchMemory& memory);
  // Reads the next batch; false at the end.
  HEAPSPAN_ONCE bool read(BatchMemory& memory);
  bool empty() const { return left_ == 0; }

 private:
  void write_block(const void* data, size_t size) {
    check(task_->host().spill_write(task_->host().self, id_, {data, size}));
    left_ += size;
  }
  void read_block(void* data, size_t size) {
    if (size > left_) {
      fail("a spill is damaged: it ends too early");
    }
    check(task_->host().spill_read(task_->host().self, id_, data, size));
    left_ -= size;
  }

  Task* task_;
  int64_t id_ = 0;
  // Bytes that were written and not read yet.
  uint64_t left_ = 0;
};

// How far memory may grow until the operator that holds it looks at it again.
inline constexpr size_t growth_bytes = 64 << 10;

// Collects elements in a column and gives them away as batches of about batch_target_bytes.
template <class T>
class Emitter {
 public:
  template <class Value>
  void push(Task& task, const Value& value) {
    column_.push(value);
    if (column_.bytes() >= batch_target_bytes || column_.size() >= most_rows) [[unlikely]] {
      flush(task);
    }
  }
  [[gnu::noinline]] void flush(Task& task) {
    if (column_.size() != 0) {
      task.emit(write_batch(column_));
      column_.clear();
    }
  }

 private:
  // For elements that take no bytes.
  static constexpr size_t most_rows = 1 << 22;

  Column<T> column_;
};

}  // namespace heapspan::detail
