#pragma once

#include "operators_narrow.h"

// reduce_by_key, group_by_key, joins and the other operators that bring equal keys together.

namespace heapspan {

namespace detail {

inline constexpr char reduce_by_key_name[] = "reduce_by_key";
inline constexpr char fold_by_key_name[] = "fold_by_key";
inline constexpr char aggregate_by_key_name[] = "aggregate_by_key";
inline constexpr char combine_by_key_name[] = "combine_by_key";
inline constexpr char reduce_name[] = "reduce";
inline constexpr char fold_name[] = "fold";
inline constexpr char aggregate_name[] = "aggregate";

// Checks a function of an operator that takes no captures.
template <class F>
consteval bool is_plain_function() {
  static_assert(
      captures_nothing<F>,
      "heapspan: this function must not capture: write [], not [x], [&] or [=], and pass no pointer to a function");
  return captures_nothing<F>;
}

// Checks a function of two aggregates or of an aggregate and a value.
template <class F, class A, class Value>
consteval bool is_merger() {
  if constexpr (is_plain_function<F>()) {
    constexpr bool takes_view = std::is_invocable_v<const F&, const A&, const Value&>;
    constexpr bool takes = takes_view || std::is_invocable_v<const F&, const A&, const owned_t<Value>&>;
    static_assert(takes, "heapspan: this function takes what was merged so far and the next value, as const values");
    if constexpr (takes) {
      using Next = std::conditional_t<takes_view, Value, owned_t<Value>>;
      constexpr bool fits = can_own<A, std::remove_cvref_t<std::invoke_result_t<const F&, const A&, const Next&>>>();
      static_assert(fits, "heapspan: this function returns what is merged now, of the type of what was merged so far");
      return fits;
    }
  }
  return false;
}

// Checks the value that an aggregate of type A begins with.
template <class A, class Z>
consteval bool is_zero() {
  constexpr bool fits = can_own<A, Z>();
  static_assert(fits, "heapspan: the first argument is of the type of what is merged");
  return fits;
}

template <const char* name, class F, class Element>
auto reduce_combiner() {
  using A = owned_t<Element>;
  return Combiner<name, Kernel<Same>, Kernel<F>, Kernel<F>, A>{};
}

// Begins each aggregate with add(zero, value).
template <const char* name, class Add, class Merge, class A>
auto aggregate_combiner(A zero) {
  auto create = [](const auto& value, const A& begin) -> A {
    if constexpr (std::is_invocable_v<const Add&, const A&, decltype(value)>) {
      return own<A>(Add()(begin, value));
    } else {
      return own<A>(Add()(begin, own<owned_t<std::remove_cvref_t<decltype(value)>>>(value)));
    }
  };
  return Combiner<name, Kernel<decltype(create), A>, Kernel<Add>, Kernel<Merge>, A>{
      Kernel<decltype(create), A>(std::move(zero)), {}, {}};
}

struct HashChooser {
  struct State {
    State(const HashChooser&, Task& task) : partitions(task.output_partitions()) {}
    int32_t partitions;
  };
  template <class Archive>
  void captures(Archive&) {}
  template <class Element>
  int32_t choose(State& state, const Element& element) const {
    return partition_of(hash_of(element.first), state.partitions);
  }
};

// One after the other, beginning at another one in each partition of the input.
struct RoundRobinChooser {
  struct State {
    State(const RoundRobinChooser&, Task& task)
        : next(mix(static_cast<uint64_t>(task.partition())) % static_cast<uint64_t>(task.output_partitions())),
          partitions(static_cast<uint64_t>(task.output_partitions())) {}
    uint64_t next;
    uint64_t partitions;
  };
  template <class Archive>
  void captures(Archive&) {}
  template <class Element>
  int32_t choose(State& state, const Element&) const {
    return static_cast<int32_t>(state.next++ % state.partitions);
  }
};

HEAPSPAN_ONCE void check_partitions(int32_t partitions);

// How many partitions the result of an operator has for these inputs.
HEAPSPAN_ONCE int32_t choose_partitions(int32_t wanted, const Plan& left, const Plan* right = nullptr);

// The same pairs with equal keys in one partition; without a shuffle if they are there.
template <class Scan>
auto by_hash(const Pipeline<Scan>& pairs, int32_t partitions) {
  using T = typename Pipeline<Scan>::T;
  const Plan& plan = pairs.plan();
  bool together = plan.hash_partitions == partitions;
  if (is_column_scan<Scan> && together) {
    return Rdd<T>(plan);
  }
  // The same code for both, because it contains the operators before it.
  StageCode code = code_of(PartitionBody<Scan, HashChooser>{pairs.scan(), {}});
  return Rdd<T>(plan.reading((together ? plan : plan.with("partition_by")).by_hash(code, partitions), partitions));
}

}  // namespace detail

template <class Scan>
template <class Combiner>
auto Pipeline<Scan>::combine(const char* name, Combiner combiner, int32_t partitions) const {
  partitions = detail::choose_partitions(partitions, plan_);
  detail::Plan plan = plan_.with(name).varying_order();
  // If equal keys are together already, the same code runs as a stage of its own, and its result stays where it is.
  detail::NodePointer node =
      plan.by_hash(detail::code_of(detail::CombineBody<Scan, Combiner>{scan_, combiner}), partitions);
  return next(plan.reading(std::move(node), partitions).with(name).varying_order(),
              detail::AggregateScan<K, Combiner>{combiner});
}

template <class Scan>
template <class F>
  requires detail::PairScan<Scan>
auto Pipeline<Scan>::reduce_by_key(F, int32_t partitions) const {
  using Value = typename Element::second_type;
  if constexpr (detail::is_merger<F, V, Value>()) {
    return combine("reduce_by_key", detail::reduce_combiner<detail::reduce_by_key_name, F, Value>(), partitions);
  }
}

template <class Scan>
template <class Z, class F>
  requires detail::PairScan<Scan>
auto Pipeline<Scan>::fold_by_key(Z zero, F, int32_t partitions) const {
  if constexpr (detail::is_zero<V, Z>() && detail::is_merger<F, V, typename Element::second_type>()) {
    return combine("fold_by_key", detail::aggregate_combiner<detail::fold_by_key_name, F, F, V>(detail::own<V>(zero)),
                   partitions);
  }
}

template <class Scan>
template <class Z, class Add, class Merge>
  requires detail::PairScan<Scan>
auto Pipeline<Scan>::aggregate_by_key(Z zero, Add, Merge, int32_t partitions) const {
  using A = detail::owned_t<Z>;
  if constexpr (detail::is_merger<Add, A, typename Element::second_type>() && detail::is_merger<Merge, A, A>()) {
    return combine("aggregate_by_key",
                   detail::aggregate_combiner<detail::aggregate_by_key_name, Add, Merge, A>(detail::own<A>(zero)),
                   partitions);
  }
}

template <class Scan>
template <class Create, class Add, class Merge>
  requires detail::PairScan<Scan>
auto Pipeline<Scan>::combine_by_key(Create, Add, Merge, int32_t partitions) const {
  using Value = typename Element::second_type;
  if constexpr (detail::is_kernel<Create>(detail::Types<Value>(), detail::Types<>())) {
    using A = detail::owned_t<detail::result_t<detail::Kernel<Create>, Value>>;
    static_assert(!std::is_void_v<A>, "heapspan: the first function of combine_by_key returns what the others merge");
    if constexpr (!std::is_void_v<A>) {
      if constexpr (detail::is_merger<Add, A, Value>() && detail::is_merger<Merge, A, A>()) {
        return combine("combine_by_key",
                       detail::Combiner<detail::combine_by_key_name, detail::Kernel<Create>, detail::Kernel<Add>,
                                        detail::Kernel<Merge>, A>{},
                       partitions);
      }
    }
  }
}

template <class Scan>
auto Pipeline<Scan>::distinct(int32_t partitions) const {
  auto pairs = map_as<detail::map_name>([](const auto& element) { return std::pair(element, Nothing()); });
  return pairs.reduce_by_key([](Nothing a, Nothing) { return a; }, partitions).keys();
}

template <class Scan>
auto Pipeline<Scan>::group_by_key(int32_t partitions) const
  requires detail::PairScan<Scan>
{
  partitions = detail::choose_partitions(partitions, plan_);
  auto pairs = detail::by_hash(*this, partitions);
  return next(pairs.plan().with("group_by_key").varying_order(), detail::GroupScan<K, V>{});
}

template <class Scan>
template <class Other>
  requires detail::PairScan<Scan>
auto Pipeline<Scan>::cogroup(const Pipeline<Other>& other, int32_t partitions) const {
  using OtherPipeline = Pipeline<Other>;
  static_assert(std::is_same_v<K, typename OtherPipeline::K>, "heapspan: both sides need keys of the same type");
  partitions = detail::choose_partitions(partitions, plan_, &other.plan());
  auto left = detail::by_hash(*this, partitions);
  auto right = detail::by_hash(other, partitions);
  return next(detail::zip_plans(left.plan(), right.plan(), partitions).with("cogroup").varying_order(),
              detail::GroupScan<K, V, typename OtherPipeline::V>{});
}

template <class Scan>
template <detail::JoinKind kind, class Build, class Stream>
auto Pipeline<Scan>::join_as(const char* name, const Pipeline<Build>& build, const Pipeline<Stream>& stream,
                             int32_t partitions) {
  using BuildPairs = typename Pipeline<Build>::T;
  static_assert(std::is_same_v<typename Pipeline<Build>::K, typename Pipeline<Stream>::K>,
                "heapspan: both sides need keys of the same type");
  partitions = detail::choose_partitions(partitions, build.plan(), &stream.plan());
  auto built = detail::by_hash(build, partitions);
  auto streamed = detail::by_hash(stream, partitions);
  detail::Plan plan = detail::zip_plans(built.plan(), streamed.plan(), partitions).with(name).varying_order();
  detail::Node& node = *built.plan().nodes[0];
  detail::NodePointer kept =
      node.join_table(built.plan(), detail::code_of(detail::KeptTableBody<BuildPairs>{{}, node.is_kept_in_memory()}));
  if (kept != nullptr) {
    plan.nodes.push_back(kept);
  }
  return next(
      std::move(plan),
      detail::JoinScan<kind, typename Pipeline<Build>::K, typename Pipeline<Build>::V, typename Pipeline<Stream>::V>{
          kept != nullptr});
}

template <class Scan>
template <class Other>
  requires detail::PairScan<Scan>
auto Pipeline<Scan>::join(const Pipeline<Other>& other, int32_t partitions) const {
  return join_as<detail::JoinKind::inner>("join", *this, other, partitions);
}

template <class Scan>
template <class Other>
  requires detail::PairScan<Scan>
auto Pipeline<Scan>::left_outer_join(const Pipeline<Other>& other, int32_t partitions) const {
  return join_as<detail::JoinKind::left_outer>("left_outer_join", *this, other, partitions);
}

template <class Scan>
template <class Other>
  requires detail::PairScan<Scan>
auto Pipeline<Scan>::right_outer_join(const Pipeline<Other>& other, int32_t partitions) const {
  return join_as<detail::JoinKind::right_outer>("right_outer_join", *this, other, partitions);
}

template <class Scan>
template <class Other>
  requires detail::PairScan<Scan>
auto Pipeline<Scan>::full_outer_join(const Pipeline<Other>& other, int32_t partitions) const {
  return join_as<detail::JoinKind::full_outer>("full_outer_join", *this, other, partitions);
}

template <class Scan>
template <class Other>
  requires detail::PairScan<Scan>
auto Pipeline<Scan>::subtract_by_key(const Pipeline<Other>& other, int32_t partitions) const {
  auto keys = other.map_values([](const auto&) { return Nothing(); });
  partitions = detail::choose_partitions(partitions, plan_, &other.plan());
  return join_as<detail::JoinKind::streamed_without_match>("subtract_by_key", keys, *this, partitions);
}

template <class Scan>
auto Pipeline<Scan>::partition_by(int32_t partitions) const
  requires detail::PairScan<Scan>
{
  return detail::by_hash(*this, detail::choose_partitions(partitions, plan_));
}

}  // namespace heapspan
