#pragma once

#include "kernel.h"

// Scans: what a stage reads, and the narrow operators that are fused to it. A scan gives its elements to a consumer, a
// chunk at a time, so that a chain of operators is one loop. Each scan has
//   Element                        the type that the consumer gets
//   inputs                         how many inputs of the task it reads
//   State                          where it stands; made from the scan, the task and the number of its first input
//   advance(state, consumer)       hands on one chunk; false if there was nothing left
//   captures(archive)              its captures, and those of its sources

namespace heapspan::detail {

inline constexpr size_t chunk_rows = 16384;
inline constexpr size_t chunk_bytes = 256 << 10;

// Batches with a column of T.
template <class T>
struct ColumnScan {
  using Element = view_t<T>;
  static constexpr int inputs = 1;

  struct State {
    State(const ColumnScan&, Task& its_task, int32_t its_input) : task(&its_task), input(its_input) {}
    Task* task;
    int32_t input;
    InputBatch batch;
    Column<T> column;
    size_t position = 0;
  };

  template <class Archive>
  void captures(Archive&) {}

  template <class Consumer>
  bool advance(State& state, Consumer&& consumer) const {
    state.task->fail_if_cancelled();
    if (state.position == state.column.size()) {
      state.column.clear();
      state.position = 0;
      if (!state.batch.next(*state.task, state.input)) {
        return false;
      }
      read_batch(state.column, state.batch.data(), state.batch.size());
    }
    const Column<T>& column = state.column;
    size_t end = std::min(column.size(), state.position + chunk_rows);
    for (size_t i = std::exchange(state.position, end); i < end; i++) {
      consumer(column[i]);
    }
    return true;
  }
};

// Batches, one after the other, of an input or of what was spilled: operators have one loop for both.
class Batches {
 public:
  HEAPSPAN_ONCE Batches();
  HEAPSPAN_ONCE Batches(Task& task, int32_t input);
  // Those of a spill, which may be none.
  HEAPSPAN_ONCE Batches(Task& task, std::optional<Spill> spill);
  HEAPSPAN_ONCE Batches(Batches&& other) noexcept;
  HEAPSPAN_ONCE Batches& operator=(Batches&& other) noexcept;
  HEAPSPAN_ONCE ~Batches();

  // Shows the next batch in the column, until the next call. False at the end.
  template <class Column>
  bool next(Column& column) {
    column.clear();
    if (!next_block()) {
      return false;
    }
    read_batch(column, data_, size_);
    return true;
  }

 private:
  HEAPSPAN_ONCE bool next_block();

  Task* task_ = nullptr;
  int32_t input_ = -1;
  InputBatch batch_;
  std::optional<Spill> spill_;
  BatchMemory block_;
  const void* data_ = nullptr;
  size_t size_ = 0;
};

// Blocks of whole lines.
struct TextScan {
  using Element = std::string_view;
  static constexpr int inputs = 1;

  struct State {
    State(const TextScan&, Task& its_task, int32_t its_input) : task(&its_task), input(its_input) {}
    Task* task;
    int32_t input;
    InputBatch batch;
    std::string_view rest;
  };

  template <class Archive>
  void captures(Archive&) {}

  template <class Consumer>
  bool advance(State& state, Consumer&& consumer) const {
    state.task->fail_if_cancelled();
    if (state.rest.empty()) {
      if (!state.batch.next(*state.task, state.input)) {
        return false;
      }
      state.rest = {static_cast<const char*>(state.batch.data()), state.batch.size()};
      if (state.rest.empty()) {
        return true;
      }
    }
    const char* line = state.rest.data();
    const char* end = line + state.rest.size();
    const char* chunk_end = line + std::min(chunk_bytes, state.rest.size());
    while (line < chunk_end) {
      const auto* newline = static_cast<const char*>(std::memchr(line, '\n', static_cast<size_t>(end - line)));
      const char* line_end = newline == nullptr ? end : newline;
      const char* next = newline == nullptr ? end : newline + 1;
      if (line_end > line && line_end[-1] == '\r') {
        line_end--;
      }
      consumer(std::string_view(line, static_cast<size_t>(line_end - line)));
      line = next;
    }
    state.rest = {line, static_cast<size_t>(end - line)};
    return true;
  }
};

// Blocks of records of one size, each the bytes of a T.
template <class T>
struct RecordScan {
  using Element = T;
  static constexpr int inputs = 1;

  struct State {
    State(const RecordScan&, Task& its_task, int32_t its_input) : task(&its_task), input(its_input) {}
    Task* task;
    int32_t input;
    InputBatch batch;
    size_t position = 0;
    size_t count = 0;
  };

  template <class Archive>
  void captures(Archive&) {}

