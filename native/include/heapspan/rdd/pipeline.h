#pragma once

#include <functional>
#include <map>
#include <unordered_map>

#include "actions.h"
#include "aggregate.h"
#include "group.h"
#include "join.h"
#include "shared.h"
#include "sort.h"

// The API of Rdds. This file lists the operators; their definitions are in the operators_*.h files.
//
// A Pipeline is an Rdd whose last narrow operators are known to the compiler and not run yet: they become one loop. Its
// type changes with each operator; write auto, or Rdd<T>, which is the same for all Rdds of T elements.

namespace heapspan {

template <class T>
class Rdd;

// Where a persisted Rdd is kept.
enum class StorageLevel : int32_t {
  memory = HEAPSPAN_MEMORY,
  memory_and_disk = HEAPSPAN_MEMORY_AND_DISK,
  disk = HEAPSPAN_DISK
};

// What collect_as_map returns. Keys are the same under the rules of reduce_by_key.
template <class K, class V>
using Map = std::unordered_map<K, V, detail::KeyHash, detail::SameKey>;

namespace detail {

template <class T>
struct PairTypes {
  using Key = void;
  using Value = void;
};
template <class A, class B>
struct PairTypes<std::pair<A, B>> {
  using Key = owned_t<A>;
  using Value = owned_t<B>;
};

// The name is what the error says if it is not so.
template <class Element>
inline constexpr bool this_operator_needs_an_rdd_of_pairs = Pair<Element>;
template <class Scan>
concept PairScan = this_operator_needs_an_rdd_of_pairs<typename Scan::Element>;

// The type in which numbers are added up, so that many small ones do not overflow.
template <class T>
using sum_t =
    std::conditional_t<std::is_floating_point_v<T>, double, std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;

template <class Sum>
struct PlusAs {
  template <class A, class B>
  Sum operator()(const A& a, const B& b) const {
    return static_cast<Sum>(a) + static_cast<Sum>(b);
  }
};

struct Plus {
  template <class A, class B>
  auto operator()(const A& a, const B& b) const {
    return a + b;
  }
};

}  // namespace detail

template <class Scan>
class Pipeline {
 public:
  // What kernels get, and the type that owns it.
  using Element = typename Scan::Element;
  using T = detail::owned_t<Element>;
  // Of pairs; else void.
  using K = typename detail::PairTypes<Element>::Key;
  using V = typename detail::PairTypes<Element>::Value;

  Pipeline() = default;
  Pipeline(detail::Plan&& plan, Scan&& scan) : plan_(std::move(plan)), scan_(std::move(scan)) {}

  // ------------------------------------------------------------------------------------------- element by element
  // Kernels come before their captures: rdd.map([](const auto& x, double w) { return x * w; }, w).

  // The kernel's result for each element.
  template <class F, class... C>
  auto map(F kernel, C... captures) const;
  // The elements for which the kernel returns true.
  template <class F, class... C>
  auto filter(F kernel, C... captures) const;
  // All elements of the range that the kernel returns for each element.
  template <class F, class... C>
  auto flat_map(F kernel, C... captures) const;
  // As map, for kernels that return a std::pair.
  template <class F, class... C>
  auto map_to_pair(F kernel, C... captures) const;
  // Pairs of the kernel's result and the element.
  template <class F, class... C>
  auto key_by(F kernel, C... captures) const;
  // The kernel gets all elements of a partition as a std::span or ArrayView, and returns a range. They must fit in
  // memory.
  template <class F, class... C>
  auto map_partitions(F kernel, C... captures) const;
  // A random part of the elements: each is taken with the probability `fraction`, or, with replacement, `fraction`
  // times in the mean. The same seed gives the same sample if the elements have the same order. An error if `fraction`
  // is negative or not finite, or, without replacement, more than 1.
  auto sample(bool with_replacement, double fraction, uint64_t seed = 0) const;
  // Pairs of each element and its number. Runs a job that counts, unless there is one partition.
  auto zip_with_index() const;

  // ------------------------------------------------------------------------------------------------ pairs, by pair
  auto keys() const
    requires detail::PairScan<Scan>;
  auto values() const
    requires detail::PairScan<Scan>;
  // The kernel's result for each value, with the key of that value.
  template <class F, class... C>
    requires detail::PairScan<Scan>
  auto map_values(F kernel, C... captures) const;
  template <class F, class... C>
    requires detail::PairScan<Scan>
  auto flat_map_values(F kernel, C... captures) const;

  // ------------------------------------------------------------------------------------------------- pairs, by key
  // `partitions` is the number of partitions of the result. 0: that of a side that is divided by key already, else that
  // of the larger input.

