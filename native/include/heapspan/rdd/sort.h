#pragma once

#include "hash.h"
#include "map_output.h"

// Sorting by key: keys are divided by ranges in a shuffle, and each partition sorts what it got. If memory is refused,
// sorted runs are spilled, and merged at the end.

namespace heapspan::detail {

// Bits whose order as a number agrees with the order of the keys; keys with equal bits may still differ, unless the
// type has exact bits.
template <class K>
inline constexpr bool has_exact_bits = (std::is_arithmetic_v<K> || std::is_enum_v<K>) && sizeof(K) <= 8;

template <class View>
uint64_t order_bits(const View& key) {
  constexpr uint64_t sign = uint64_t{1} << 63;
  if constexpr (std::is_floating_point_v<View>) {
    uint64_t bits = float_bits(key);
    return (bits & sign) != 0 ? ~bits : bits | sign;
  } else if constexpr (std::is_enum_v<View>) {
    return order_bits(static_cast<std::underlying_type_t<View>>(key));
  } else if constexpr (std::is_signed_v<View>) {
    return static_cast<uint64_t>(static_cast<int64_t>(key)) ^ sign;
  } else if constexpr (std::is_integral_v<View>) {
    return key;
  } else if constexpr (Text<View>) {
    std::string_view text = key;
    unsigned char bytes[8] = {};
    if (!text.empty()) {
      std::memcpy(bytes, text.data(), std::min<size_t>(text.size(), 8));
    }
    uint64_t word;
    std::memcpy(&word, bytes, 8);
    return __builtin_bswap64(word);
  } else if constexpr (UnsignedByteRange<View>) {
    return order_bits(text_of(key));
  } else if constexpr (is_pair<View>) {
    return order_bits(key.first);
  } else {
    return 0;
  }
}

// An order of keys, and the opposite one. Known when a program runs, so that it has the code of a sort once.
struct KeyOrder {
  bool ascending = true;
  template <class A, class B>
  bool before(const A& a, const B& b) const {
    auto order = order_of(a, b);
    return ascending ? order < 0 : order > 0;
  }
};

template <class Source>
struct SortScan {
  using K = owned_t<typename Source::Element::first_type>;
  using V = owned_t<typename Source::Element::second_type>;
  using Row = std::pair<K, V>;
  using Element = view_t<Row>;
  static constexpr int inputs = Source::inputs;
  Source source;
  KeyOrder key_order;

  struct Entry {
    uint64_t bits;
    uint32_t row;
  };
  // A sorted run on disk: one batch of it is in memory.
  struct Run {
    Spill spill;
    BatchMemory block;
    Column<Row> rows;
    size_t position = 0;
    // How often its rows were merged before.
    int level = 0;

    bool read_block() {
      rows.clear();
      position = 0;
      if (!spill.read(block)) {
        return false;
      }
      read_batch(rows, block.data(), block.size() * sizeof(uint64_t));
      return true;
    }
  };
  struct State {
    State(const SortScan& scan, Task& its_task, int32_t input)
        : task(&its_task), source(scan.source, its_task, input), memory(its_task) {}
    Task* task;
    typename Source::State source;
    bool consumed = false;
    Column<Row> rows;
    Reservation memory;
    size_t accounted_bytes = 0;
    Buffer<Entry> order;
    size_t emitted = 0;
    std::vector<std::unique_ptr<Run>> runs;
    // Runs that are not at their end, as a heap: the first has the next row. If a row was given out, its run is the
    // last.
    std::vector<size_t> heap;
    bool given_out = false;
  };

  template <class Archive>
  void captures(Archive& archive) {
    source.captures(archive);
    archive(key_order.ascending);
  }

