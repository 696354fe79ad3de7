#pragma once

#include "scan.h"

// The map side of a shuffle: elements in, batches for each partition out.

namespace heapspan::detail {

// The part that does not depend on the type of the elements: batches, and what was spilled.
class BatchOutput {
 public:
  HEAPSPAN_ONCE explicit BatchOutput(Task& task);
  HEAPSPAN_ONCE ~BatchOutput();

  HEAPSPAN_ONCE void add(size_t partition, BatchMemory batch);
  // Whether all that is held, here and in columns, is still within memory.
  HEAPSPAN_ONCE bool ensure(size_t column_bytes);
  // Spills all batches.
  HEAPSPAN_ONCE void spill();
  // Writes everything to the host, in the order of the partitions.
  HEAPSPAN_ONCE void finish();

 private:
  static constexpr size_t least_part_bytes = 4096;
  struct SpilledRun {
    Spill spill;
    // The partition of each batch.
    std::vector<size_t> partitions;
    size_t next = 0;
  };

  Task* task_;
  Reservation memory_;
  std::vector<std::vector<BatchMemory>> batches_;
  std::vector<SpilledRun> runs_;
  size_t held_bytes_ = 0;
  // Less is never spilled, so that a spill has more than a few rows for each partition.
  size_t least_bytes_;
};

// Elements of type T. In a stage that is no map side there is one partition, whose batches are emitted.
template <class T>
class MapOutput {
 public:
  explicit MapOutput(Task& task)
      : task_(&task), batches_(task), columns_(static_cast<size_t>(std::max(task.output_partitions(), 1))) {}

  template <class Value>
  void push(int32_t partition, const Value& value) {
    Part& part = columns_[static_cast<size_t>(partition)];
    part.column.push(value);
    if (part.column.bytes() >= part.next_account_bytes) [[unlikely]] {
      account(static_cast<size_t>(partition));
    }
  }
  void finish() {
    write_columns();
    batches_.finish();
  }

 private:
  struct Part {
    Column<T> column;
    size_t accounted_bytes = 0;
    // The contents at which the memory of the column is looked at again.
    size_t next_account_bytes = 1;
  };

  [[gnu::noinline]] void account(size_t number) {
    Part& part = columns_[number];
    if (part.column.bytes() >= batch_target_bytes) {
      // Keeps the memory of the column, for the next rows.
      give(number, part.column);
      part.column.clear();
    }
    part.next_account_bytes = part.column.bytes() + part.column.bytes() / 4 + (by_element ? 1 : 1024);
    size_t bytes = part.column.allocated_bytes();
    column_bytes_ += bytes - part.accounted_bytes;
    part.accounted_bytes = bytes;
    if (task_->output_partitions() != 0 && !batches_.ensure(column_bytes_)) {
      write_columns();
      batches_.spill();
    }
  }
  void give(size_t number, const Column<T>& column) {
    if (task_->output_partitions() == 0) {
      task_->emit(write_batch(column));
    } else {
      batches_.add(number, write_batch(column));
    }
  }
  void write_columns() {
    for (size_t i = 0; i < columns_.size(); i++) {
      Part part = std::exchange(columns_[i], Part());
      if (part.column.size() != 0) {
        give(i, part.column);
      }
    }
    column_bytes_ = 0;
  }

  Task* task_;
  BatchOutput batches_;
  std::vector<Part> columns_;
  size_t column_bytes_ = 0;
};

// Sends each element to the partition that the chooser names.
template <class Scan, class Chooser>
struct PartitionBody {
  using Element = owned_t<typename Scan::Element>;
  Scan scan;
  Chooser chooser;

  struct State {
    State(const PartitionBody& body, Task& task)
        : scan(body.scan, task, 0), output(task), chooser(body.chooser, task) {}
    typename Scan::State scan;
    MapOutput<Element> output;
    typename Chooser::State chooser;
  };

  template <class Archive>
  void captures(Archive& archive) {
    archive(scan);
    archive(chooser);
  }

  bool advance(State& state, Task&) const {
    if (scan.advance(state.scan, [&](const auto& element) {
          state.output.push(chooser.choose(state.chooser, element), element);
        })) {
      return true;
    }
    state.output.finish();
    return false;
  }
};

}  // namespace heapspan::detail
