#pragma once

#include <array>

#include "table.h"

// group_by_key and cogroup: all values of a key at once, of one source or of two. The values of a partition lie in one
// column, ordered by key by a counting sort, so that a group is a range of it (Chukonu, section 5.3).

namespace heapspan::detail {

template <class V>
class ValueGroups {
 public:
  using View = decltype(range_of<V>(std::declval<const Column<V>&>(), 0, 0));

  template <class Value>
  void push(uint32_t key, const Value& value) {
    values_.push(value);
    keys_.push(key);
  }
  size_t contents_bytes() const { return values_.bytes() + keys_.size() * sizeof(uint32_t); }
  // Twice the values, because finish makes an ordered copy.
  size_t allocated_bytes() const { return 2 * values_.allocated_bytes() + 2 * keys_.allocated_bytes(); }

  template <class Visitor>
  void each_row(Visitor&& visitor) const {
    for (size_t i = 0; i < values_.size(); i++) {
      visitor(keys_[i], values_[i]);
    }
  }
  // Orders the values by key; those of one key stay in the order in which they came.
  void finish(size_t key_count) {
    if (values_.size() > std::numeric_limits<uint32_t>::max()) {
      fail("a partition has more than 4 billion values to group; use more partitions");
    }
    begins_.assign(key_count + 1, 0);
    for (uint32_t key : keys_) {
      begins_[key + 1]++;
    }
    for (size_t i = 0; i < key_count; i++) {
      begins_[i + 1] += begins_[i];
    }
    Buffer<uint32_t> next;
    next.append(begins_.data(), key_count);
    Column<V> ordered;
    if constexpr (is_flat_column<Column<V>>) {
      V* target = ordered.extend(values_.size());
      for (size_t i = 0; i < keys_.size(); i++) {
        target[next[keys_[i]]++] = values_[i];
      }
    } else {
      Buffer<uint32_t> rows;
      rows.extend(values_.size());
      for (size_t i = 0; i < keys_.size(); i++) {
        rows[next[keys_[i]]++] = static_cast<uint32_t>(i);
      }
      for (uint32_t row : rows) {
        ordered.push(values_[row]);
      }
    }
    values_ = std::move(ordered);
    keys_ = Buffer<uint32_t>();
  }
  View operator[](size_t key) const { return range_of<V>(values_, begins_[key], begins_[key + 1]); }

 private:
  Column<V> values_;
  Buffer<uint32_t> keys_;
  Buffer<uint32_t> begins_;
};

// The groups of each input, whose equal keys are all in this partition.
template <class K, class... Values>
struct GroupScan {
  // What belongs to one of the inputs.
  template <class V>
  struct Side {
    explicit Side(Task& task) : overflow(task) {}
    ValueGroups<V> groups;
    Overflow<K, V> overflow;
  };
  template <size_t i>
  using Row = std::pair<K, std::tuple_element_t<i, std::tuple<Values...>>>;
  template <class... Views>
  struct Combined {
    using type = std::pair<Views...>;
  };
  template <class View>
  struct Combined<View> {
    using type = View;
  };
  using Element = std::pair<view_t<K>, typename Combined<typename ValueGroups<Values>::View...>::type>;
  static constexpr int inputs = sizeof...(Values);

  static_assert(inputs <= 2);

  struct State {
    State(const GroupScan&, Task& its_task, int32_t its_first_input)
        : task(&its_task), first_input(its_first_input), sides(task_for<Values>(its_task)...), memory(its_task) {}
    Task* task;
    int32_t first_input;
    bool consumed = false;
    KeyTable<K> keys;
    std::tuple<Side<Values>...> sides;
    Reservation memory;
    size_t accounted_bytes = 0;
    size_t emitted = 0;
    int level = 0;
    PendingParts pending;
  };

  template <class Archive>
  void captures(Archive&) {}