  template <class Consumer>
  bool advance(State& state, Consumer&& consumer) const {
    if (!state.consumed) {
      consume(state);
      state.consumed = true;
    }
    state.task->fail_if_cancelled();
    // One loop for rows of the memory and of runs, because the operators after this one are a part of it.
    for (size_t i = 0; i < chunk_rows && !state.task->has_emitted_much(); i++) {
      const Column<Row>* rows = &state.rows;
      size_t row = 0;
      if (state.runs.empty()) [[likely]] {
        if (state.emitted == state.order.size()) {
          return false;
        }
        row = state.order[state.emitted++].row;
      } else if (!merge(state, rows, row)) {
        return false;
      }
      consumer((*rows)[row]);
    }
    return true;
  }

 private:
  [[gnu::noinline]] void consume(State& state) const {
    while (source.advance(state.source, [&](const auto& row) {
      state.rows.push_pair(row.first, row.second);
      if (state.rows.bytes() >= state.accounted_bytes + growth_bytes) [[unlikely]] {
        account(state);
      }
    })) {
    }
    if (state.runs.empty()) {
      sort(state);
      return;
    }
    spill(state);
    begin_merge(state, 0);
  }
  // Runs of the same level are merged when there are so many, so that there are never many runs to read at a time.
  static constexpr size_t runs_to_merge = 64;

  void begin_merge(State& state, size_t first_run) const {
    state.heap.clear();
    state.given_out = false;
    for (size_t i = first_run; i < state.runs.size(); i++) {
      if (state.runs[i]->read_block()) {
        state.heap.push_back(i);
      }
    }
    std::make_heap(state.heap.begin(), state.heap.end(), Later{&state.runs, key_order});
  }
  // Merges the newest runs as long as enough of them have the same level.
  void merge_runs(State& state) const {
    while (state.runs.size() >= runs_to_merge) {
      size_t first = state.runs.size() - runs_to_merge;
      int level = state.runs.back()->level;
      if (state.runs[first]->level != level) {
        return;
      }
      begin_merge(state, first);
      RunWriter writer(*state.task);
      const Column<Row>* rows = nullptr;
      size_t row = 0;
      for (size_t i = 1; merge(state, rows, row); i++) {
        writer.push((*rows)[row]);
        if (i % chunk_rows == 0) {
          state.task->fail_if_cancelled();
        }
      }
      state.runs.resize(first);
      state.runs.push_back(writer.finish(level + 1));
    }
  }
  class RunWriter {
   public:
    explicit RunWriter(Task& task) : spill_(task) {}
    void push(const auto& row) {
      block_.push(row);
      if (block_.bytes() >= chunk_bytes) [[unlikely]] {
        spill_.write(write_batch(block_));
        block_.clear();
      }
    }
    std::unique_ptr<Run> finish(int level) {
      if (block_.size() != 0) {
        spill_.write(write_batch(block_));
      }
      return std::make_unique<Run>(Run{.spill = std::move(spill_), .block = {}, .rows = {}, .level = level});
    }

   private:
    Spill spill_;
    Column<Row> block_;
  };

  // Keys that are equal stay in the order in which they came.
  [[gnu::noinline]] void sort(State& state) const {
    const auto& keys = state.rows.template field<0>();
    if (keys.size() > std::numeric_limits<uint32_t>::max()) {
      fail("a partition has more than 4 billion rows to sort; use more partitions");
    }
    Entry* entries = state.order.extend(keys.size());
    for (size_t i = 0; i < keys.size(); i++) {
      uint64_t bits = order_bits(keys[i]);
      entries[i] = {key_order.ascending ? bits : ~bits, static_cast<uint32_t>(i)};
    }
    std::sort(entries, entries + keys.size(), [&](const Entry& a, const Entry& b) {
      return a.bits != b.bits ? a.bits < b.bits : is_earlier(keys, a.row, b.row);
    });
  }
  // Of two rows with equal bits.
  [[gnu::noinline]] bool is_earlier(const Column<K>& keys, uint32_t a, uint32_t b) const {
    if constexpr (!has_exact_bits<K>) {
      auto order = order_of(keys[a], keys[b]);
      if (order != 0) {
        return key_order.ascending ? order < 0 : order > 0;
      }
    }
    return a < b;
  }
  [[gnu::noinline]] void account(State& state) const {
    state.accounted_bytes = state.rows.bytes();
    if (!state.memory.ensure(state.rows.allocated_bytes() + state.rows.size() * sizeof(Entry))) {
      spill(state);
    }
  }
  [[gnu::noinline]] void spill(State& state) const {
    if (state.rows.size() == 0) {
      return;
    }
    sort(state);
    RunWriter writer(*state.task);
    for (const Entry& entry : state.order) {
      writer.push(state.rows[entry.row]);
    }
    state.runs.push_back(writer.finish(0));
    state.rows = Column<Row>();
    state.accounted_bytes = 0;
    state.order = Buffer<Entry>();
    state.memory.release();
    merge_runs(state);
  }

