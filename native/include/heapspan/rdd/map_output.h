#pragma once

#include "task.h"

// The map side of a shuffle: elements in, batches for each partition out.

namespace heapspan::detail {

template <class T>
class MapOutput {
 public:
  explicit MapOutput(Task& task) : task_(&task), memory_(task), parts_(static_cast<size_t>(task.output_partitions())) {}

  template <class Value>
  void push(int32_t partition, const Value& value) {
    Part& part = parts_[static_cast<size_t>(partition)];
    size_t before = part.column.size();
    part.column.push(value);
    // The size of a column is asked for at the first row and then each 64, and of all columns only when they may have
    // grown by much.
    if (before % 64 == 0) [[unlikely]] {
      account(part);
    }
  }

  // Writes everything to the host, in the order of the partitions.
  void finish() {
    for (size_t i = 0; i < parts_.size(); i++) {
      auto partition = static_cast<int32_t>(i);
      BatchMemory memory;
      for (SpilledRun& run : runs_) {
        while (run.next < run.partitions.size() && run.partitions[run.next] == partition) {
          run.spill.read(memory);
          task_->write_map_output(partition, memory);
          run.next++;
        }
      }
      for (const BatchMemory& batch : parts_[i].batches) {
        task_->write_map_output(partition, batch);
      }
      if (parts_[i].column.size() != 0) {
        task_->write_map_output(partition, write_batch(parts_[i].column));
      }
      parts_[i] = Part();
    }
  }
  bool spilled() const { return !runs_.empty(); }

 private:
  static constexpr size_t least_part_bytes = 4096;
  struct Part {
    Column<T> column;
    // Batches that are complete.
    std::vector<BatchMemory> batches;
    size_t accounted = 0;
  };
  struct SpilledRun {
    Spill spill;
    // The partition of each batch.
    std::vector<int32_t> partitions;
    size_t next = 0;
  };

  [[gnu::noinline]] void account(Part& part) {
    if (part.column.bytes() >= batch_target_bytes) {
      part.batches.push_back(write_batch(part.column));
      held_ += part.batches.back().size() * sizeof(uint64_t);
      held_ -= part.accounted;
      part.column = Column<T>();
      part.accounted = 0;
    }
    size_t now = part.column.allocated_bytes();
    held_ += now - part.accounted;
    part.accounted = now;
    if (!memory_.ensure(held_) && held_ > least_bytes_) {
      spill();
    }
  }
  void spill() {
    SpilledRun run{Spill(*task_), {}};
    for (size_t i = 0; i < parts_.size(); i++) {
      Part& part = parts_[i];
      if (part.column.size() != 0) {
        part.batches.push_back(write_batch(part.column));
      }
      for (const BatchMemory& batch : part.batches) {
        run.spill.write(batch);
        run.partitions.push_back(static_cast<int32_t>(i));
      }
      part = Part();
    }
    runs_.push_back(std::move(run));
    held_ = 0;
    memory_.release();
  }

  Task* task_;
  Reservation memory_;
  std::vector<Part> parts_;
  std::vector<SpilledRun> runs_;
  size_t held_ = 0;
  // Less is never spilled, so that a spill has more than a few rows for each partition.
  size_t least_bytes_;
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