  template <class Consumer>
  bool advance(State& state, Consumer&& consumer) const {
    if (!state.consumed) {
      for_each([&]<size_t i>() { add<i>(state, Batches(*state.task, state.first_input + static_cast<int32_t>(i))); });
      state.consumed = true;
      finish_level(state);
    }
    state.task->fail_if_cancelled();
    if (state.emitted == state.keys.positions() && !next_part(state)) {
      return false;
    }
    size_t end = std::min(state.keys.positions(), state.emitted + chunk_rows);
    for (; state.emitted < end && !state.task->has_emitted_much(); state.emitted++) {
      if (int64_t number = state.keys.number_at(state.emitted); number >= 0) {
        auto key = static_cast<size_t>(number);
        std::apply([&](const auto&... sides) { consumer(Element(state.keys.keys()[key], {sides.groups[key]...})); },
                   state.sides);
      }
    }
    return true;
  }

 private:
  template <class>
  static Task& task_for(Task& task) {
    return task;
  }
  template <class Visitor>
  static void for_each(Visitor&& visitor) {
    [&]<size_t... i>(std::index_sequence<i...>) {
      (visitor.template operator()<i>(), ...);
    }(std::index_sequence_for<Values...>());
  }
  // All rows of an input, or of a part that was spilled.
  template <size_t i>
  [[gnu::noinline]] static void add(State& state, Batches batches) {
    Column<Row<i>> rows;
    while (batches.next(rows)) {
      state.keys.each_hashed(rows.template field<0>(), [&](size_t row, uint64_t hash) {
        uint32_t number = state.keys.insert(hash, rows.template field<0>()[row]).first;
        std::get<i>(state.sides).groups.push(number, rows.template field<1>()[row]);
        size_t bytes = contents_bytes(state);
        if (bytes >= state.accounted_bytes + growth_bytes) [[unlikely]] {
          state.accounted_bytes = bytes;
          if (!state.memory.ensure(allocated_bytes(state)) && state.level < deepest_overflow) {
            flush(state);
          }
        }
      });
    }
  }
  static size_t contents_bytes(const State& state) {
    size_t bytes = state.keys.keys().bytes();
    std::apply([&](const auto&... sides) { ((bytes += sides.groups.contents_bytes()), ...); }, state.sides);
    return bytes;
  }
  static size_t allocated_bytes(const State& state) {
    size_t bytes = state.keys.allocated_bytes();
    std::apply([&](const auto&... sides) { ((bytes += sides.groups.allocated_bytes()), ...); }, state.sides);
    return bytes;
  }
  static void clear(State& state) {
    state.keys.clear();
    std::apply([](auto&... sides) { (renew(sides.groups), ...); }, state.sides);
    state.memory.release();
    state.accounted_bytes = 0;
    state.emitted = 0;
  }
  [[gnu::noinline]] static void flush(State& state) {
    for_each([&]<size_t i>() {
      auto& side = std::get<i>(state.sides);
      if (!side.overflow.begun()) {
        side.overflow.begin(state.level);
      }
      side.groups.each_row([&](uint32_t number, const auto& value) {
        auto key = state.keys.keys()[number];
        side.overflow.push(hash_of(key), key, value);
      });
    });
    clear(state);
  }
  [[gnu::noinline]] static void finish_level(State& state) {
    if (!std::get<0>(state.sides).overflow.begun()) {
      std::apply([&](auto&... sides) { (sides.groups.finish(state.keys.size()), ...); }, state.sides);
      return;
    }
    flush(state);
    std::array<std::vector<std::optional<Spill>>, 2> spills;
    for_each([&]<size_t i>() { spills[i] = std::get<i>(state.sides).overflow.finish(); });
    state.pending.add(std::move(spills[0]), std::move(spills[1]), state.level + 1);
  }
  bool next_part(State& state) const {
    if (state.pending.empty()) {
      return false;
    }
    PendingPart part = state.pending.take();
    clear(state);
    state.level = part.level;
    for_each([&]<size_t i>() { add<i>(state, Batches(*state.task, std::move(part.spills[i]))); });
    finish_level(state);
    return true;
  }
};

}  // namespace heapspan::detail
