#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

// What the library knows of the types of elements: their fields, and which owning type belongs to a view.

namespace heapspan {

template <class T>
class ArrayView;

namespace detail {

template <class T>
inline constexpr bool is_pair = false;
template <class A, class B>
inline constexpr bool is_pair<std::pair<A, B>> = true;
template <class T>
inline constexpr bool is_tuple = false;
template <class... T>
inline constexpr bool is_tuple<std::tuple<T...>> = true;
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_std_array = false;
template <class T, size_t n>
inline constexpr bool is_std_array<std::array<T, n>> = true;

template <class T>
concept Pair = is_pair<std::remove_cvref_t<T>>;

template <class T>
concept Text = std::convertible_to<const T&, std::string_view>;

template <class T>
concept Range = !Text<T> && requires(const T& range) {
  std::begin(range);
  std::end(range);
};

template <class T>
using iterated_t = std::remove_cvref_t<decltype(*std::begin(std::declval<T&>()))>;
// The iterators of a std::vector<bool> show a class that stands for a bit.
template <class T>
using range_element_t =
    std::conditional_t<std::is_same_v<iterated_t<T>, std::vector<bool>::reference>, bool, iterated_t<T>>;

// std::vector, std::set, std::map and the like: they can be made from two iterators.
template <class T>
concept Container = Range<T> && !is_std_array<T> && requires(T& container, const T& same) {
  typename T::value_type;
  typename T::allocator_type;
  container.insert(container.end(), *same.begin());
};

// ---------------------------------------------------------------------------------------------- fields of an aggregate

struct AnyField {
  template <class T>
  operator T() const;  // NOLINT: stands for a value of any type
};

template <class T, class... Fields>
consteval size_t count_fields() {
  if constexpr (sizeof...(Fields) > 12) {
    return sizeof...(Fields);
  } else if constexpr (requires { T{Fields{}..., AnyField{}}; }) {
    return count_fields<T, Fields..., AnyField>();
  } else {
    return sizeof...(Fields);
  }
}

// A class that names its fields itself, because it has constructors, private parts or base classes:
//   auto fields() { return std::tie(name_, age_); }
//   auto fields() const { return std::tie(name_, age_); }
template <class T>
concept NamesFields =
    std::is_class_v<T> && std::is_default_constructible_v<T> && requires(T& value, const T& constant) {
      std::tuple_size<decltype(value.fields())>::value;
      std::tuple_size<decltype(constant.fields())>::value;
    };

// A struct without constructors, whose fields a structured binding names.
template <class T>
concept Aggregate =
    std::is_aggregate_v<T> && std::is_class_v<T> && !std::is_empty_v<T> && !Range<T> && !Text<T> && !NamesFields<T>;

// The fields of a pair, a tuple, an aggregate or a class that names them, as a tuple of references.
template <class T>
constexpr auto fields_of(T& value) {
  using Plain = std::remove_cv_t<T>;
  if constexpr (is_pair<Plain>) {
    return std::tie(value.first, value.second);
  } else if constexpr (is_tuple<Plain>) {
    return std::apply([](auto&... fields) { return std::tie(fields...); }, value);
  } else if constexpr (NamesFields<Plain>) {
    return value.fields();
  } else {
    constexpr size_t count = count_fields<Plain>();
    static_assert(count >= 1 && count <= 12, "heapspan: an aggregate has 1 to 12 fields; use nested aggregates");
    if constexpr (count == 1) {
      auto& [a] = value;
      return std::tie(a);
    } else if constexpr (count == 2) {
      auto& [a, b] = value;
      return std::tie(a, b);
    } else if constexpr (count == 3) {
      auto& [a, b, c] = value;
      return std::tie(a, b, c);
    } else if constexpr (count == 4) {
      auto& [a, b, c, d] = value;
      return std::tie(a, b, c, d);
    } else if constexpr (count == 5) {
      auto& [a, b, c, d, e] = value;
      return std::tie(a, b, c, d, e);
    } else if constexpr (count == 6) {
      auto& [a, b, c, d, e, f] = value;
      return std::tie(a, b, c, d, e, f);
    } else if constexpr (count == 7) {
      auto& [a, b, c, d, e, f, g] = value;
      return std::tie(a, b, c, d, e, f, g);
    } else if constexpr (count == 8) {
      auto& [a, b, c, d, e, f, g, h] = value;
      return std::tie(a, b, c, d, e, f, g, h);
    } else if constexpr (count == 9) {
      auto& [a, b, c, d, e, f, g, h, i] = value;
      return std::tie(a, b, c, d, e, f, g, h, i);
    } else if constexpr (count == 10) {
      auto& [a, b, c, d, e, f, g, h, i, j] = value;
      return std::tie(a, b, c, d, e, f, g, h, i, j);
    } else if constexpr (count == 11) {
      auto& [a, b, c, d, e, f, g, h, i, j, k] = value;
      return std::tie(a, b, c, d, e, f, g, h, i, j, k);
    } else {
      auto& [a, b, c, d, e, f, g, h, i, j, k, l] = value;
      return std::tie(a, b, c, d, e, f, g, h, i, j, k, l);
    }
  }
}

template <class T>
concept Fielded = is_pair<T> || is_tuple<T> || Aggregate<T> || NamesFields<T>;

// ------------------------------------------------------------------------------------------------------------ views

// What shows memory of others, which nobody finds in another process, or once the batch is gone.
template <class T>
inline constexpr bool is_view = std::is_pointer_v<T> || std::is_member_pointer_v<T>;
template <class C, class Traits>
inline constexpr bool is_view<std::basic_string_view<C, Traits>> = true;
template <class T, size_t n>
inline constexpr bool is_view<std::span<T, n>> = true;
template <class T>
inline constexpr bool is_view<ArrayView<T>> = true;

template <class T>
consteval bool holds_view();

struct FieldWithView {
  template <class T>
    requires(holds_view<T>())
  operator T() const;  // NOLINT: stands for a value of any such type
};

// Whether one of the fields of an aggregate is or holds a view. Looks at the first 12 fields.
template <class T, class... Before>
consteval bool has_field_with_view() {
  if constexpr (requires { T{Before{}..., FieldWithView{}}; }) {
    return true;
  } else if constexpr (sizeof...(Before) < 11 && requires { T{Before{}..., AnyField{}}; }) {
    return has_field_with_view<T, Before..., AnyField>();
  } else {
    return false;
  }
}

template <class T>
consteval bool holds_view() {
  if constexpr (std::is_array_v<T>) {
    return holds_view<std::remove_all_extents_t<T>>();
  } else if constexpr (is_view<T>) {
    return true;
  } else if constexpr (is_std_array<T> || is_optional<T> || Container<T>) {
    return holds_view<typename T::value_type>();
  } else if constexpr (is_pair<T> || is_tuple<T> || NamesFields<T>) {
    return []<class... Parts>(std::type_identity<std::tuple<Parts&...>>) {
      return (holds_view<std::remove_const_t<Parts>>() || ...);
    }(std::type_identity<decltype(fields_of(std::declval<T&>()))>());
  } else if constexpr (std::is_aggregate_v<T> && std::is_class_v<T> && !std::is_empty_v<T> && !Range<T>) {
    return has_field_with_view<T>();
  } else {
    return false;
  }
}

// ------------------------------------------------------------------------------------------------------- owning types

template <class T>
struct OwnedType {
  using type = T;
};
template <Text T>
struct OwnedType<T> {
  using type = std::string;
};
template <class T, size_t n>
struct OwnedType<std::span<T, n>> {
  using type = std::vector<std::remove_cv_t<T>>;
};
template <class T>
struct OwnedType<ArrayView<T>> {
  using type = std::vector<T>;
};
template <class A, class B>
struct OwnedType<std::pair<A, B>> {
  using type =
      std::pair<typename OwnedType<std::remove_cvref_t<A>>::type, typename OwnedType<std::remove_cvref_t<B>>::type>;
};
template <class... T>
struct OwnedType<std::tuple<T...>> {
  using type = std::tuple<typename OwnedType<std::remove_cvref_t<T>>::type...>;
};
template <class T>
struct OwnedType<std::optional<T>> {
  using type = std::optional<typename OwnedType<T>::type>;
};
template <class T, class Allocator>
struct OwnedType<std::vector<T, Allocator>> {
  using type = std::vector<typename OwnedType<T>::type>;
};

// The type that owns what a view of type T shows: std::string for std::string_view, and so on, also inside of pairs.
template <class T>
using owned_t = typename OwnedType<std::remove_cvref_t<std::decay_t<T>>>::type;

// std::map's elements have a const key; elements that are made one by one have not.
template <class T>
struct PlainElement {
  using type = T;
};
template <class K, class V>
struct PlainElement<std::pair<const K, V>> {
  using type = std::pair<K, V>;
};
template <class Container>
using container_element_t = typename PlainElement<typename Container::value_type>::type;

// Makes a T from a T or from a view of one.
template <class T, class View>
T own(const View& view) {
  if constexpr (std::is_same_v<T, View>) {
    return view;
  } else if constexpr (is_pair<T>) {
    return T(own<typename T::first_type>(view.first), own<typename T::second_type>(view.second));
  } else if constexpr (is_tuple<T>) {
    return [&]<size_t... i>(std::index_sequence<i...>) {
      return T(own<std::tuple_element_t<i, T>>(std::get<i>(view))...);
    }(std::make_index_sequence<std::tuple_size_v<T>>());
  } else if constexpr (is_optional<T>) {
    return view ? T(own<typename T::value_type>(*view)) : T();
  } else if constexpr (std::is_same_v<T, std::string>) {
    return T(std::string_view(view));
  } else if constexpr (Container<T> && Range<View>) {
    T container;
    for (auto&& element : view) {
      container.insert(container.end(), own<container_element_t<T>>(element));
    }
    return container;
  } else {
    return static_cast<T>(view);
  }
}

// Whether own<T> takes a View. As own, it looks at each part.
template <class T, class View>
consteval bool can_own() {
  if constexpr (std::is_void_v<View>) {
    return false;
  } else if constexpr (std::is_same_v<T, owned_t<View>>) {
    return true;
  } else if constexpr (is_pair<T> || is_tuple<T>) {
    if constexpr (is_pair<View> || (is_tuple<T> && (is_tuple<View> || is_std_array<View>))) {
      if constexpr (std::tuple_size_v<T> <= std::tuple_size_v<View>) {
        return []<size_t... i>(std::index_sequence<i...>) {
          return (can_own<std::tuple_element_t<i, T>, std::remove_cvref_t<std::tuple_element_t<i, View>>>() && ...);
        }(std::make_index_sequence<std::tuple_size_v<T>>());
      }
    }
    return false;
  } else if constexpr (is_optional<T>) {
    if constexpr (requires(const View& view) { view ? *view : *view; }) {
      return can_own<typename T::value_type, std::remove_cvref_t<decltype(*std::declval<const View&>())>>();
    }
    return false;
  } else if constexpr (std::is_same_v<T, std::string>) {
    return requires(const View& view) { std::string_view(view); };
  } else if constexpr (Container<T> && Range<View>) {
    return can_own<container_element_t<T>, range_element_t<const View>>();
  } else {
    return requires(const View& view) { static_cast<T>(view); };
  }
}

// The same for a value that is not needed any more.
template <class T, class Given>
T own_or_move(Given&& value) {
  if constexpr (std::is_same_v<T, Given>) {
    return std::move(value);
  } else {
    return own<T>(value);
  }
}

}  // namespace detail

// The type that owns what a view of type T shows.
template <class T>
using Owned = detail::owned_t<T>;

}  // namespace heapspan
