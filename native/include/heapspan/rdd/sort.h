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

template <class Source, bool ascending>
struct SortScan {
  using K = owned_t<typename Source::Element::first_type>;
  using V = owned_t<typename Source::Element::second_type>;
  using Row = std::pair<K, V>;
  using Element = view_t<Row>;
  static constexpr int inputs = Source::inputs;
  Source source;

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
    // Runs that are not at their end, as a heap: the first has the next row.
    std::vector<std::unique_ptr<Run>> runs;
    std::vector<size_t> heap;
  };

  template <class Archive>
  void captures(Archive& archive) {
    archive(source);
  }

  template <class Consumer>
  bool advance(State& state, Consumer&& consumer) const {
    if (!state.consumed) {
      consume(state);
      state.consumed = true;
    }
    state.task->fail_if_cancelled();
    if (!state.runs.empty()) {
      return merge(state, consumer);
    }
    if (state.emitted == state.order.size()) {
      return false;
    }
    size_t end = std::min(state.order.size(), state.emitted + chunk_rows);
    for (size_t i = std::exchange(state.emitted, end); i < end; i++) {
      consumer(state.rows[state.order[i].row]);
    }
    return true;
  }

 private:
  void consume(State& state) const {
    while (source.advance(state.source, [&](const auto& row) {
      state.rows.push_fields(row.first, row.second);
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

  static void begin_merge(State& state, size_t first_run) {
    state.heap.clear();
    for (size_t i = first_run; i < state.runs.size(); i++) {
      if (state.runs[i]->read_block()) {
        state.heap.push_back(i);
      }
    }
    std::make_heap(state.heap.begin(), state.heap.end(), Later{&state.runs});
  }
  // Merges the newest runs as long as enough of them have the same level.
  static void merge_runs(State& state) {
    while (state.runs.size() >= runs_to_merge) {
      size_t first = state.runs.size() - runs_to_merge;
      int level = state.runs.back()->level;
      if (state.runs[first]->level != level) {
        return;
      }
      begin_merge(state, first);
      RunWriter writer(*state.task);
      while (merge(state, [&](const auto& row) { writer.push(row); })) {
        state.task->fail_if_cancelled();
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

  static bool before(const auto& a, const auto& b) { return ascending ? order_of(a, b) < 0 : order_of(b, a) < 0; }
  // Keys that are equal stay in the order in which they came.
  static void sort(State& state) {
    const auto& keys = state.rows.template field<0>();
    if (keys.size() > std::numeric_limits<uint32_t>::max()) {
      fail("a partition has more than 4 billion rows to sort; use more partitions");
    }
    Entry* entries = state.order.extend(keys.size());
    for (size_t i = 0; i < keys.size(); i++) {
      uint64_t bits = order_bits(keys[i]);
      entries[i] = {ascending ? bits : ~bits, static_cast<uint32_t>(i)};
    }
    std::sort(entries, entries + keys.size(), [&](const Entry& a, const Entry& b) {
      return a.bits != b.bits ? a.bits < b.bits : is_earlier(keys, a.row, b.row);
    });
  }
  // Of two rows with equal bits.
  [[gnu::noinline]] static bool is_earlier(const Column<K>& keys, uint32_t a, uint32_t b) {
    if constexpr (!has_exact_bits<K>) {
      auto order = order_of(keys[a], keys[b]);
      if (order != 0) {
        return ascending ? order < 0 : order > 0;
      }
    }
    return a < b;
  }
  [[gnu::noinline]] static void account(State& state) {
    state.accounted_bytes = state.rows.bytes();
    if (!state.memory.ensure(state.rows.allocated_bytes() + state.rows.size() * sizeof(Entry))) {
      spill(state);
    }
  }
  static void spill(State& state) {
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
    bool operator()(size_t a, size_t b) const {
      auto key_a = (*runs)[a]->rows.template field<0>()[(*runs)[a]->position];
      auto key_b = (*runs)[b]->rows.template field<0>()[(*runs)[b]->position];
      if (before(key_b, key_a)) {
        return true;
      }
      return !before(key_a, key_b) && b < a;
    }
  };
  template <class Consumer>
  static bool merge(State& state, Consumer&& consumer) {
    Later later{&state.runs};
    for (size_t i = 0; i < chunk_rows; i++) {
      if (state.heap.empty()) {
        return false;
      }
      std::pop_heap(state.heap.begin(), state.heap.end(), later);
      Run& run = *state.runs[state.heap.back()];
      consumer(run.rows[run.position++]);
      if (run.position == run.rows.size() && !run.read_block()) {
        state.heap.pop_back();
      } else {
        std::push_heap(state.heap.begin(), state.heap.end(), later);
      }
    }
    return true;
  }
};

// The partition of a key among ranges: as many as there are bounds, and one more.
template <class K, bool ascending>
struct RangeChooser {
  std::vector<K> bounds;

  struct State {
    State(const RangeChooser&, Task&) {}
  };
  template <class Archive>
  void captures(Archive& archive) {
    archive(bounds);
  }
  int32_t choose(State&, const auto& element) const {
    auto bound = std::lower_bound(bounds.begin(), bounds.end(), element.first, [](const K& a, const auto& key) {
      return ascending ? order_of(a, key) < 0 : order_of(a, key) > 0;
    });
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
    archive(scan);
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
