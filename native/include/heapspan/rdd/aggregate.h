#pragma once

#include "map_output.h"
#include "table.h"

// Aggregation by key: reduce_by_key, fold_by_key, aggregate_by_key, combine_by_key, distinct. First on the map side, in
// a table that is written out when memory is refused, then on the reduce side, where a refusal divides the keys into
// parts that are handled one after the other.

namespace heapspan::detail {

// Whether values may have bytes beyond their own size.
template <class T>
consteval bool owns_memory() {
  if constexpr (std::is_trivially_copyable_v<T>) {
    return false;
  } else if constexpr (Fielded<T>) {
    return []<class... Fields>(std::tuple<Fields&...>*) {
      return (owns_memory<std::remove_const_t<Fields>>() || ...);
    }(static_cast<decltype(fields_of(std::declval<T&>()))*>(nullptr));
  } else {
    return true;
  }
}

template <class T>
size_t heap_bytes(const T& value);

// What the elements of a container have beyond their own size. Aggregates are counted at each value that is merged into
// them, so only some elements of a large container are looked at, and the others taken to be like them.
template <class Elements>
size_t heap_bytes_of_elements(const Elements& elements) {
  if constexpr (owns_memory<range_element_t<const Elements>>()) {
    constexpr size_t most = 8;
    size_t looked_at = std::min(elements.size(), most);
    size_t bytes = 0;
    auto element = elements.begin();
    for (size_t i = 0; i < looked_at; i++) {
      if constexpr (std::random_access_iterator<decltype(element)>) {
        bytes += heap_bytes(elements.begin()[static_cast<ptrdiff_t>(i * elements.size() / looked_at)]);
      } else {
        bytes += heap_bytes(*element++);
      }
    }
    return looked_at == elements.size() ? bytes : bytes * elements.size() / looked_at;
  } else {
    return 0;
  }
}

// Bytes of a value beyond its own size.
template <class T>
size_t heap_bytes(const T& value) {
  if constexpr (!owns_memory<T>()) {
    return 0;
  } else if constexpr (std::is_same_v<T, std::string>) {
    return value.capacity() > sizeof(std::string) / 2 ? value.capacity() : 0;
  } else if constexpr (requires { value.capacity(); }) {
    return value.capacity() * sizeof(typename T::value_type) + heap_bytes_of_elements(value);
  } else if constexpr (Container<T>) {
    return value.size() * (sizeof(typename T::value_type) + 4 * sizeof(void*)) + heap_bytes_of_elements(value);
  } else if constexpr (is_std_array<T>) {
    return heap_bytes_of_elements(value);
  } else if constexpr (is_optional<T>) {
    return value ? heap_bytes(*value) : 0;
  } else if constexpr (Fielded<T>) {
    return std::apply([](const auto&... fields) { return (heap_bytes(fields) + ... + size_t{0}); }, fields_of(value));
  } else {
    return 0;
  }
}

// A growing array of aggregates.
template <class A>
class Aggregates {
 public:
  size_t size() const { return values_.size(); }
  A& operator[](size_t i) { return values_[i]; }
  const A& operator[](size_t i) const { return values_[i]; }
  A& back() { return values_.back(); }
  void push(A value) { values_.push_back(std::move(value)); }
  size_t allocated_bytes() const { return values_.capacity() * sizeof(A); }
  void clear() { values_ = std::vector<A>(); }

 private:
  std::vector<A> values_;
};
template <class A>
  requires std::is_trivially_copyable_v<A>
class Aggregates<A> : public Buffer<A> {
 public:
  void clear() { *this = Aggregates(); }
};

// Keys with one aggregate each.
template <class K, class A>
class AggregateTable {
 public:
  size_t size() const { return keys_.size(); }
  const Column<K>& keys() const { return keys_.keys(); }
  const KeyTable<K>& key_table() const { return keys_; }
  const A& value(size_t i) const { return values_[i]; }
  size_t allocated_bytes() const { return keys_.allocated_bytes() + values_.allocated_bytes() + heap_bytes_; }
  void clear() {
    keys_.clear();
    values_.clear();
    heap_bytes_ = 0;
    accounted_bytes_ = 0;
  }

  // Returns true if the table may have grown by much, so that its memory must be accounted for.
  template <class Key, class Create, class Merge>
  bool update(uint64_t hash, const Key& key, Create&& create, Merge&& merge) {
    auto [number, is_new] = keys_.insert(hash, key);
    if (is_new) {
      values_.push(create());
      if constexpr (!std::is_trivially_copyable_v<A>) {
        grow(heap_bytes(values_.back()));
      }
      return has_grown();
    }
    A& value = values_[number];
    if constexpr (std::is_trivially_copyable_v<A>) {
      merge(value);
      return false;
    } else {
      size_t before = heap_bytes(value);
      merge(value);
      grow(heap_bytes(value) - before);
      return has_grown();
    }
  }

