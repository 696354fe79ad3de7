#pragma once

#include "pipeline.h"

// map, filter, flat_map and the other operators that work on one partition alone.

namespace heapspan {

template <class Scan>
template <const char* name, class F, class... C>
auto Pipeline<Scan>::map_as(F, C... captures) const {
  using Kernel = detail::kernel_t<F, C...>;
  return next(plan_.with(name).unhashed(),
              detail::MapStep<Scan, Kernel, name>{scan_, detail::make_kernel<F>(std::move(captures)...)});
}

template <class Scan>
template <class F, class... C>
auto Pipeline<Scan>::map(F kernel, C... captures) const {
  if constexpr (detail::is_kernel<F>(detail::Types<Element>(), detail::Types<C...>())) {
    constexpr bool is_value = !std::is_void_v<detail::result_t<detail::kernel_t<F, C...>, Element>>;
    static_assert(is_value, "heapspan: the kernel of map returns a value; foreach takes kernels that do not");
    if constexpr (is_value) {
      return map_as<detail::map_name>(kernel, std::move(captures)...);
    }
  }
}

template <class Scan>
template <class F, class... C>
auto Pipeline<Scan>::filter(F, C... captures) const {
  if constexpr (detail::is_kernel<F>(detail::Types<Element>(), detail::Types<C...>())) {
    using Kernel = detail::kernel_t<F, C...>;
    constexpr bool is_condition = std::is_convertible_v<detail::result_t<Kernel, Element>, bool>;
    static_assert(is_condition, "heapspan: the kernel of filter returns true or false");
    if constexpr (is_condition) {
      return next(plan_.with("filter"),
                  detail::FilterStep<Scan, Kernel>{scan_, detail::make_kernel<F>(std::move(captures)...)});
    }
  }
}

template <class Scan>
template <class F, class... C>
auto Pipeline<Scan>::flat_map(F, C... captures) const {
  if constexpr (detail::is_kernel<F>(detail::Types<Element>(), detail::Types<C...>())) {
    using Kernel = detail::kernel_t<F, C...>;
    constexpr bool is_range = detail::has_elements<detail::result_t<Kernel, Element>>;
    static_assert(is_range, "heapspan: the kernel of flat_map returns a range, such as std::vector");
    if constexpr (is_range) {
      return next(plan_.with("flat_map").unhashed(),
                  detail::FlatMapStep<Scan, Kernel>{scan_, detail::make_kernel<F>(std::move(captures)...)});
    }
  }
}

template <class Scan>
template <class F, class... C>
auto Pipeline<Scan>::map_to_pair(F kernel, C... captures) const {
  if constexpr (detail::is_kernel<F>(detail::Types<Element>(), detail::Types<C...>())) {
    constexpr bool is_pair = detail::is_pair<detail::result_t<detail::kernel_t<F, C...>, Element>>;
    static_assert(is_pair, "heapspan: the kernel of map_to_pair returns a std::pair");
    if constexpr (is_pair) {
      return map_as<detail::map_to_pair_name>(kernel, std::move(captures)...);
    }
  }
}

template <class Scan>
template <class F, class... C>
auto Pipeline<Scan>::key_by(F, C... captures) const {
  if constexpr (detail::is_kernel<F>(detail::Types<Element>(), detail::Types<C...>())) {
    using Kernel = detail::kernel_t<F, C...>;
    constexpr bool is_value = !std::is_void_v<detail::result_t<Kernel, Element>>;
    static_assert(is_value, "heapspan: the kernel of key_by returns a key");
    if constexpr (is_value) {
      return next(plan_.with("key_by").unhashed(),
                  detail::KeyByStep<Scan, Kernel>{scan_, detail::make_kernel<F>(std::move(captures)...)});
    }
  }
}

template <class Scan>
template <class F, class... C>
auto Pipeline<Scan>::map_partitions(F, C... captures) const {
  using View = typename detail::MapPartitionsView<Scan>;
  if constexpr (detail::is_kernel<F>(detail::Types<View>(), detail::Types<C...>())) {
    using Kernel = detail::kernel_t<F, C...>;
    constexpr bool is_range = detail::has_elements<detail::result_t<Kernel, View>>;
    static_assert(is_range, "heapspan: the kernel of map_partitions returns a range, such as std::vector");
    if constexpr (is_range) {
      return next(plan_.with("map_partitions").unhashed(),
                  detail::MapPartitionsStep<Scan, Kernel>{scan_, detail::make_kernel<F>(std::move(captures)...)});
    }
  }
}

template <class Scan>
auto Pipeline<Scan>::sample(bool with_replacement, double fraction, uint64_t seed) const {
  if (!(fraction >= 0) || !std::isfinite(fraction) || (!with_replacement && fraction > 1)) {
    throw Error("sample: the fraction must be finite and at least 0, and without replacement at most 1");
  }
  return next(plan_.with("sample").reading_order(), detail::SampleStep<Scan>{scan_, with_replacement, fraction, seed});
}

template <class Scan>
auto Pipeline<Scan>::zip_with_index() const {
  std::vector<int64_t> begins{0};
  if (partition_count() > 1) {
    for (int64_t count : partials("count", detail::CountAction())) {
      begins.push_back(begins.back() + count);
    }
  }
  return next(plan_.with("zip_with_index").unhashed().reading_order(),
              detail::IndexStep<Scan>{scan_, std::move(begins)});
}

template <class Scan>
auto Pipeline<Scan>::keys() const
  requires detail::PairScan<Scan>
{
  return map_as<detail::keys_name>([](const auto& pair) { return pair.first; });
}

template <class Scan>
auto Pipeline<Scan>::values() const
  requires detail::PairScan<Scan>
{
  return map_as<detail::values_name>([](const auto& pair) { return pair.second; });
}

template <class Scan>
template <class F, class... C>
  requires detail::PairScan<Scan>
auto Pipeline<Scan>::map_values(F, C... captures) const {
  if constexpr (detail::is_kernel<F>(detail::Types<typename Element::second_type>(), detail::Types<C...>())) {
    using Kernel = detail::kernel_t<F, C...>;
    constexpr bool is_value = !std::is_void_v<detail::result_t<Kernel, typename Element::second_type>>;
    static_assert(is_value, "heapspan: the kernel of map_values returns a value");
    if constexpr (is_value) {
      return next(plan_.with("map_values"),
                  detail::MapValuesStep<Scan, Kernel>{scan_, detail::make_kernel<F>(std::move(captures)...)});
    }
  }
}

template <class Scan>
template <class F, class... C>
  requires detail::PairScan<Scan>
auto Pipeline<Scan>::flat_map_values(F, C... captures) const {
  if constexpr (detail::is_kernel<F>(detail::Types<typename Element::second_type>(), detail::Types<C...>())) {
    using Kernel = detail::kernel_t<F, C...>;
    constexpr bool is_range = detail::has_elements<detail::result_t<Kernel, typename Element::second_type>>;
    static_assert(is_range, "heapspan: the kernel of flat_map_values returns a range, such as std::vector");
    if constexpr (is_range) {
      return next(plan_.with("flat_map_values"),
                  detail::FlatMapValuesStep<Scan, Kernel>{scan_, detail::make_kernel<F>(std::move(captures)...)});
    }
  }
}

}  // namespace heapspan
