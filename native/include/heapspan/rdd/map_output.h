#pragma once

#include "scan.h"

// The map side of a shuffle: elements in, batches for each partition out.

namespace heapspan::detail {

// The part that does not depend on the type of the elements: batches, and what was spilled.
class BatchOutput {
 public:
  HEAPSPAN_ONCE explicit BatchOutput(Task& task);
  HEAPSPAN_ONCE ~BatchOutput();

  // In a stage that is no map side, the batch is emitted.
  HEAPSPAN_ONCE void add(size_t partition, BatchMemory batch);

  // What is known of the memory of a column.
  struct ColumnMemory {
    size_t accounted_bytes = 0;
    // The contents at which the memory is looked at again.
    size_t next_account_bytes = 1;
  };
  // False if what is held, here and in columns, is no longer within memory: then all columns must be added, and
  // spilled.
  HEAPSPAN_ONCE bool account(ColumnMemory& memory, size_t contents_bytes, size_t allocated_bytes);
  // Spills all batches. No column holds memory.
  HEAPSPAN_ONCE void spill();
  // Writes everything to the host, in the order of the partitions.
  HEAPSPAN_ONCE void finish();

 private:
  bool ensure(size_t column_bytes) {
    size_t bytes = held_bytes_ + column_bytes;
    return memory_.ensure(bytes) || bytes <= least_bytes_;
  }

  static constexpr size_t least_part_bytes = 4096;
  // Runs of the same level are merged when there are so many, because the host has a file and buffers for each.
  static constexpr size_t runs_to_merge = 64;
  struct SpilledRun {
    Spill spill;
    // How many batches each partition has, in this order.
    std::vector<uint32_t> batches;
    // How often they were merged before.
    int level = 0;
  };
  HEAPSPAN_ONCE void merge_runs();
  // Passes all batches of a partition to the visitor, those of runs from the given one on.
  template <class Visitor>
  void read_runs(size_t first_run, size_t partition, Visitor&& visitor) {
    for (size_t i = first_run; i < runs_.size(); i++) {
      for (uint32_t left = runs_[i].batches[partition]; left != 0; left--) {
        runs_[i].spill.read(block_);
        visitor(block_);
      }
    }
  }

  Task* task_;
  Reservation memory_;
  std::vector<std::vector<BatchMemory>> batches_;
  std::vector<SpilledRun> runs_;
  BatchMemory block_;
  // Of batches, and of the columns of which account knows.
  size_t held_bytes_ = 0;
  size_t column_bytes_ = 0;
  // Less is never spilled, so that a spill has more than a few rows for each partition.
  size_t least_bytes_;
};

// Elements of type T. In a stage that is no map side there is one partition, whose batches are emitted.
template <class T>
class MapOutput {
 public:
  explicit MapOutput(Task& task)
      : batches_(task), columns_(static_cast<size_t>(std::max(task.output_partitions(), 1))) {}

  template <class Value>
  void push(int32_t partition, const Value& value) {
    Part& part = columns_[static_cast<size_t>(partition)];
    part.column.push(value);
    if (part.column.bytes() >= part.memory.next_account_bytes) [[unlikely]] {
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
    BatchOutput::ColumnMemory memory;
  };

  [[gnu::noinline]] void account(size_t number) {
    Part& part = columns_[number];
    if (part.column.bytes() >= batch_target_bytes) {
      // Keeps the memory of the column, for the next rows.
      batches_.add(number, write_batch(part.column));
      part.column.clear();
    }
    if (!batches_.account(part.memory, part.column.bytes(), part.column.allocated_bytes())) {
      write_columns();
      batches_.spill();
    }
  }
  // Adds what is in the columns, and frees them.
  [[gnu::noinline]] void write_columns() {
    for (size_t i = 0; i < columns_.size(); i++) {
      Part& part = columns_[i];
      if (part.column.size() != 0) {
        batches_.add(i, write_batch(part.column));
      }
      renew(part);
    }
  }

  BatchOutput batches_;
  FixedArray<Part> columns_;
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
    scan.captures(archive);
    chooser.captures(archive);
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