  // Whether run a comes after run b; of equal keys, the earlier run has the earlier rows.
  struct Later {
    const std::vector<std::unique_ptr<Run>>* runs;
    KeyOrder key_order;
    bool operator()(size_t a, size_t b) const {
      auto key_a = (*runs)[a]->rows.template field<0>()[(*runs)[a]->position];
      auto key_b = (*runs)[b]->rows.template field<0>()[(*runs)[b]->position];
      if (key_order.before(key_b, key_a)) {
        return true;
      }
      return !key_order.before(key_a, key_b) && b < a;
    }
  };
  // Gives out the next row of all runs; false at the end. The row is there until the next call.
  [[gnu::noinline]] bool merge(State& state, const Column<Row>*& rows, size_t& row) const {
    Later later{&state.runs, key_order};
    if (std::exchange(state.given_out, false)) {
      Run& run = *state.runs[state.heap.back()];
      if (++run.position == run.rows.size() && !run.read_block()) {
        state.heap.pop_back();
      } else {
        std::push_heap(state.heap.begin(), state.heap.end(), later);
      }
    }
    if (state.heap.empty()) {
      return false;
    }
    std::pop_heap(state.heap.begin(), state.heap.end(), later);
    const Run& run = *state.runs[state.heap.back()];
    rows = &run.rows;
    row = run.position;
    state.given_out = true;
    return true;
  }
};

// The partition of a key among ranges: as many as there are bounds, and one more.
template <class K>
struct RangeChooser {
  std::vector<K> bounds;
  KeyOrder key_order;

  struct State {
    State(const RangeChooser&, Task&) {}
  };
  template <class Archive>
  void captures(Archive& archive) {
    archive(bounds);
    archive(key_order.ascending);
  }
  int32_t choose(State&, const auto& element) const {
    auto bound = std::lower_bound(bounds.begin(), bounds.end(), element.first,
                                  [&](const K& a, const auto& key) { return key_order.before(a, key); });
    return static_cast<int32_t>(bound - bounds.begin());
  }
};

// A sample of the keys of one partition, and how many keys there are.
template <class Scan>
struct KeySampleBody {
  using K = owned_t<typename Scan::Element::first_type>;
  using Sample = std::pair<uint64_t, std::vector<K>>;
  Scan scan;
  uint64_t size = 0;

  struct State {
    State(const KeySampleBody& body, Task& task)
        : scan(body.scan, task, 0), random(static_cast<uint64_t>(task.partition())) {}
    typename Scan::State scan;
    uint64_t random;
    Sample sample;
  };

  template <class Archive>
  void captures(Archive& archive) {
    scan.captures(archive);
    archive(size);
  }

  bool advance(State& state, Task& task) const {
    if (scan.advance(state.scan, [&](const auto& element) {
          auto& [seen, keys] = state.sample;
          if (keys.size() < size) {
            keys.push_back(own<K>(element.first));
          } else {
            state.random += 0x9E3779B97F4A7C15U;
            uint64_t place = mix(state.random) % (seen + 1);
            if (place < size) {
              keys[place] = own<K>(element.first);
            }
          }
          seen++;
        })) {
      return true;
    }
    task.emit(write_value(state.sample));
    return false;
  }
};

}  // namespace heapspan::detail