  // All values of each key, in one: function(value, value). It must be associative and commutative.
  template <class F>
    requires detail::PairScan<Scan>
  auto reduce_by_key(F function, int32_t partitions = 0) const;
  // The same, beginning with `zero`. It must be neutral, such as 0 in a sum: a key begins with it at least once in each
  // partition of the input that has the key, and again each time the host refuses memory.
  template <class Z, class F>
    requires detail::PairScan<Scan>
  auto fold_by_key(Z zero, F function, int32_t partitions = 0) const;
  // Aggregates of another type: add(aggregate, value), merge(aggregate, aggregate). `zero` is as in fold_by_key.
  template <class Z, class Add, class Merge>
    requires detail::PairScan<Scan>
  auto aggregate_by_key(Z zero, Add add, Merge merge, int32_t partitions = 0) const;
  // The same with create(value) for the first value.
  template <class Create, class Add, class Merge>
    requires detail::PairScan<Scan>
  auto combine_by_key(Create create, Add add, Merge merge, int32_t partitions = 0) const;
  // All values of each key, as a range. All of one key must fit in memory.
  auto group_by_key(int32_t partitions = 0) const
    requires detail::PairScan<Scan>;
  // The ranges of values of each key that is on either side.
  template <class Other>
    requires detail::PairScan<Scan>
  auto cogroup(const Pipeline<Other>& other, int32_t partitions = 0) const;
  // (key, (value, other value)) for all values of equal keys. This side is built into tables, the other streams.
  template <class Other>
    requires detail::PairScan<Scan>
  auto join(const Pipeline<Other>& other, int32_t partitions = 0) const;
  // Also the keys without a match on the left, the right, or any side; what is missing is an empty std::optional.
  template <class Other>
    requires detail::PairScan<Scan>
  auto left_outer_join(const Pipeline<Other>& other, int32_t partitions = 0) const;
  template <class Other>
    requires detail::PairScan<Scan>
  auto right_outer_join(const Pipeline<Other>& other, int32_t partitions = 0) const;
  template <class Other>
    requires detail::PairScan<Scan>
  auto full_outer_join(const Pipeline<Other>& other, int32_t partitions = 0) const;
  // The pairs whose key is not on the other side.
  template <class Other>
    requires detail::PairScan<Scan>
  auto subtract_by_key(const Pipeline<Other>& other, int32_t partitions = 0) const;
  // Equal keys in the same partition.
  auto partition_by(int32_t partitions) const
    requires detail::PairScan<Scan>;
  // Ordered within and between partitions. Runs a job that samples the keys, unless there is one partition. If few keys
  // are different, the result may have fewer partitions than asked for.
  auto sort_by_key(bool ascending = true, int32_t partitions = 0) const
    requires detail::PairScan<Scan>;

  // ----------------------------------------------------------------------------------------- whole Rdds
  // Ordered by the kernel's result.
  template <class F, class... C>
  auto sort_by(F key, C... captures) const;
  template <class F, class... C>
  auto sort_by_descending(F key, C... captures) const;
  auto distinct(int32_t partitions = 0) const;
  // All elements of both, also twice. (union is a word of C++.)
  template <class Other>
  auto union_with(const Pipeline<Other>& other) const;
  // The first element with the first of the other, and so on. Both need partitions with equal numbers of elements.
  template <class Other>
  auto zip(const Pipeline<Other>& other) const;
  // Each element with each of the other.
  template <class Other>
  auto cartesian(const Pipeline<Other>& other) const;
  // Evenly over so many partitions, with a shuffle.
  auto repartition(int32_t partitions) const;
  // At most so many partitions, without a shuffle.
  auto coalesce(int32_t partitions) const;

  // Keeps the result, when it is computed first, for all later uses of the Rdd that this returns.
  [[nodiscard]] Rdd<T> persist(StorageLevel level = StorageLevel::memory) const;
  void unpersist() const;
  // Writes the result to reliable storage, when it is computed first, and forgets how it was made. The folder is that
  // of Spark's setting spark.checkpoint.dir; Spark throws if that is not set.
  [[nodiscard]] Rdd<T> checkpoint() const;

  int32_t partition_count() const { return plan_.partition_count(); }

