#pragma once

#include <numeric>

#include "plan.h"
#include "steps.h"
#include "text.h"

// Actions: each partition makes one partial result, or some batches, and the driver puts them together in the order of
// the partitions, so that a result does not depend on which task ended first.

namespace heapspan::detail {

template <class Scan, class Action>
struct ActionBody {
  using Partial = typename Action::Partial;
  Scan scan;
  Action action;

  struct State {
    State(const ActionBody& body, Task& task) : scan(body.scan, task, 0), partial(body.action.zero(task)) {}
    typename Scan::State scan;
    Partial partial;
  };
  template <class Archive>
  void captures(Archive& archive) {
    scan.captures(archive);
    action.captures(archive);
  }
  bool advance(State& state, Task& task) const {
    if (!action.full(state.partial) &&
        scan.advance(state.scan, [&](const auto& element) { action.add(state.partial, element); })) {
      return true;
    }
    action.finish(state.partial);
    task.emit(write_value(state.partial));
    return false;
  }
};

// What actions have in common; each overrides what it needs.
template <class P>
struct ActionBase {
  using Partial = P;
  Partial zero(Task&) const { return Partial(); }
  bool full(const Partial&) const { return false; }
  void finish(Partial&) const {}
  template <class Archive>
  void captures(Archive&) {}
};

struct CountAction : ActionBase<int64_t> {
  template <class Element>
  void add(int64_t& count, const Element&) const {
    count++;
  }
};

// reduce: like the aggregation of one key.
template <class C>
struct CombineAction : ActionBase<std::optional<typename C::Aggregate>> {
  C combiner;
  template <class Archive>
  void captures(Archive& archive) {
    combiner.captures(archive);
  }
  template <class Element>
  void add(std::optional<typename C::Aggregate>& partial, const Element& element) const {
    if (partial) {
      combiner.merge_value(*partial, element);
    } else {
      partial.emplace(combiner.create(element));
    }
  }
};

template <class T>
struct TakeAction : ActionBase<std::vector<T>> {
  uint64_t limit = 0;
  template <class Archive>
  void captures(Archive& archive) {
    archive(limit);
  }
  bool full(const std::vector<T>& taken) const { return taken.size() >= limit; }
  template <class Element>
  void add(std::vector<T>& taken, const Element& element) const {
    if (taken.size() < limit) {
      taken.push_back(own<T>(element));
    }
  }
};

// The first elements in an order.
template <class T, class Before>
struct TakeOrderedAction : ActionBase<std::vector<T>> {
  uint64_t limit = 0;
  Before before;
  template <class Archive>
  void captures(Archive& archive) {
    archive(limit);
    before.captures(archive);
  }
  template <class Element>
  void add(std::vector<T>& best, const Element& element) const {
    if (limit != 0) {
      best.push_back(own<T>(element));
      if (best.size() / 2 >= std::max<uint64_t>(limit, 512)) {
        finish(best);
      }
    }
  }
  void finish(std::vector<T>& best) const {
    std::stable_sort(best.begin(), best.end(),
                     [this](const T& a, const T& b) { return before.run("take_ordered", a, b); });
    if (best.size() > limit) {
      best.erase(best.begin() + static_cast<ptrdiff_t>(limit), best.end());
    }
  }
};

template <class K>
struct ForeachAction : ActionBase<int64_t> {
  K kernel;
  template <class Archive>
  void captures(Archive& archive) {
    kernel.captures(archive);
  }
  template <class Element>
  void add(int64_t&, const Element& element) const {
    kernel.run("foreach", adapt<K::template takes<Element>>(element));
  }
};

// Random elements without replacement: those with the smallest random numbers.
template <class T>
struct SampleAction : ActionBase<std::vector<std::pair<uint64_t, T>>> {
  using Partial = std::vector<std::pair<uint64_t, T>>;
  uint64_t limit = 0;
  uint64_t seed = 0;
  // The generator belongs to the task; the action is const there.
  mutable Random random = Random(0);
  template <class Archive>
  void captures(Archive& archive) {
    archive(limit);
    archive(seed);
  }
  Partial zero(Task& task) const {
    random = random_of_partition(seed, task.partition());
    return {};
  }
  template <class Element>
  void add(Partial& sample, const Element& element) const {
    uint64_t number = random.next();
    auto later = [](const auto& a, const auto& b) { return a.first < b.first; };
    if (sample.size() == limit) {
      if (limit == 0 || number >= sample.front().first) {
        return;
      }
      std::pop_heap(sample.begin(), sample.end(), later);
      sample.pop_back();
    }
    sample.emplace_back(number, own<T>(element));
    std::push_heap(sample.begin(), sample.end(), later);
  }
};

template <class Scan, class K>
struct ForeachPartitionBody {
  Scan scan;
  K kernel;
  struct State {
    State(const ForeachPartitionBody& body, Task& task) : partition(body.scan, task, 0) {}
    WholePartition<Scan> partition;
  };
  template <class Archive>
  void captures(Archive& archive) {
    scan.captures(archive);
    kernel.captures(archive);
  }
  bool advance(State& state, Task&) const {
    state.partition.read(scan);
    auto view = state.partition.view();
    kernel.run("foreach_partition", adapt<K::template takes<decltype(view)>>(view));
    return false;
  }
};

// Emits bytes to be saved.
template <class Scan, class Format>
struct SaveBody {
  Scan scan;
  struct State {
    State(const SaveBody& body, Task& task) : scan(body.scan, task, 0) {}
    typename Scan::State scan;
    Buffer<char> bytes;
    std::string line;
  };
  template <class Archive>
  void captures(Archive& archive) {
    scan.captures(archive);
  }
  bool advance(State& state, Task& task) const {
    bool more = scan.advance(state.scan, [&](const auto& element) {
      Format::append(state.bytes, state.line, element);
      if (state.bytes.size() >= batch_target_bytes) [[unlikely]] {
        task.emit_bytes(std::exchange(state.bytes, Buffer<char>()));
        // All at once, since growing copies what is there.
        state.bytes.reserve(batch_target_bytes + batch_target_bytes / 16);
      }
    });
    if (!more && !state.bytes.empty()) {
      task.emit_bytes(std::exchange(state.bytes, Buffer<char>()));
    }
    return more;
  }
};

struct TextFormat {
  template <class Element>
  static void append(Buffer<char>& bytes, std::string& line, const Element& element) {
    if constexpr (Text<Element>) {
      std::string_view text = element;
      bytes.append(text.data(), text.size());
    } else {
      line.clear();
      append_value(line, element);
      bytes.append(line.data(), line.size());
    }
    bytes.push('\n');
  }
};

struct BinaryFormat {
  template <class Element>
  static void append(Buffer<char>& bytes, std::string&, const Element& element) {
    bytes.append(reinterpret_cast<const char*>(&element), sizeof(element));
  }
};

// Collects the batches of some partitions, decoded as columns of T; the visitor gets (partition, column).
template <class T, class Visitor>
void collect_columns(const Plan& plan, const NodePointer& node, const std::vector<int32_t>& partitions,
                     Visitor&& visitor) {
  struct Receiver {
    Visitor& visitor;
    std::exception_ptr failure;
  } receiver{visitor, nullptr};
  auto receive = [](void* self, int32_t partition, heapspan_bytes batch) -> heapspan_status {
    auto& target = *static_cast<Receiver*>(self);
    try {
      // The host's memory need not be aligned here.
      Buffer<uint64_t> copy;
      const void* data = batch.data;
      if (reinterpret_cast<uintptr_t>(data) % 8 != 0) {
        std::memcpy(copy.extend(batch.size / 8 + 1), data, batch.size);
        data = copy.data();
      }
      Column<T> column;
      read_batch(column, data, batch.size);
      target.visitor(partition, std::as_const(column));
      return HEAPSPAN_OK;
    } catch (...) {
      target.failure = std::current_exception();
      return HEAPSPAN_PROGRAM_FAILED;
    }
  };
  const heapspan_driver& driver = plan.driver();
  heapspan_status status = driver.collect(driver.self, node->handle(), partitions.data(),
                                          static_cast<int32_t>(partitions.size()), &receiver, receive);
  if (receiver.failure) {
    std::rethrow_exception(receiver.failure);
  }
  check(status);
}

inline std::vector<int32_t> all_partitions(const Plan& plan) {
  std::vector<int32_t> partitions(static_cast<size_t>(plan.partition_count()));
  std::iota(partitions.begin(), partitions.end(), 0);
  return partitions;
}

// Runs an action in some partitions; the partial results are in their order.
template <class Scan, class Action>
std::vector<typename Action::Partial> run_action(const Plan& plan, const Scan& scan, const Action& action,
                                                 const std::vector<int32_t>& partitions) {
  using Partial = typename Action::Partial;
  NodePointer node = plan.stage(code_of(ActionBody<Scan, Action>{scan, action}));
  std::vector<std::optional<Partial>> results(partitions.size());
  collect_columns<Partial>(plan, node, partitions, [&](int32_t partition, const Column<Partial>& column) {
    auto place = std::lower_bound(partitions.begin(), partitions.end(), partition);
    if (column.size() != 1 || place == partitions.end() || *place != partition) {
      BatchReader::damaged();
    }
    results[static_cast<size_t>(place - partitions.begin())].emplace(own<Partial>(column[0]));
  });
  std::vector<Partial> partials;
  for (std::optional<Partial>& result : results) {
    if (!result) {
      throw Error("a partition of an action gave no result");
    }
    partials.push_back(std::move(*result));
  }
  return partials;
}

}  // namespace heapspan::detail
