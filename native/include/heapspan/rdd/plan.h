#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stage.h"

// The driver side below the operators: nodes of the host, and what a chain of fused operators reads.

namespace heapspan::detail {

struct Plan;
struct StageCode;

// The time in which a program's main runs. Outlives it, so that late uses of an Rdd are errors.
class Session {
 public:
  HEAPSPAN_ONCE explicit Session(const heapspan_driver* driver);
  bool closed() const { return driver_ == nullptr; }
  void close() { driver_ = nullptr; }
  HEAPSPAN_ONCE const heapspan_driver& driver() const;
  void* self() const { return driver().self; }

 private:
  const heapspan_driver* driver_;
};

using SessionPointer = std::shared_ptr<Session>;

// A handle of the host; the last copy of the pointer gives it back.
class Node {
 public:
  Node(SessionPointer session, int64_t handle) : session_(std::move(session)), handle_(handle) {}
  Node(const Node&) = delete;
  HEAPSPAN_ONCE ~Node();
  int64_t handle() const { return handle_; }

  HEAPSPAN_ONCE void persist(int32_t level);
  HEAPSPAN_ONCE void unpersist();
  // Counts a join that builds this node, and returns the node of its kept tables: `make` makes that for the second
  // join. Null for the first one, which may be the only one, and if the node is not persisted.
  // The level is that at which the node is persisted.
  HEAPSPAN_ONCE std::shared_ptr<Node> join_table(const Plan& plan, const StageCode& code);
  bool is_kept_in_memory() const { return level_ != HEAPSPAN_DISK; }

 private:
  SessionPointer session_;
  int64_t handle_;
  // What is known of it if the program has persisted it.
  std::optional<int32_t> level_;
  int64_t joins_ = 0;
  std::shared_ptr<Node> join_table_;
};

using NodePointer = std::shared_ptr<Node>;

// The code of a stage as the host knows it.
struct StageCode {
  uint64_t kernel = 0;
  CaptureWriter captures;
};

template <class Body>
StageCode code_of(Body body) {
  StageCode code{kernel_offset<Body>(), {}};
  code.captures(body);
  return code;
}

// What a chain reads, and what it is called.
struct Plan {
  SessionPointer session;
  std::vector<NodePointer> nodes;
  int32_t arrangement = HEAPSPAN_ONE_TO_ONE;
  // What the order of records means to it: HEAPSPAN_READS_ORDER and so on.
  int32_t order = 0;
  std::string operators;
  // If equal keys are in the same partition, chosen by their hash: the number of partitions. Else 0.
  int32_t hash_partitions = 0;

  HEAPSPAN_ONCE Plan();
  HEAPSPAN_ONCE Plan(const Plan&);
  HEAPSPAN_ONCE Plan(Plan&&) noexcept;
  HEAPSPAN_ONCE Plan& operator=(const Plan&);
  HEAPSPAN_ONCE Plan& operator=(Plan&&) noexcept;
  HEAPSPAN_ONCE ~Plan();

  HEAPSPAN_ONCE const heapspan_driver& driver() const;
  // The same with one more operator.
  HEAPSPAN_ONCE Plan with(std::string_view operator_name) const;
  // Changes a plan that was just made, and returns it: equal keys are not in the same partition any more.
  HEAPSPAN_ONCE Plan&& unhashed() &&;
  // The last operator gives out records in an order that depends on memory.
  HEAPSPAN_ONCE Plan&& varying_order() &&;
  // The last operator gives a result that depends on the order of records.
  HEAPSPAN_ONCE Plan&& reading_order() &&;
  // A plan that reads one node of the same session.
  HEAPSPAN_ONCE Plan reading(NodePointer node, int32_t hashed) const;
  HEAPSPAN_ONCE int32_t partition_count() const;
  HEAPSPAN_ONCE std::vector<int64_t> handles() const;
  HEAPSPAN_ONCE NodePointer node(int64_t handle) const;

  // Makes the node whose partitions are what the code emits.
  HEAPSPAN_ONCE NodePointer stage(const StageCode& code) const;
  // Makes the node whose partitions are what the code wrote for them.
  HEAPSPAN_ONCE NodePointer shuffle(const StageCode& code, int32_t partitions) const;
  // The same, without a shuffle if equal keys are already in so many partitions.
  HEAPSPAN_ONCE NodePointer by_hash(const StageCode& code, int32_t partitions) const;

 private:
  HEAPSPAN_ONCE heapspan_stage_plan host_plan(const StageCode& code, const std::vector<int64_t>& inputs) const;
};

// The plan of a stage that reads two chains side by side.
HEAPSPAN_ONCE Plan zip_plans(const Plan& left, const Plan& right, int32_t hash_partitions);

}  // namespace heapspan::detail