  // ------------------------------------------------------------------------------------------------------- actions
  // function(element, element); an error if there is none.
  template <class F>
  T reduce(F function) const;
  // The same, but partial results are combined in tasks first: for large results of many partitions.
  template <class F>
  T tree_reduce(F function, int32_t depth = 2) const;
  // These begin with `zero` in each partition that has elements; it is the result if there are none.
  template <class Z, class F>
  T fold(Z zero, F function) const;
  template <class Z, class Add, class Merge>
  detail::owned_t<Z> aggregate(Z zero, Add add, Merge merge) const;
  int64_t count() const;
  bool is_empty() const { return take(1).empty(); }
  std::vector<T> collect() const;
  // The first elements. Looks at as few partitions as it can.
  std::vector<T> take(size_t count) const;
  // An error if there is none.
  T first() const;
  // The largest, largest first; the smallest, smallest first.
  std::vector<T> top(size_t count) const;
  std::vector<T> take_ordered(size_t count) const;
  // The first in the order of before(a, b).
  template <class F>
  std::vector<T> take_ordered(size_t count, F before) const;
  // So many random elements. Without replacement, all elements if there are fewer. The same seed gives the same sample
  // if the elements have the same order.
  std::vector<T> take_sample(bool with_replacement, size_t count, uint64_t seed = 0) const;
  // An error if there is no element.
  T max() const;
  T min() const;
  // Of whole numbers as int64_t or uint64_t, of others as double.
  detail::sum_t<T> sum() const
    requires std::is_arithmetic_v<T>;
  Map<T, int64_t> count_by_value() const;
  // One of the values, if a key has several.
  auto collect_as_map() const
    requires detail::PairScan<Scan>;
  auto count_by_key() const
    requires detail::PairScan<Scan>;
  // All values of one key.
  template <class Key>
    requires detail::PairScan<Scan>
  auto lookup(const Key& key) const;
  template <class F, class... C>
  void foreach(F kernel, C... captures) const;
  // The kernel gets all elements of a partition as a range.
  template <class F, class... C>
  void foreach_partition(F kernel, C... captures) const;
  // A file part-NNNNN for each partition in the new folder `path`, one line for each element.
  void save_as_text_file(std::string_view path) const;
  // The same with the bytes of each element, which must be a plain struct or number. An error for a path "rdd:NAME",
  // under which the application gets lines of text.
  void save_as_binary(std::string_view path) const;
  // A Parquet file for each partition in the new folder `path`, with a column for each part of an element.
  void save_as_parquet(std::string_view path, const std::vector<std::string>& columns) const;
  // Gives the application that runs the program an RDD of these elements, which is computed when it is used.
  void output(std::string_view name) const;

  // For the operators of other Pipelines.
  const detail::Plan& plan() const { return plan_; }
  const Scan& scan() const { return scan_; }
  // The node whose batches are columns of T. A ColumnScan always reads a node as it is.
  detail::NodePointer materialize() const {
    plan_.driver();
    if constexpr (detail::is_column_scan<Scan>) {
      return plan_.nodes[0];
    } else {
      return plan_.stage(detail::code_of(detail::EmitBody<Scan>{scan_}));
    }
  }
  // The same elements behind a node.
  Rdd<T> materialized() const;

 private:
  template <class Next>
  static auto next(detail::Plan&& plan, Next&& scan) {
    Pipeline<Next> fused(std::move(plan), std::move(scan));
    if constexpr (detail::by_element) {
      return Rdd<detail::owned_t<typename Next::Element>>(fused);
    } else {
      return fused;
    }
  }
  template <const char* name, class F, class... C>
  auto map_as(F, C... captures) const;
  template <detail::JoinKind kind, class Build, class Stream>
  static auto join_as(const char* name, const Pipeline<Build>& build, const Pipeline<Stream>& stream,
                      int32_t partitions);
  template <class Combiner>
  auto combine(const char* name, Combiner combiner, int32_t partitions) const;
  template <class Action>
  std::vector<typename Action::Partial> partials(const char* name, const Action& action) const {
    return detail::run_action(plan_.with(name), scan_, action, detail::all_partitions(plan_));
  }

  detail::Plan plan_;
  Scan scan_;
};

// An Rdd of T elements, however it was made: for variables, parameters and loops. What is assigned to it becomes a
// stage of its own, unless it is one already.
template <class T>
class Rdd : public Pipeline<detail::ColumnScan<T>> {
  using Base = Pipeline<detail::ColumnScan<T>>;

 public:
  Rdd() = default;
  template <class Scan>
    requires std::is_same_v<detail::owned_t<typename Scan::Element>, T>
  Rdd(const Pipeline<Scan>& pipeline)
      : Base(pipeline.plan().reading(pipeline.materialize(), pipeline.plan().hash_partitions), {}) {}
  Rdd(detail::Plan plan) : Base(std::move(plan), {}) {}
};

// For calls from here on.
template <class Scan>
Rdd<typename Pipeline<Scan>::T> Pipeline<Scan>::materialized() const {
  return Rdd<T>(*this);
}

}  // namespace heapspan
