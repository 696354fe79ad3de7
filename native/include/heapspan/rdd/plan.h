#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stage.h"

// The driver side below the operators: nodes of the host, and what a chain of fused operators reads.

namespace heapspan::detail {

// The time in which a program's main runs. Outlives it, so that late uses of an Rdd are errors.
class Session {
 public:
  explicit Session(const heapspan_driver* driver) : driver_(driver) {
    if (driver->boundary_version != HEAPSPAN_BOUNDARY_VERSION || driver->struct_bytes < sizeof(heapspan_driver)) {
      throw Error("the host has another version of the boundary than this program; build the program again");
    }
  }
  bool closed() const { return driver_ == nullptr; }
  void close() { driver_ = nullptr; }
  const heapspan_driver& driver() const {
    if (closed()) {
      throw Error("an Rdd, a broadcast or an accumulator was used after its Context ended");
    }
    return *driver_;
  }
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
  ~Node() {
    if (!session_->closed()) {
      session_->driver().release(session_->self(), handle_);
    }
  }
  int64_t handle() const { return handle_; }

  void persist(int32_t level) {
    check(session_->driver().persist(session_->self(), handle_, level));
    level_ = level;
  }
  void unpersist() {
    check(session_->driver().unpersist(session_->self(), handle_));
    level_.reset();
    joins_ = 0;
    if (auto table = std::exchange(join_table_, nullptr)) {
      table->unpersist();
    }
  }
  // Counts a join that builds this node, and returns the node of its kept tables: `make` makes that for the second
  // join. Null for the first one, which may be the only one, and if the node is not persisted.
  template <class Make>
  std::shared_ptr<Node> join_table(Make&& make) {
    if (level_ && joins_++ == 1) {
      join_table_ = make(*level_);
      join_table_->persist(*level_);
    }
    return join_table_;
  }

 private:
  SessionPointer session_;
  int64_t handle_;
  // What is known of it if the program has persisted it.
  std::optional<int32_t> level_;
  int64_t joins_ = 0;
  std::shared_ptr<Node> join_table_;
};

using NodePointer = std::shared_ptr<Node>;

// What a chain reads, and what it is called.
struct Plan {
  SessionPointer session;
  std::vector<NodePointer> nodes;
  int32_t arrangement = HEAPSPAN_ONE_TO_ONE;
  bool order_sensitive = false;
  std::string operators;
  // If equal keys are in the same partition, chosen by their hash: the number of partitions. Else 0.
  int32_t hash_partitions = 0;

  const heapspan_driver& driver() const {
    if (session == nullptr) {
      throw Error("an Rdd was used before anything was assigned to it");
    }
    return session->driver();
  }
  // The same with one more operator.
  Plan with(std::string_view operator_name) const {
    Plan plan = *this;
    if (!plan.operators.empty()) {
      plan.operators += ", ";
    }
    plan.operators += operator_name;
    return plan;
  }
  Plan unhashed() const {
    Plan plan = *this;
    plan.hash_partitions = 0;
    return plan;
  }
  // A plan that reads one node of the same session.
  Plan reading(NodePointer node, int32_t hashed) const {
    Plan plan;
    plan.session = session;
    plan.nodes = {std::move(node)};
    plan.hash_partitions = hashed;
    return plan;
  }
  int32_t partition_count() const {
    int32_t product = 1;
    int32_t count = 0;
    for (const NodePointer& node : nodes) {
      check(driver().partition_count(driver().self, node->handle(), &count));
      product *= count;
    }
    return arrangement == HEAPSPAN_CARTESIAN ? product : count;
  }
  std::vector<int64_t> handles() const {
    std::vector<int64_t> handles;
    for (const NodePointer& node : nodes) {
      handles.push_back(node->handle());
    }
    return handles;
  }
  NodePointer node(int64_t handle) const { return std::make_shared<Node>(session, handle); }

  // Makes the node whose partitions are what the kernel emits.
  NodePointer stage(uint64_t kernel, heapspan_bytes captures) const {
    std::vector<int64_t> inputs = handles();
    heapspan_stage_plan plan = host_plan(kernel, captures, inputs);
    int64_t handle = 0;
    check(driver().stage(driver().self, &plan, &handle));
    return node(handle);
  }
  // Makes the node whose partitions are what the kernel wrote for them.
  NodePointer shuffle(uint64_t kernel, heapspan_bytes captures, int32_t partitions) const {
    std::vector<int64_t> inputs = handles();
    heapspan_stage_plan plan = host_plan(kernel, captures, inputs);
    int64_t handle = 0;
    check(driver().shuffle(driver().self, &plan, partitions, &handle));
    return node(handle);
  }

  template <class Body>
  NodePointer stage(Body body) const {
    CaptureWriter writer;
    writer(body);
    return stage(kernel_offset<Body>(), writer.bytes());
  }
  template <class Body>
  NodePointer shuffle(Body body, int32_t partitions) const {
    CaptureWriter writer;
    writer(body);
    return shuffle(kernel_offset<Body>(), writer.bytes(), partitions);
  }

 private:
  heapspan_stage_plan host_plan(uint64_t kernel, heapspan_bytes captures, const std::vector<int64_t>& inputs) const {
    return {.kernel = kernel,
            .captures = captures,
            .operators = operators.c_str(),
            .inputs = inputs.data(),
            .input_count = static_cast<int32_t>(inputs.size()),
            .arrangement = arrangement,
            .order_sensitive = order_sensitive ? 1 : 0};
  }
};

// The plan of a stage that reads two chains side by side.
inline Plan zip_plans(const Plan& left, const Plan& right, int32_t hash_partitions) {
  if (left.session != right.session) {
    throw Error("two Rdds of different Contexts cannot be combined");
  }
  Plan plan = left.with(right.operators);
  plan.nodes.insert(plan.nodes.end(), right.nodes.begin(), right.nodes.end());
  plan.order_sensitive |= right.order_sensitive;
  plan.hash_partitions = hash_partitions;
  return plan;
}

}  // namespace heapspan::detail
