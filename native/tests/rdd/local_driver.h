#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <heapspan/rdd/boundary.h>

// A host for tests: runs the stages of a program in this process, without Spark. It is as strict as the boundary
// allows: it counts what stages take and give back, refuses memory, fails where it is told to, and brings the output of
// map tasks in another order than that of the tasks.

namespace heapspan::testing {

struct LocalOptions {
  int32_t default_parallelism = 3;
  // Memory that one stage may reserve.
  uint64_t memory_bytes = UINT64_MAX;
  uint64_t free_storage_bytes = UINT64_MAX;
  // The call of next_batch that fails, counted from 1 over all tasks; 0 for none.
  int64_t failing_read = 0;
  // After so many calls of is_cancelled, over all tasks, every task is cancelled; 0 for never.
  int64_t cancelled_after = 0;
};

class LocalDriver {
 public:
  LocalDriver(const heapspan_program* program, LocalOptions options);
  LocalDriver(const LocalDriver&) = delete;
  ~LocalDriver();

  const heapspan_driver* table() const { return &table_; }

  // What happened so far.
  struct Counters {
    int64_t stages = 0;
    int64_t advances = 0;
    int64_t batches_emitted = 0;
    // By one call of a stage.
    uint64_t most_bytes_emitted = 0;
    int64_t spills = 0;
    // Of one stage at a time.
    int64_t most_spills = 0;
    int64_t refusals = 0;
    int64_t batches_lent = 0;
    int64_t batches_released = 0;
    int64_t bytes_reserved = 0;
    int64_t bytes_released = 0;
    int64_t nodes_made = 0;
    int64_t nodes_released = 0;
    int64_t collected_partitions = 0;
    int64_t broadcasts_read = 0;
    int64_t broadcasts_released = 0;
  };
  const Counters& counters() const { return counters_; }
  // The failure of the last stage that failed, for messages.
  const heapspan_error& stage_error() const { return stage_error_; }
  // The names of the operators of all stages and shuffles.
  const std::vector<std::string>& operators() const { return operators_; }
  // What the order of records means to each of them.
  const std::vector<int32_t>& orders() const { return orders_; }
  // The type of what the program gave the application under a name; it is an input of the same name, too.
  const std::string& output_type(const std::string& name) const { return outputs_.at(name).first; }

 private:
  // Memory of a batch, at an address that is a multiple of 8 and no multiple of 16.
  class Batch;
  using BatchPointer = std::shared_ptr<Batch>;
  using Batches = std::vector<BatchPointer>;
  struct Node;
  struct Task;
  struct Calls;
  friend struct Calls;

  int64_t add(Node node);
  Node& node(int64_t handle);
  int32_t partition_count(Node& node);
  heapspan_status compute(const std::shared_ptr<Node>& node, int32_t partition, Batches& batches);
  heapspan_status run(const std::shared_ptr<Node>& node, int32_t partition, int32_t output_partitions, Task& task);
  heapspan_status run_maps(Node& node);

  const heapspan_program* program_;
  LocalOptions options_;
  heapspan_driver table_;
  Counters counters_;
  heapspan_error stage_error_ = {};
  std::vector<std::string> operators_;
  std::vector<int32_t> orders_;
  std::map<int64_t, std::shared_ptr<Node>> nodes_;
  int64_t next_handle_ = 1;
  int64_t reads_ = 0;
  int64_t cancel_checks_ = 0;
  std::map<int64_t, std::string> broadcasts_;
  std::map<std::string, std::pair<std::string, std::shared_ptr<Node>>> outputs_;
  std::map<int64_t, std::pair<int32_t, heapspan_number>> accumulators_;
};

}  // namespace heapspan::testing
