#pragma once

#include "hash.h"
#include "scan.h"

// Narrow operators that keep something between elements, or that look at whole partitions.

namespace heapspan::detail {

// A sequence of numbers that depends on its seed alone (SplitMix64).
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    state_ += 0x9E3779B97F4A7C15U;
    uint64_t x = state_;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
    return x ^ (x >> 31);
  }
  // At least 0, less than 1.
  double next_fraction() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  uint64_t next_below(uint64_t bound) { return next() % bound; }
  // How often an event with this mean happens.
  int64_t next_poisson(double mean) {
    int64_t count = 0;
    // In parts, because exp(-mean) is 0 if the mean is large.
    for (; mean > most_mean_at_once; mean -= most_mean_at_once) {
      count += next_small_poisson(most_mean_at_once);
    }
    return count + next_small_poisson(mean);
  }

 private:
  static constexpr double most_mean_at_once = 500;

  int64_t next_small_poisson(double mean) {
    double product = next_fraction();
    int64_t count = 0;
    for (double limit = std::exp(-mean); product > limit; count++) {
      product *= next_fraction();
    }
    return count;
  }

  uint64_t state_;
};

inline Random random_of_partition(uint64_t seed, int32_t partition) {
  return Random(mix(seed + static_cast<uint64_t>(partition) * 0x9E3779B97F4A7C15U));
}

template <class Source>
struct SampleStep {
  using Element = typename Source::Element;
  static constexpr int inputs = Source::inputs;
  Source source;
  bool with_replacement = false;
  double fraction = 0;
  uint64_t seed = 0;

  struct State {
    State(const SampleStep& step, Task& task, int32_t input)
        : source(step.source, task, input), random(random_of_partition(step.seed, task.partition())) {}
    typename Source::State source;
    Random random;
  };
  template <class Archive>
  void captures(Archive& archive) {
    source.captures(archive);
    archive(with_replacement);
    archive(fraction);
    archive(seed);
  }
  template <class Consumer>
  bool advance(State& state, Consumer&& consumer) const {
    return source.advance(state.source, [&](const auto& element) {
      int64_t count = with_replacement ? state.random.next_poisson(fraction) : state.random.next_fraction() < fraction;
      for (int64_t i = 0; i < count; i++) {
        consumer(element);
      }
    });
  }
};

// Numbers the elements, given where each partition begins.
template <class Source>
struct IndexStep {
  using Element = std::pair<typename Source::Element, int64_t>;
  static constexpr int inputs = Source::inputs;
  Source source;
  std::vector<int64_t> begins;

  struct State {
    State(const IndexStep& step, Task& task, int32_t input)
        : source(step.source, task, input), next(step.begins.at(static_cast<size_t>(task.partition()))) {}
    typename Source::State source;
    int64_t next;
  };
  template <class Archive>
  void captures(Archive& archive) {
    source.captures(archive);
    archive(begins);
  }
  template <class Consumer>
  bool advance(State& state, Consumer&& consumer) const {
    return source.advance(state.source, [&](const auto& element) { consumer(Element(element, state.next++)); });
  }
};

// All elements of a partition in one column.
template <class Source>
struct WholePartition {
  using T = owned_t<typename Source::Element>;
  WholePartition(const Source& scan, Task& task, int32_t input) : source(scan, task, input), memory(task) {}
  typename Source::State source;
  Reservation memory;
  Column<T> elements;

  void read(const Source& scan) {
    while (scan.advance(source, [&](const auto& element) { elements.push(element); })) {
      // The partition must fit: a refusal is no reason to stop.
      memory.ensure(elements.allocated_bytes());
    }
  }
  auto view() const { return range_of<T>(elements, 0, elements.size()); }
};

template <class Source>
using MapPartitionsView = decltype(std::declval<const WholePartition<Source>&>().view());

template <class Source, class K>
struct MapPartitionsStep {
  using View = MapPartitionsView<Source>;
  using Element = range_element_t<result_t<K, View>>;
  static constexpr int inputs = Source::inputs;
  Source source;
  K kernel;

  struct State : WholePartition<Source> {
    State(const MapPartitionsStep& step, Task& task, int32_t input)
        : WholePartition<Source>(step.source, task, input) {}
    bool done = false;
  };
  template <class Archive>
  void captures(Archive& archive) {
    source.captures(archive);
    kernel.captures(archive);
  }
  template <class Consumer>
  bool advance(State& state, Consumer&& consumer) const {
    if (std::exchange(state.done, true)) {
      return false;
    }
    state.read(source);
    View view = state.view();
    decltype(auto) argument = adapt<K::template takes<View>>(view);
    each_result<Element>("map_partitions", kernel.run("map_partitions", argument), consumer);
    return true;
  }
};