  template <class Consumer>
  bool advance(State& state, Consumer&& consumer) const {
    state.task->fail_if_cancelled();
    if (state.position == state.count) {
      if (!state.batch.next(*state.task, state.input)) {
        return false;
      }
      if (state.batch.size() % sizeof(T) != 0) {
        fail("a block of binary records ends inside of a record");
      }
      state.position = 0;
      state.count = state.batch.size() / sizeof(T);
    }
    const auto* records = static_cast<const char*>(state.batch.data());
    size_t end = std::min(state.count, state.position + chunk_rows);
    for (size_t i = std::exchange(state.position, end); i < end; i++) {
      // Copied, because a record of a file need not be aligned.
      T record;
      std::memcpy(&record, records + i * sizeof(T), sizeof(T));
      consumer(record);
    }
    return true;
  }
};

template <class T>
inline constexpr bool is_column_scan = false;
template <class T>
inline constexpr bool is_column_scan<ColumnScan<T>> = true;

// -------------------------------------------------------------------------------------------------------------- steps

// What all steps have: they read the inputs of their source, and have no state of their own.
#define HEAPSPAN_STEP(Source, K)                                                                            \
  static constexpr int inputs = Source::inputs;                                                             \
  struct State : Source::State {                                                                            \
    template <class Step>                                                                                   \
    State(const Step& step, Task& its_task, int32_t first) : Source::State(step.source, its_task, first) {} \
  };                                                                                                        \
  Source source;                                                                                            \
  K kernel;                                                                                                 \
  template <class Archive>                                                                                  \
  void captures(Archive& archive) {                                                                         \
    source.captures(archive);                                                                               \
    kernel.captures(archive);                                                                               \
  }

// Passes each result of a kernel to a consumer. A range may make its elements while it is read: what it throws then
// names the operator, too.
template <class Element, class Results, class Consumer>
void each_result(const char* operator_name, Results&& results, Consumer&& consumer) {
  bool is_of_range = true;
  try {
    for (auto&& result : results) {
      const Element& shown = result;
      is_of_range = false;
      consumer(shown);
      is_of_range = true;
    }
  } catch (...) {
    if (is_of_range) {
      fail_in_operator(operator_name);
    }
    throw;
  }
}

inline constexpr char map_name[] = "map";
inline constexpr char map_to_pair_name[] = "map_to_pair";
inline constexpr char keys_name[] = "keys";
inline constexpr char values_name[] = "values";

template <class Source, class K, const char* name>
struct MapStep {
  using Element = result_t<K, typename Source::Element>;
  HEAPSPAN_STEP(Source, K)

  template <class Consumer>
  bool advance(State& state, Consumer&& consumer) const {
    return source.advance(state, [&](const auto& element) {
      decltype(auto) argument = adapt<K::template takes<typename Source::Element>>(element);
      const auto& result = kernel.run(name, argument);
      consumer(result);
    });
  }
};

template <class Source, class K>
struct FilterStep {
  using Element = typename Source::Element;
  HEAPSPAN_STEP(Source, K)

  template <class Consumer>
  bool advance(State& state, Consumer&& consumer) const {
    return source.advance(state, [&](const auto& element) {
      if (kernel.run("filter", adapt<K::template takes<Element>>(element))) {
        consumer(element);
      }
    });
  }
};

template <class Source, class K>
struct FlatMapStep {
  using Element = range_element_t<result_t<K, typename Source::Element>>;
  HEAPSPAN_STEP(Source, K)

  template <class Consumer>
  bool advance(State& state, Consumer&& consumer) const {
    return source.advance(state, [&](const auto& element) {
      decltype(auto) argument = adapt<K::template takes<typename Source::Element>>(element);
      each_result<Element>("flat_map", kernel.run("flat_map", argument), consumer);
    });
  }
};

template <class Source, class K>
struct KeyByStep {
  using Element = std::pair<result_t<K, typename Source::Element>, typename Source::Element>;
  HEAPSPAN_STEP(Source, K)

  template <class Consumer>
  bool advance(State& state, Consumer&& consumer) const {
    return source.advance(state, [&](const auto& element) {
      decltype(auto) argument = adapt<K::template takes<typename Source::Element>>(element);
      consumer(Element(kernel.run("key_by", argument), element));
    });
  }
};

template <class Source, class K>
struct MapValuesStep {
  using First = typename Source::Element::first_type;
  using Second = typename Source::Element::second_type;
  using Element = std::pair<First, result_t<K, Second>>;
  HEAPSPAN_STEP(Source, K)

  template <class Consumer>
  bool advance(State& state, Consumer&& consumer) const {
    return source.advance(state, [&](const auto& element) {
      decltype(auto) argument = adapt<K::template takes<Second>>(element.second);
      consumer(Element(element.first, kernel.run("map_values", argument)));
    });
  }
};

template <class Source, class K>
struct FlatMapValuesStep {
  using First = typename Source::Element::first_type;
  using Second = typename Source::Element::second_type;
  using Element = std::pair<First, range_element_t<result_t<K, Second>>>;
  HEAPSPAN_STEP(Source, K)

  template <class Consumer>
  bool advance(State& state, Consumer&& consumer) const {
    return source.advance(state, [&](const auto& element) {
      decltype(auto) argument = adapt<K::template takes<Second>>(element.second);
      each_result<typename Element::second_type>("flat_map_values", kernel.run("flat_map_values", argument),
                                                 [&](const auto& value) { consumer(Element(element.first, value)); });
    });
  }
};

#undef HEAPSPAN_STEP

}  // namespace heapspan::detail
