#pragma once

#include "operators_whole.h"
#include "value_type.h"

// The actions: operators that run jobs.

namespace heapspan {

namespace detail {

// Merges the partial results of partitions that had any elements.
template <class C>
std::optional<typename C::Aggregate> merge_partials(std::vector<std::optional<typename C::Aggregate>> partials,
                                                    const C& combiner) {
  std::optional<typename C::Aggregate> result;
  for (auto& partial : partials) {
    if (!result) {
      result = std::move(partial);
    } else if (partial) {
      combiner.merge(*result, *partial);
    }
  }
  return result;
}

struct Smaller {
  template <class T>
  const T& operator()(const T& a, const T& b) const {
    return order_of(b, a) < 0 ? b : a;
  }
};
struct Larger {
  template <class T>
  const T& operator()(const T& a, const T& b) const {
    return order_of(b, a) > 0 ? b : a;
  }
};
struct KeyAfter {
  template <class A, class B>
  bool operator()(const A& a, const B& b) const {
    return order_of(a, b) > 0;
  }
};

// An RDD of the application, which a path can name, has lines of text.
HEAPSPAN_ONCE void check_binary_folder(std::string_view path);

inline std::vector<const char*> c_strings(const std::vector<std::string>& strings) {
  std::vector<const char*> pointers;
  for (const std::string& string : strings) {
    pointers.push_back(string.c_str());
  }
  return pointers;
}

// The node whose batches are rows, as others know them.
template <class Scan>
NodePointer rows_of(const Pipeline<Scan>& elements) {
  using T = owned_t<typename Scan::Element>;
  if constexpr (std::is_same_v<row_t<T>, T>) {
    return elements.materialize();
  } else {
    return elements
        .map([](const auto& element) {
          return std::apply([](const auto&... fields) { return row_t<T>(fields...); }, fields_of(element));
        })
        .materialize();
  }
}

}  // namespace detail

template <class Scan>
template <class F>
typename Pipeline<Scan>::T Pipeline<Scan>::reduce(F) const {
  if constexpr (detail::is_merger<F, T, Element>()) {
    auto combiner = detail::reduce_combiner<detail::reduce_name, F, Element>();
    detail::CombineAction<decltype(combiner)> action;
    std::optional<T> result = detail::merge_partials(partials("reduce", action), combiner);
    if (!result) {
      throw Error("reduce, max or min of an Rdd without elements");
    }
    return *std::move(result);
  }
}

template <class Scan>
template <class F>
typename Pipeline<Scan>::T Pipeline<Scan>::tree_reduce(F function, int32_t depth) const {
  if constexpr (detail::is_merger<F, T, Element>()) {
    if (depth < 1) {
      throw Error("tree_reduce needs a depth of at least 1, not " + std::to_string(depth));
    }
    auto combiner = detail::reduce_combiner<detail::reduce_name, F, Element>();
    detail::CombineAction<decltype(combiner)> action;
    using Body = detail::ActionBody<Scan, decltype(action)>;
    Rdd<std::optional<T>> partial(plan_.reading(plan_.with("reduce").stage(detail::code_of(Body{scan_, action})), 0));
    Rdd<T> level = partial.flat_map([](const auto& value) {
      std::vector<T> values;
      if (value) {
        values.push_back(detail::own<T>(*value));
      }
      return values;
    });
    int32_t count = partition_count();
    auto scale = std::max<int32_t>(2, static_cast<int32_t>(std::ceil(std::pow(count, 1.0 / depth))));
    while (count > scale + (count + scale - 1) / scale) {
      count = (count + scale - 1) / scale;
      level = level.repartition(count).map_partitions([](const auto& elements) {
        std::vector<T> merged;
        for (const auto& element : elements) {
          if (merged.empty()) {
            merged.push_back(detail::own<T>(element));
          } else {
            merged[0] = detail::own<T>(F()(merged[0], detail::own<T>(element)));
          }
        }
        return merged;
      });
    }
    return level.reduce(function);
  }
}

template <class Scan>
template <class Z, class F>
typename Pipeline<Scan>::T Pipeline<Scan>::fold(Z zero, F) const {
  if constexpr (detail::is_zero<T, Z>() && detail::is_merger<F, T, Element>()) {
    T begin = detail::own<T>(zero);
    auto combiner = detail::aggregate_combiner<detail::fold_name, F, F, T>(begin);
    detail::CombineAction<decltype(combiner)> action{{}, combiner};
    std::optional<T> result = detail::merge_partials(partials("fold", action), combiner);
    return result ? *std::move(result) : begin;
  }
}

template <class Scan>
template <class Z, class Add, class Merge>
detail::owned_t<Z> Pipeline<Scan>::aggregate(Z zero, Add, Merge) const {
  using A = detail::owned_t<Z>;
  if constexpr (detail::is_merger<Add, A, Element>() && detail::is_merger<Merge, A, A>()) {
    A begin = detail::own<A>(zero);
    auto combiner = detail::aggregate_combiner<detail::aggregate_name, Add, Merge, A>(begin);
    detail::CombineAction<decltype(combiner)> action{{}, combiner};
    std::optional<A> result = detail::merge_partials(partials("aggregate", action), combiner);
    return result ? *std::move(result) : begin;
  }
}

template <class Scan>
int64_t Pipeline<Scan>::count() const {
  std::vector<int64_t> counts = partials("count", detail::CountAction());
  return std::accumulate(counts.begin(), counts.end(), int64_t{0});
}

template <class Scan>
std::vector<typename Pipeline<Scan>::T> Pipeline<Scan>::collect() const {
  std::vector<std::vector<T>> parts(static_cast<size_t>(partition_count()));
  detail::collect_columns<T>(plan_, materialize(), detail::all_partitions(plan_),
                             [&](int32_t partition, const detail::Column<T>& column) {
                               std::vector<T>& part = parts.at(static_cast<size_t>(partition));
                               for (size_t i = 0; i < column.size(); i++) {
                                 part.push_back(detail::own<T>(column[i]));
                               }
                             });
  std::vector<T> all;
  for (std::vector<T>& part : parts) {
    all.insert(all.end(), std::make_move_iterator(part.begin()), std::make_move_iterator(part.end()));
  }
  return all;
}

template <class Scan>
std::vector<typename Pipeline<Scan>::T> Pipeline<Scan>::take(size_t count) const {
  std::vector<T> taken;
  int32_t total = partition_count();
  // As Spark does: one partition, then four times as many as before.
  int32_t next = 0;
  for (int32_t width = 1; next < total && taken.size() < count; width *= 4) {
    std::vector<int32_t> partitions(static_cast<size_t>(std::min(width, total - next)));
    std::iota(partitions.begin(), partitions.end(), next);
    next += static_cast<int32_t>(partitions.size());
    for (std::vector<T>& part :
         detail::run_action(plan_.with("take"), scan_, detail::TakeAction<T>{{}, count - taken.size()}, partitions)) {
      for (size_t i = 0; i < part.size() && taken.size() < count; i++) {
        taken.push_back(std::move(part[i]));
      }
    }
    if (width > total) {
      break;
    }
  }
  return taken;
}

template <class Scan>
typename Pipeline<Scan>::T Pipeline<Scan>::first() const {
  std::vector<T> taken = take(1);
  if (taken.empty()) {
    throw Error("first of an Rdd without elements");
  }
  return std::move(taken[0]);
}

template <class Scan>
template <class F>
std::vector<typename Pipeline<Scan>::T> Pipeline<Scan>::take_ordered(size_t count, F) const {
  if constexpr (detail::is_plain_function<F>()) {
    constexpr bool is_order = std::is_invocable_r_v<bool, const F&, const T&, const T&>;
    static_assert(is_order,
                  "heapspan: the function of take_ordered takes two elements, as const values, and returns true if the "
                  "first one comes before the second");
    if constexpr (is_order) {
      detail::TakeOrderedAction<T, detail::Kernel<F>> action{{}, count, {}};
      std::vector<T> all;
      for (std::vector<T>& part : partials("take_ordered", action)) {
        all.insert(all.end(), std::make_move_iterator(part.begin()), std::make_move_iterator(part.end()));
      }
      action.finish(all);
      return all;
    }
  }
}

template <class Scan>
std::vector<typename Pipeline<Scan>::T> Pipeline<Scan>::take_ordered(size_t count) const {
  return take_ordered(count, detail::KeyBefore());
}

template <class Scan>
std::vector<typename Pipeline<Scan>::T> Pipeline<Scan>::top(size_t count) const {
  return take_ordered(count, detail::KeyAfter());
}

template <class Scan>
std::vector<typename Pipeline<Scan>::T> Pipeline<Scan>::take_sample(bool with_replacement, size_t count,
                                                                    uint64_t seed) const {
  // Without replacement, the elements with the smallest random numbers. With it, as many independent draws of one.
  detail::Plan plan = plan_.with("take_sample").reading_order();
  std::vector<T> result;
  detail::Random random(seed);
  if (with_replacement) {
    int64_t total = this->count();
    if (total == 0) {
      return result;
    }
    // The elements whose numbers were drawn.
    std::vector<int64_t> drawn(count);
    for (int64_t& number : drawn) {
      number = static_cast<int64_t>(random.next_below(static_cast<uint64_t>(total)));
    }
    std::vector<int64_t> numbers = drawn;
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    auto found =
        zip_with_index()
            .filter([](const auto& element,
                       const auto& wanted) { return std::binary_search(wanted.begin(), wanted.end(), element.second); },
                    numbers)
            .collect();
    for (int64_t number : drawn) {
      auto place = std::lower_bound(numbers.begin(), numbers.end(), number) - numbers.begin();
      result.push_back(found.at(static_cast<size_t>(place)).first);
    }
    return result;
  }
  using Action = detail::SampleAction<T>;
  Action action;
  action.limit = count;
  action.seed = seed;
  std::vector<std::pair<uint64_t, T>> all;
  for (auto& part : detail::run_action(plan, scan_, action, detail::all_partitions(plan_))) {
    all.insert(all.end(), std::make_move_iterator(part.begin()), std::make_move_iterator(part.end()));
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (size_t i = 0; i < all.size() && i < count; i++) {
    result.push_back(std::move(all[i].second));
  }
  return result;
}

template <class Scan>
typename Pipeline<Scan>::T Pipeline<Scan>::max() const {
  return reduce(detail::Larger());
}

template <class Scan>
typename Pipeline<Scan>::T Pipeline<Scan>::min() const {
  return reduce(detail::Smaller());
}

template <class Scan>
detail::sum_t<typename Pipeline<Scan>::T> Pipeline<Scan>::sum() const
  requires std::is_arithmetic_v<T>
{
  using Sum = detail::sum_t<T>;
  return aggregate(Sum(), detail::PlusAs<Sum>(), detail::PlusAs<Sum>());
}

template <class Scan>
auto Pipeline<Scan>::collect_as_map() const
  requires detail::PairScan<Scan>
{
  Map<K, V> map;
  for (auto& [key, value] : collect()) {
    map.insert_or_assign(std::move(key), std::move(value));
  }
  return map;
}

template <class Scan>
auto Pipeline<Scan>::count_by_key() const
  requires detail::PairScan<Scan>
{
  return map_values([](const auto&) { return int64_t{1}; })
      .reduce_by_key([](int64_t a, int64_t b) { return a + b; })
      .collect_as_map();
}

template <class Scan>
Map<typename Pipeline<Scan>::T, int64_t> Pipeline<Scan>::count_by_value() const {
  return map_as<detail::map_name>([](const auto& element) { return std::pair(element, int64_t{1}); })
      .reduce_by_key([](int64_t a, int64_t b) { return a + b; })
      .collect_as_map();
}

template <class Scan>
template <class Key>
  requires detail::PairScan<Scan>
auto Pipeline<Scan>::lookup(const Key& key) const {
  K wanted = detail::own<K>(key);
  auto found = filter([](const auto& pair, const auto& k) { return detail::same_key(pair.first, k); }, wanted).values();
  std::vector<int32_t> partitions = detail::all_partitions(plan_);
  if (plan_.hash_partitions != 0) {
    partitions = {detail::partition_of(detail::hash_of(wanted), plan_.hash_partitions)};
  }
  std::vector<V> values;
  detail::NodePointer node = found.materialize();
  std::vector<std::vector<V>> parts(partitions.size());
  detail::collect_columns<V>(plan_, node, partitions, [&](int32_t partition, const detail::Column<V>& column) {
    size_t place = plan_.hash_partitions != 0 ? 0 : static_cast<size_t>(partition);
    for (size_t i = 0; i < column.size(); i++) {
      parts.at(place).push_back(detail::own<V>(column[i]));
    }
  });
  for (std::vector<V>& part : parts) {
    values.insert(values.end(), std::make_move_iterator(part.begin()), std::make_move_iterator(part.end()));
  }
  return values;
}

template <class Scan>
template <class F, class... C>
void Pipeline<Scan>::foreach(F, C... captures) const {
  if constexpr (detail::is_kernel<F>(detail::Types<Element>(), detail::Types<C...>())) {
    using Kernel = detail::kernel_t<F, C...>;
    partials("foreach", detail::ForeachAction<Kernel>{{}, detail::make_kernel<F>(std::move(captures)...)});
  }
}

template <class Scan>
template <class F, class... C>
void Pipeline<Scan>::foreach_partition(F, C... captures) const {
  using View = detail::MapPartitionsView<Scan>;
  if constexpr (detail::is_kernel<F>(detail::Types<View>(), detail::Types<C...>())) {
    using Kernel = detail::kernel_t<F, C...>;
    detail::NodePointer node = plan_.with("foreach_partition")
                                   .stage(detail::code_of(detail::ForeachPartitionBody<Scan, Kernel>{
                                       scan_, detail::make_kernel<F>(std::move(captures)...)}));
    detail::collect_columns<Nothing>(plan_, node, detail::all_partitions(plan_), [](int32_t, const auto&) {});
  }
}

template <class Scan>
void Pipeline<Scan>::save_as_text_file(std::string_view path) const {
  detail::NodePointer node =
      plan_.with("save_as_text_file").stage(detail::code_of(detail::SaveBody<Scan, detail::TextFormat>{scan_}));
  detail::check(plan_.driver().save(plan_.driver().self, node->handle(), std::string(path).c_str()));
}

template <class Scan>
void Pipeline<Scan>::save_as_binary(std::string_view path) const {
  // Of strings and arrays, kernels see views, which are addresses.
  static_assert(std::is_trivially_copyable_v<T> && std::is_same_v<T, Element>,
                "heapspan: save_as_binary needs numbers or structs without strings, arrays of variable size and pairs");
  detail::check_binary_folder(path);
  detail::NodePointer node =
      plan_.with("save_as_binary").stage(detail::code_of(detail::SaveBody<Scan, detail::BinaryFormat>{scan_}));
  detail::check(plan_.driver().save(plan_.driver().self, node->handle(), std::string(path).c_str()));
}

template <class Scan>
void Pipeline<Scan>::output(std::string_view name) const {
  detail::NodePointer node = detail::rows_of(*this);
  detail::check(plan_.driver().output(plan_.driver().self, node->handle(), std::string(name).c_str(),
                                      detail::type_text<detail::row_t<T>>().c_str()));
}

template <class Scan>
void Pipeline<Scan>::save_as_parquet(std::string_view path, const std::vector<std::string>& columns) const {
  detail::NodePointer node = detail::rows_of(*this);
  std::vector<const char*> names = detail::c_strings(columns);
  detail::check(plan_.driver().save_parquet(plan_.driver().self, node->handle(), std::string(path).c_str(),
                                            names.data(), static_cast<int32_t>(names.size()),
                                            detail::type_text<detail::row_t<T>>().c_str()));
}

}  // namespace heapspan