 private:
  // May also shrink: sizes wrap around.
  void grow(size_t bytes) { heap_bytes_ += bytes; }
  bool has_grown() {
    size_t bytes = keys_.keys().bytes() + values_.size() * sizeof(A) + heap_bytes_;
    if (bytes < accounted_bytes_ + growth_bytes) [[likely]] {
      return false;
    }
    accounted_bytes_ = bytes;
    return true;
  }

  KeyTable<K> keys_;
  Aggregates<A> values_;
  size_t heap_bytes_ = 0;
  size_t accounted_bytes_ = 0;
};

// Begins an aggregate with the first value as it is.
struct Same {
  template <class T>
  const T& operator()(const T& value) const {
    return value;
  }
};

// How values become aggregates. A combiner has Value, Aggregate, create(value), merge_value(aggregate, value) and
// merge(aggregate, other).
template <const char* name, class Create, class MergeValue, class MergeAggregates, class A>
struct Combiner {
  using Aggregate = A;
  // Whether values may as well go on as they are, and be merged later: an aggregate is nothing but its values.
  static constexpr bool only_merges = std::is_same_v<Create, Kernel<Same>>;
  Create creator;
  MergeValue value_merger;
  MergeAggregates merger;

  template <class Archive>
  void captures(Archive& archive) {
    creator.captures(archive);
    value_merger.captures(archive);
    merger.captures(archive);
  }
  template <class V>
  A create(const V& value) const {
    decltype(auto) argument = adapt<Create::template takes<V>>(value);
    return own<A>(creator.run(name, argument));
  }
  template <class V>
  void merge_value(A& aggregate, const V& value) const {
    if constexpr (MergeValue::template takes<A, V>) {
      assign(aggregate, value_merger.run(name, aggregate, value));
    } else {
      assign(aggregate, value_merger.run(name, aggregate, own<owned_t<V>>(value)));
    }
  }
  template <class V>
  void merge(A& aggregate, const V& other) const {
    if constexpr (MergeAggregates::template takes<A, V>) {
      assign(aggregate, merger.run(name, aggregate, other));
    } else {
      assign(aggregate, merger.run(name, aggregate, own<A>(other)));
    }
  }

 private:
  template <class Result>
  static void assign(A& aggregate, Result&& result) {
    if constexpr (std::is_same_v<std::remove_cvref_t<Result>, A>) {
      aggregate = std::forward<Result>(result);
    } else {
      aggregate = own<A>(result);
    }
  }
};

// The map side. Where nearly all keys are different, a table costs time and saves nothing: then values go on as they
// are, and are merged on the reduce side.
template <class Scan, class C>
struct CombineBody {
  using K = owned_t<typename Scan::Element::first_type>;
  using A = typename C::Aggregate;
  Scan scan;
  C combiner;

  struct State {
    State(const CombineBody& body, Task& task) : scan(body.scan, task, 0), memory(task), output(task) {}
    typename Scan::State scan;
    AggregateTable<K, A> table;
    Reservation memory;
    MapOutput<std::pair<K, A>> output;
    // Rows that the table has taken.
    size_t rows = 0;
    // Rows that are still to go on as they are.
    size_t passing = 0;
    // Whether the table has all rows, and the position in it up to which it was written.
    bool consumed = false;
    size_t written = 0;
  };

  template <class Archive>
  void captures(Archive& archive) {
    scan.captures(archive);
    combiner.captures(archive);
  }

  bool advance(State& state, Task& task) const {
    if (!state.consumed && scan.advance(state.scan, [&](const auto& element) {
          const auto& value = element.second;
          if constexpr (C::only_merges) {
            if (state.passing != 0) {
              state.passing--;
              push(state, task, element.first, value);
              return;
            }
            state.rows++;
          }
          bool grown = state.table.update(
              hash_of(element.first), element.first, [&] { return combiner.create(value); },
              [&](A& aggregate) { combiner.merge_value(aggregate, value); });
          if (grown) [[unlikely]] {
            look(state, task);
          }
        })) {
      return true;
    }
    state.consumed = true;
    if (!write(state, task)) {
      return true;
    }
    state.output.finish();
    return false;
  }

 private:
  // A table of so many keys tells how often keys come again.
  static constexpr size_t telling_keys = 16384;
  static constexpr size_t rows_to_pass = 1 << 20;

