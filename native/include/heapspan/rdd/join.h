#pragma once

#include "table.h"

// Joins of two inputs whose equal keys are in the same partition. One side is built into a table, the other streams
// past it. If memory for the table is refused, both sides are divided by their keys, and the parts are joined one by
// one. The table of a side that is persisted is kept as well, so that later joins do not build it again (Chukonu builds
// it each time).

namespace heapspan {

// A value that carries nothing.
struct Nothing {
  friend bool operator==(const Nothing&, const Nothing&) = default;
};

namespace detail {

enum class JoinKind { inner, left_outer, right_outer, full_outer, streamed_without_match };

inline constexpr bool keeps_built(JoinKind kind) {
  return kind == JoinKind::left_outer || kind == JoinKind::full_outer;
}
inline constexpr bool keeps_streamed(JoinKind kind) {
  return kind == JoinKind::right_outer || kind == JoinKind::full_outer;
}

// The rows of the built side, by key.
template <class K, class V>
class JoinTable {
 public:
  static constexpr uint32_t no_row = std::numeric_limits<uint32_t>::max();

  // Whether so many rows have come since it last was true that the memory must be looked at.
  bool has_grown() {
    size_t bytes = values_.bytes() + keys_.keys().bytes() + values_.size() * sizeof(uint32_t);
    if (bytes < accounted_bytes_ + growth_bytes) [[likely]] {
      return false;
    }
    accounted_bytes_ = bytes;
    return true;
  }
  size_t allocated_bytes() const {
    return keys_.allocated_bytes() + values_.allocated_bytes() + first_.allocated_bytes() + last_.allocated_bytes() +
           next_.allocated_bytes() + matched_.allocated_bytes();
  }
  [[gnu::noinline]] void clear() { renew(*this); }
  const KeyTable<K>& key_table() const { return keys_; }

  // As a batch that a later join reads without a copy. Nothing is pushed to a table that was read.
  size_t size() const { return values_.size(); }
  void write(BatchWriter& writer) const {
    writer.add(first_);
    writer.add(next_);
    keys_.write(writer);
    values_.write(writer);
  }
  void read(BatchReader& reader, size_t rows) {
    reader.take_any(first_);
    reader.take(next_, rows);
    keys_.read(reader, first_.size());
    values_.read(reader, rows);
    // The rows of a key have rising numbers, so that each chain ends.
    bool known = true;
    for (uint32_t row : std::as_const(first_)) {
      known &= row < rows;
    }
    for (size_t row = 0; row < rows; row++) {
      known &= next_[row] == no_row || (next_[row] > row && next_[row] < rows);
    }
    if (!known) {
      fail("a batch is damaged: the rows of its join table are not in order");
    }
  }

  template <class Key, class Value>
  void push(uint64_t hash, const Key& key, const Value& value) {
    auto row = static_cast<uint32_t>(values_.size());
    if (row == no_row) {
      fail("a partition has more than 4 billion rows to join; use more partitions");
    }
    auto [number, is_new] = keys_.insert(hash, key);
    if (is_new) {
      first_.push(row);
      last_.push(row);
    } else {
      next_[last_[number]] = row;
      last_[number] = row;
    }
    values_.push(value);
    next_.push(no_row);
  }
  template <class Key>
  int64_t find(uint64_t hash, const Key& key) const {
    return keys_.find(hash, key);
  }
  // Only once the table is complete.
  void match(int64_t number) {
    if (matched_.empty()) [[unlikely]] {
      matched_.assign(keys_.size(), 0);
    }
    matched_[static_cast<size_t>(number)] = 1;
  }

  // The rows of a key, in the order in which they came; no_row after the last one.
  uint32_t first_row(size_t number) const { return first_[number]; }
  uint32_t next_row(uint32_t row) const { return next_[row]; }
  const Column<V>& values() const { return values_; }
  template <class Visitor>
  void each_row(Visitor&& visitor) const {
    for (size_t number = 0; number < keys_.size(); number++) {
      for (uint32_t row = first_[number]; row != no_row; row = next_[row]) {
        visitor(keys_.keys()[number], values_[row]);
      }
    }
  }
  bool is_matched(size_t number) const { return !matched_.empty() && matched_[number] != 0; }

 private:
  KeyTable<K> keys_;
  Column<V> values_;
  // The first and the last row of each key, and the next row of the same key.
  Buffer<uint32_t> first_;
  Buffer<uint32_t> last_;
  Buffer<uint32_t> next_;
  Buffer<unsigned char> matched_;
  size_t accounted_bytes_ = 0;
};

// Emits the table of a partition for the joins that build it: one batch, or an empty one if there is no memory to keep
// it or if the partition has no rows. A join that finds an empty batch builds the table from the rows.
template <class Pairs>
struct KeptTableBody {
  using K = typename Pairs::first_type;
  using V = typename Pairs::second_type;
  static constexpr size_t most_bytes = size_t{1} << 30;
  ColumnScan<Pairs> rows;
  // Whether the table takes memory from other partitions that are kept.
  bool in_memory = true;