// Rows that one side of a combination has given, and the other has not met yet.
template <class Source>
struct Queue {
  using T = owned_t<typename Source::Element>;
  Column<T> rows;
  size_t position = 0;

  size_t left() const { return rows.size() - position; }
  // False if there is nothing more.
  bool fill(const Source& source, typename Source::State& state) {
    while (left() == 0) {
      rows.clear();
      position = 0;
      if (!source.advance(state, [&](const auto& element) { rows.push(element); })) {
        return false;
      }
    }
    return true;
  }
};

// The first element of one side with the first of the other, and so on.
template <class Left, class Right>
struct ZipScan {
  using Element = std::pair<view_t<owned_t<typename Left::Element>>, view_t<owned_t<typename Right::Element>>>;
  static constexpr int inputs = Left::inputs + Right::inputs;
  Left left;
  Right right;

  struct State {
    State(const ZipScan& scan, Task& task, int32_t input)
        : left(scan.left, task, input), right(scan.right, task, input + Left::inputs) {}
    typename Left::State left;
    typename Right::State right;
    Queue<Left> left_queue;
    Queue<Right> right_queue;
  };
  template <class Archive>
  void captures(Archive& archive) {
    left.captures(archive);
    right.captures(archive);
  }
  template <class Consumer>
  bool advance(State& state, Consumer&& consumer) const {
    bool has_left = state.left_queue.fill(left, state.left);
    bool has_right = state.right_queue.fill(right, state.right);
    if (has_left != has_right) {
      throw OperatorError("zip", "two partitions have different numbers of elements");
    }
    if (!has_left) {
      return false;
    }
    size_t count = std::min(state.left_queue.left(), state.right_queue.left());
    for (size_t i = 0; i < count; i++) {
      consumer(Element(state.left_queue.rows[state.left_queue.position++],
                       state.right_queue.rows[state.right_queue.position++]));
    }
    return true;
  }
};

// Each element of one side with each of the other. Reads the right side again for each chunk of the left.
template <class Left, class Right>
struct CartesianScan {
  static_assert(Left::inputs == 1 && Right::inputs == 1);
  using Element = std::pair<view_t<owned_t<typename Left::Element>>, view_t<owned_t<typename Right::Element>>>;
  static constexpr int inputs = 2;
  Left left;
  Right right;

  struct State {
    State(const CartesianScan& scan, Task& its_task, int32_t input)
        : task(&its_task), right_input(input + 1), left(scan.left, its_task, input) {}
    Task* task;
    int32_t right_input;
    typename Left::State left;
    std::optional<typename Right::State> right;
    Queue<Left> left_queue;
    Queue<Right> right_queue;
    size_t next_left = 0;
    size_t next_right = 0;
    bool right_was_read = false;
  };
  template <class Archive>
  void captures(Archive& archive) {
    left.captures(archive);
    right.captures(archive);
  }
  template <class Consumer>
  bool advance(State& state, Consumer&& consumer) const {
    state.task->fail_if_cancelled();
    if (!state.right) {
      state.left_queue.position = state.left_queue.rows.size();
      if (!state.left_queue.fill(left, state.left)) {
        return false;
      }
      if (std::exchange(state.right_was_read, true)) {
        check(state.task->host().rewind_input(state.task->host().self, state.right_input));
      }
      state.right.emplace(right, *state.task, state.right_input);
      state.right_queue.rows.clear();
      state.right_queue.position = 0;
      state.next_left = 0;
    }
    if (state.next_left == 0 && state.next_right == 0 && !state.right_queue.fill(right, *state.right)) {
      state.right.reset();
      return true;
    }
    // A part of the left rows with all right rows of this chunk, so that one call does not take too long.
    size_t right_rows = state.right_queue.rows.size();
    size_t end = std::min(state.left_queue.rows.size(), state.next_left + 1 + 4 * chunk_rows / right_rows);
    for (; state.next_left < end; state.next_left++) {
      for (; state.next_right < right_rows; state.next_right++) {
        if (state.task->has_emitted_much()) [[unlikely]] {
          return true;
        }
        consumer(Element(state.left_queue.rows[state.next_left], state.right_queue.rows[state.next_right]));
      }
      state.next_right = 0;
    }
    if (end == state.left_queue.rows.size()) {
      state.next_left = 0;
      state.right_queue.position = right_rows;
    }
    return true;
  }
};

}  // namespace heapspan::detail
