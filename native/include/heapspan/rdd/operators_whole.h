#pragma once

#include "operators_by_key.h"

// Sorting, unions, products and the other operators that look at whole Rdds.

namespace heapspan {

namespace detail {

// Keys that divide what was sampled into ranges of about equal numbers. Each sampled key stands for as many keys as its
// partition has for each one that was sampled.
template <class K>
std::vector<K> range_bounds(const std::vector<std::pair<uint64_t, std::vector<K>>>& samples, int32_t partitions,
                            KeyOrder key_order) {
  std::vector<std::pair<K, double>> keys;
  double total = 0;
  for (const auto& [count, sample] : samples) {
    for (const auto& key : sample) {
      double weight = static_cast<double>(count) / static_cast<double>(sample.size());
      keys.emplace_back(key, weight);
      total += weight;
    }
  }
  std::sort(keys.begin(), keys.end(), [&](const auto& a, const auto& b) { return key_order.before(a.first, b.first); });
  std::vector<K> bounds;
  double step = total / partitions;
  double weight = 0;
  for (const auto& [key, own_weight] : keys) {
    weight += own_weight;
    if (weight >= step * static_cast<double>(bounds.size() + 1) &&
        static_cast<int32_t>(bounds.size()) < partitions - 1 && (bounds.empty() || !same_key(K(bounds.back()), key))) {
      bounds.push_back(key);
    }
  }
  return bounds;
}

}  // namespace detail

template <class Scan>
auto Pipeline<Scan>::sort_by_key(bool ascending, int32_t partitions) const
  requires detail::PairScan<Scan>
{
  detail::KeyOrder order{ascending};
  detail::check_partitions(partitions);
  int32_t before = partition_count();
  if (partitions == 0) {
    partitions = std::max(before, 1);
  }
  std::vector<K> bounds;
  if (partitions > 1 && before > 0) {
    using Body = detail::KeySampleBody<Scan>;
    // As Spark does: 20 keys for each partition of the result, and more than that, in case partitions are uneven.
    uint64_t size =
        3 * std::min<uint64_t>(20 * static_cast<uint64_t>(partitions), 1000000) / static_cast<uint64_t>(before) + 1;
    detail::NodePointer node = plan_.with("sample keys").stage(detail::code_of(Body{scan_, size}));
    std::vector<typename Body::Sample> samples(static_cast<size_t>(before));
    detail::collect_columns<typename Body::Sample>(
        plan_, node, detail::all_partitions(plan_), [&](int32_t partition, const auto& column) {
          samples.at(static_cast<size_t>(partition)) = detail::own<typename Body::Sample>(column[0]);
        });
    bounds = detail::range_bounds<K>(samples, partitions, order);
  }
  auto count = static_cast<int32_t>(bounds.size() + 1);
  using Chooser = detail::RangeChooser<K>;
  detail::NodePointer node =
      plan_.with("divide by ranges")
          .shuffle(detail::code_of(detail::PartitionBody<Scan, Chooser>{scan_, Chooser{std::move(bounds), order}}),
                   count);
  return next(plan_.reading(std::move(node), 0).with("sort"),
              detail::SortScan<detail::ColumnScan<std::pair<K, V>>>{{}, order});
}

template <class Scan>
template <class F, class... C>
auto Pipeline<Scan>::sort_by(F key, C... captures) const {
  if constexpr (detail::is_kernel<F>(detail::Types<Element>(), detail::Types<C...>())) {
    constexpr bool is_value = !std::is_void_v<detail::result_t<detail::kernel_t<F, C...>, Element>>;
    static_assert(is_value, "heapspan: the kernel of sort_by returns a key");
    if constexpr (is_value) {
      return key_by(key, std::move(captures)...).sort_by_key(true).values();
    }
  }
}

template <class Scan>
template <class F, class... C>
auto Pipeline<Scan>::sort_by_descending(F key, C... captures) const {
  if constexpr (detail::is_kernel<F>(detail::Types<Element>(), detail::Types<C...>())) {
    constexpr bool is_value = !std::is_void_v<detail::result_t<detail::kernel_t<F, C...>, Element>>;
    static_assert(is_value, "heapspan: the kernel of sort_by_descending returns a key");
    if constexpr (is_value) {
      return key_by(key, std::move(captures)...).sort_by_key(false).values();
    }
  }
}

template <class Scan>
template <class Other>
auto Pipeline<Scan>::union_with(const Pipeline<Other>& other) const {
  static_assert(std::is_same_v<T, typename Pipeline<Other>::T>,
                "heapspan: union_with needs two Rdds with elements of the same type");
  if (plan_.session != other.plan().session) {
    throw Error("two Rdds of different Contexts cannot be combined");
  }
  detail::NodePointer left = materialize();
  detail::NodePointer right = other.materialize();
  int64_t handles[] = {left->handle(), right->handle()};
  int64_t handle = 0;
  detail::check(plan_.driver().union_of(plan_.driver().self, handles, 2, &handle));
  return Rdd<T>(plan_.reading(plan_.node(handle), 0));
}

template <class Scan>
template <class Other>
auto Pipeline<Scan>::zip(const Pipeline<Other>& other) const {
  auto left = materialized();
  auto right = other.materialized();
  if (left.partition_count() != right.partition_count()) {
    throw Error("zip needs two Rdds with the same number of partitions, not " + std::to_string(left.partition_count()) +
                " and " + std::to_string(right.partition_count()));
  }
  return next(detail::zip_plans(left.plan(), right.plan(), 0).with("zip").reading_order(),
              detail::ZipScan<detail::ColumnScan<T>, detail::ColumnScan<typename Pipeline<Other>::T>>{});
}

template <class Scan>
template <class Other>
auto Pipeline<Scan>::cartesian(const Pipeline<Other>& other) const {
  using U = typename Pipeline<Other>::T;
  auto left = materialized();
  auto right = other.materialized();
  detail::Plan plan = detail::zip_plans(left.plan(), right.plan(), 0).with("cartesian");
  plan.arrangement = HEAPSPAN_CARTESIAN;
  return next(std::move(plan), detail::CartesianScan<detail::ColumnScan<T>, detail::ColumnScan<U>>{});
}

template <class Scan>
auto Pipeline<Scan>::repartition(int32_t partitions) const {
  if (partitions < 1) {
    throw Error("repartition needs at least 1 partition, not " + std::to_string(partitions));
  }
  detail::NodePointer node =
      plan_.with("repartition")
          .reading_order()
          .shuffle(detail::code_of(detail::PartitionBody<Scan, detail::RoundRobinChooser>{scan_, {}}), partitions);
  return Rdd<T>(plan_.reading(std::move(node), 0));
}

template <class Scan>
auto Pipeline<Scan>::coalesce(int32_t partitions) const {
  if (partitions < 1) {
    throw Error("coalesce needs at least 1 partition, not " + std::to_string(partitions));
  }
  detail::NodePointer node = materialize();
  int64_t handle = 0;
  detail::check(plan_.driver().coalesce(plan_.driver().self, node->handle(), partitions, &handle));
  return Rdd<T>(plan_.reading(plan_.node(handle), 0));
}

template <class Scan>
Rdd<typename Pipeline<Scan>::T> Pipeline<Scan>::persist(StorageLevel level) const {
  Rdd<T> rdd = materialized();
  rdd.plan().nodes[0]->persist(static_cast<int32_t>(level));
  return rdd;
}

template <class Scan>
void Pipeline<Scan>::unpersist() const {
  plan_.driver();
  if (plan_.nodes.size() != 1 || !plan_.operators.empty()) {
    throw Error("unpersist was called on an Rdd that persist did not return");
  }
  plan_.nodes[0]->unpersist();
}

template <class Scan>
Rdd<typename Pipeline<Scan>::T> Pipeline<Scan>::checkpoint() const {
  Rdd<T> rdd = materialized();
  const heapspan_driver& driver = plan_.driver();
  detail::check(driver.checkpoint(driver.self, rdd.plan().nodes[0]->handle()));
  return rdd;
}

}  // namespace heapspan