  struct State {
    State(const KeptTableBody& body, Task& task) : rows(body.rows, task, 0), memory(task) {}
    typename ColumnScan<Pairs>::State rows;
    JoinTable<K, V> table;
    Reservation memory;
    bool refused = false;
  };

  template <class Archive>
  void captures(Archive& archive) {
    archive(in_memory);
  }

  bool advance(State& state, Task& task) const {
    bool more = rows.advance(state.rows, [&](const auto& row) {
      if (!state.refused) [[likely]] {
        state.table.push(hash_of(row.first), row.first, row.second);
        if (state.table.has_grown() && !fits(state, task)) [[unlikely]] {
          state.refused = true;
        }
      }
    });
    if (more && !state.refused) {
      return true;
    }
    task.emit(state.refused || state.table.size() == 0 ? BatchWriter().finish(0) : write_batch(state.table));
    return false;
  }

 private:
  bool fits(State& state, const Task& task) const {
    size_t bytes = state.table.allocated_bytes();
    // Twice, because the batch is a copy.
    return bytes <= most_bytes && (!in_memory || bytes <= task.free_storage_bytes()) && state.memory.ensure(2 * bytes);
  }
};

template <JoinKind kind, class Key, class B, class S>
struct JoinElement {
  using type = std::pair<Key, std::pair<std::conditional_t<keeps_streamed(kind), std::optional<B>, B>,
                                        std::conditional_t<keeps_built(kind), std::optional<S>, S>>>;
};
template <class Key, class B, class S>
struct JoinElement<JoinKind::streamed_without_match, Key, B, S> {
  using type = std::pair<Key, S>;
};

// The first input is built into a table, the second streams past it.
template <JoinKind kind, class K, class B, class S>
struct JoinScan {
  using Element = typename JoinElement<kind, view_t<K>, view_t<B>, view_t<S>>::type;
  using BuiltRow = std::pair<K, B>;
  using StreamedRow = std::pair<K, S>;
  static constexpr int inputs = 2;
  // Whether the task has one more input, the last one: what KeptTableBody emits for the built side.
  bool has_kept_table = false;

  struct State {
    State(const JoinScan&, Task& its_task, int32_t its_input)
        : task(&its_task), input(its_input), memory(its_task), overflow(its_task) {}
    Task* task;
    int32_t input;
    enum class Phase { building, streaming, next_part } phase = Phase::building;
    JoinTable<K, B> table;
    // What the table shows, if it is a kept one.
    InputBatch kept;
    Reservation memory;
    int level = 0;
    Overflow<K, B> overflow;
    // Built and streamed rows.
    PendingParts pending;
    // The streamed rows: of the input, or of a part that was spilled.
    Batches streamed;
    Column<StreamedRow> rows;
    size_t position = 0;
    // Of the table, once all streamed rows have come.
    size_t finished_keys = 0;
    // The built row with which to go on, if a call has ended within the rows of a key.
    uint32_t next_built = JoinTable<K, B>::no_row;
  };

  template <class Archive>
  void captures(Archive& archive) {
    archive(has_kept_table);
  }

  template <class Consumer>
  bool advance(State& state, Consumer&& consumer) const {
    using Phase = typename State::Phase;
    state.task->fail_if_cancelled();
    switch (state.phase) {
      case Phase::building:
        build(state);
        return true;
      case Phase::streaming:
        if (state.position < state.rows.size() || next_rows(state)) {
          size_t end = std::min(state.rows.size(), state.position + chunk_rows);
          while (state.position < end && !state.task->has_emitted_much()) {
            state.position += probe(state, state.rows.template field<0>()[state.position],
                                    state.rows.template field<1>()[state.position], consumer);
          }
        } else if (finish_table(state, consumer)) {
          state.phase = Phase::next_part;
        }
        return true;
      case Phase::next_part:
        if (state.pending.empty()) {
          return false;
        }
        begin_part(state);
        return true;
    }
    return false;
  }