  [[gnu::noinline]] static void push(State& state, const Task& task, const auto& key, const auto& value) {
    state.output.push(partition_of(hash_of(key), task.output_partitions()),
                      std::pair<decltype(key), decltype(value)>(key, value));
  }
  // At what the table has become.
  [[gnu::noinline]] static void look(State& state, Task& task) {
    bool is_useless =
        C::only_merges && state.table.size() >= telling_keys && state.table.size() > state.rows - state.rows / 8;
    if (is_useless || !state.memory.ensure(state.table.allocated_bytes())) {
      write(state, task);
    }
    state.passing = is_useless ? rows_to_pass : 0;
  }
  // False if so much was emitted that the call must end, once there are no rows to come: then there is more.
  [[gnu::noinline]] static bool write(State& state, Task& task) {
    const KeyTable<K>& table = state.table.key_table();
    for (; state.written < table.positions(); state.written++) {
      if (state.consumed && task.has_emitted_much()) {
        return false;
      }
      if (int64_t number = table.number_at(state.written); number >= 0) {
        auto key = table.keys()[static_cast<size_t>(number)];
        push(state, task, key, state.table.value(static_cast<size_t>(number)));
      }
    }
    state.table.clear();
    state.memory.release();
    state.rows = 0;
    state.written = 0;
    return true;
  }
};

// The reduce side. Its input has pairs of keys and aggregates, whose equal keys are all in this partition.
template <class K, class C>
struct AggregateScan {
  using A = typename C::Aggregate;
  using Row = std::pair<K, A>;
  using Element = std::pair<view_t<K>, shown_t<A>>;
  static constexpr int inputs = 1;
  C combiner;

  struct State {
    State(const AggregateScan&, Task& its_task, int32_t its_input)
        : task(&its_task), input(its_input), memory(its_task), overflow(its_task) {}
    Task* task;
    int32_t input;
    bool consumed = false;
    AggregateTable<K, A> table;
    Reservation memory;
    size_t emitted = 0;
    // Where the rows go that do not fit, and what is still to be done.
    int level = 0;
    Overflow<K, A> overflow;
    PendingParts pending;
  };

  template <class Archive>
  void captures(Archive& archive) {
    combiner.captures(archive);
  }

  template <class Consumer>
  bool advance(State& state, Consumer&& consumer) const {
    if (!state.consumed) {
      state.consumed = true;
      add(state, Batches(*state.task, state.input));
    }
    state.task->fail_if_cancelled();
    const KeyTable<K>& table = state.table.key_table();
    if (state.emitted == table.positions() && !next_part(state)) {
      return false;
    }
    size_t end = std::min(table.positions(), state.emitted + chunk_rows);
    for (; state.emitted < end && !state.task->has_emitted_much(); state.emitted++) {
      if (int64_t number = table.number_at(state.emitted); number >= 0) {
        consumer(
            Element(table.keys()[static_cast<size_t>(number)], show(state.table.value(static_cast<size_t>(number)))));
      }
    }
    return true;
  }

 private:
  // All rows of the input, or of a part that was spilled.
  [[gnu::noinline]] void add(State& state, Batches batches) const {
    Column<Row> rows;
    while (batches.next(rows)) {
      state.table.key_table().each_hashed(rows.template field<0>(), [&](size_t i, uint64_t hash) {
        const auto value = rows.template field<1>()[i];
        bool grown = state.table.update(
            hash, rows.template field<0>()[i], [&] { return own<A>(value); },
            [&](A& aggregate) { combiner.merge(aggregate, value); });
        // A level that is too deep has keys that cannot be divided: they must fit.
        if (grown && !state.memory.ensure(state.table.allocated_bytes()) && state.level < deepest_overflow)
            [[unlikely]] {
          flush(state);
        }
      });
    }
    if (state.overflow.begun()) {
      flush(state);
      state.pending.add(state.overflow.finish(), {}, state.level + 1);
    }
  }
  [[gnu::noinline]] static void flush(State& state) {
    if (!state.overflow.begun()) {
      state.overflow.begin(state.level);
    }
    const Column<K>& keys = state.table.keys();
    for (size_t i = 0; i < keys.size(); i++) {
      auto key = keys[i];
      state.overflow.push(hash_of(key), key, state.table.value(i));
    }
    state.table.clear();
    state.memory.release();
  }
  bool next_part(State& state) const {
    if (state.pending.empty()) {
      return false;
    }
    PendingPart part = state.pending.take();
    state.table.clear();
    state.memory.release();
    state.emitted = 0;
    state.level = part.level;
    add(state, Batches(*state.task, std::move(part.spills[0])));
    return true;
  }
};

}  // namespace heapspan::detail