 private:
  void build(State& state) const {
    if (has_kept_table && read_kept_table(state)) {
      state.streamed = Batches(*state.task, state.input + 1);
      state.phase = State::Phase::streaming;
      return;
    }
    build_of(state, Batches(*state.task, state.input), Batches(*state.task, state.input + 1));
  }
  static bool read_kept_table(State& state) {
    if (!state.kept.next(*state.task, state.task->input_count() - 1) ||
        BatchReader(state.kept.data(), state.kept.size()).buffers() == 0) {
      state.kept.release();
      return false;
    }
    read_batch(state.table, state.kept.data(), state.kept.size());
    return true;
  }
  // The next streamed rows; false if there are no more.
  static bool next_rows(State& state) {
    state.position = 0;
    return state.streamed.next(state.rows);
  }
  // Builds the table of all rows, past which the others will stream. If it does not fit, both are divided by keys.
  [[gnu::noinline]] static void build_of(State& state, Batches built, Batches streamed) {
    Column<BuiltRow> rows;
    while (built.next(rows)) {
      state.table.key_table().each_hashed(rows.template field<0>(), [&](size_t i, uint64_t hash) {
        const auto key = rows.template field<0>()[i];
        if constexpr (kind == JoinKind::streamed_without_match) {
          if (state.table.find(hash, key) >= 0) {
            return;
          }
        }
        state.table.push(hash, key, rows.template field<1>()[i]);
        if (state.table.has_grown() && !state.memory.ensure(state.table.allocated_bytes()) &&
            state.level < deepest_overflow) [[unlikely]] {
          flush(state);
        }
      });
    }
    if (state.overflow.begun()) {
      flush(state);
      divide(state, std::move(streamed));
      state.phase = State::Phase::next_part;
    } else {
      state.streamed = std::move(streamed);
      state.phase = State::Phase::streaming;
    }
  }
  [[gnu::noinline]] static void flush(State& state) {
    if (!state.overflow.begun()) {
      state.overflow.begin(state.level);
    }
    state.table.each_row([&](const auto& key, const auto& value) { state.overflow.push(hash_of(key), key, value); });
    state.table.clear();
    state.memory.release();
  }
  // Divides the streamed rows as the built rows were divided.
  [[gnu::noinline]] static void divide(State& state, Batches streamed) {
    Overflow<K, S> divided(*state.task);
    divided.begin(state.level);
    Column<StreamedRow> rows;
    while (streamed.next(rows)) {
      for (size_t i = 0; i < rows.size(); i++) {
        const auto key = rows.template field<0>()[i];
        divided.push(hash_of(key), key, rows.template field<1>()[i]);
      }
    }
    state.pending.add(state.overflow.finish(), divided.finish(), state.level + 1);
  }
  static void begin_part(State& state) {
    PendingPart part = state.pending.take();
    state.level = part.level;
    build_of(state, Batches(*state.task, std::move(part.spills[0])), Batches(*state.task, std::move(part.spills[1])));
  }

  // Returns how many streamed rows are done: none if there are more built rows of this key.
  template <class Consumer>
  static size_t probe(State& state, const view_t<K>& key, const view_t<S>& value, Consumer&& consumer) {
    if constexpr (kind == JoinKind::streamed_without_match) {
      if (state.table.find(hash_of(key), key) < 0) {
        consumer(Element(key, value));
      }
      return 1;
    } else {
      uint32_t row = std::exchange(state.next_built, JoinTable<K, B>::no_row);
      if (row == JoinTable<K, B>::no_row) [[likely]] {
        int64_t number = state.table.find(hash_of(key), key);
        if (number < 0) {
          if constexpr (keeps_streamed(kind)) {
            consumer(Element(key, {std::nullopt, value}));
          }
          return 1;
        }
        if constexpr (keeps_built(kind)) {
          state.table.match(number);
        }
        row = state.table.first_row(static_cast<size_t>(number));
      }
      return each_built(state, row, [&](const auto& built) { consumer(Element(key, {built, value})); }) ? 1 : 0;
    }
  }
  // From a row on, all that have its key. False if so much was emitted that the call must end: then there are more.
  template <class Visitor>
  static bool each_built(State& state, uint32_t row, Visitor&& visitor) {
    for (;;) {
      visitor(state.table.values()[row]);
      row = state.table.next_row(row);
      if (row == JoinTable<K, B>::no_row) {
        return true;
      }
      if (state.task->has_emitted_much()) [[unlikely]] {
        state.next_built = row;
        return false;
      }
    }
  }
  // What is left of the built side, once all of the other side has come. False if there is more of it.
  template <class Consumer>
  static bool finish_table(State& state, Consumer&& consumer) {
    if constexpr (keeps_built(kind)) {
      const KeyTable<K>& keys = state.table.key_table();
      for (; state.finished_keys < keys.size(); state.finished_keys++) {
        if (state.task->has_emitted_much()) {
          return false;
        }
        if (!state.table.is_matched(state.finished_keys)) {
          const auto key = keys.keys()[state.finished_keys];
          uint32_t row = std::exchange(state.next_built, JoinTable<K, B>::no_row);
          row = row == JoinTable<K, B>::no_row ? state.table.first_row(state.finished_keys) : row;
          if (!each_built(state, row, [&](const auto& built) { consumer(Element(key, {built, std::nullopt})); })) {
            return false;
          }
        }
      }
      state.finished_keys = 0;
    }
    state.table.clear();
    state.kept.release();
    state.memory.release();
    state.streamed = Batches();
    state.rows.clear();
    state.position = 0;
    return true;
  }
};

}  // namespace detail
}  // namespace heapspan
