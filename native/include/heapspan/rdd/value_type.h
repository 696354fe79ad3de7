#pragma once

#include "types.h"

// The types of values that a program exchanges with the application that runs it, or with tables, as boundary.h writes
// them.

namespace heapspan::detail {

template <class T>
void append_type(std::string& out);

template <class... Fields>
void append_fields(std::string& out, std::type_identity<std::tuple<Fields&...>>) {
  out += '(';
  bool first = true;
  ((out += std::exchange(first, false) ? "" : ",", append_type<std::remove_cv_t<Fields>>(out)), ...);
  out += ')';
}

template <class T>
inline constexpr bool has_columns_of_fields =
    is_pair<T> || is_tuple<T> || ((Aggregate<T> || NamesFields<T>) && !std::is_trivially_copyable_v<T>);

// What may be in an array only, which others know as binary data: there, bytes have no sign.
template <class T>
inline constexpr bool is_unsigned_byte = std::is_same_v<T, uint8_t> || std::is_same_v<T, std::byte>;

template <class T>
void append_type(std::string& out) {
  if constexpr (std::is_same_v<T, bool>) {
    out += "bool";
  } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
    out += "int" + std::to_string(8 * sizeof(T));
  } else if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    out += "float" + std::to_string(8 * sizeof(T));
  } else if constexpr (Text<T>) {
    out += "string";
  } else if constexpr (is_optional<T>) {
    append_type<typename T::value_type>(out);
    out += '?';
  } else if constexpr (Container<T>) {
    out += '[';
    if constexpr (is_unsigned_byte<container_element_t<T>>) {
      out += "int8";
    } else {
      append_type<container_element_t<T>>(out);
    }
    out += ']';
  } else {
    static_assert(has_columns_of_fields<T>,
                  "heapspan: an application does not know this type; use bool, signed numbers, std::string, "
                  "std::vector, std::optional, std::pair and std::tuple of them");
    if constexpr (has_columns_of_fields<T>) {
      append_fields(out, std::type_identity<decltype(fields_of(std::declval<T&>()))>());
    }
  }
}

// A plain struct lies in a batch as its bytes, which nobody else knows: it is exchanged as a tuple of its fields.
template <class T>
struct RowOf {
  using type = T;
};
template <class Fields>
struct TupleOf;
template <class... Fields>
struct TupleOf<std::tuple<Fields&...>> {
  using type = std::tuple<std::remove_cv_t<Fields>...>;
};
template <class T>
  requires(Aggregate<T> && std::is_trivially_copyable_v<T>)
struct RowOf<T> {
  using type = typename TupleOf<decltype(fields_of(std::declval<T&>()))>::type;
};
template <class T>
using row_t = typename RowOf<T>::type;

template <class T>
std::string type_text() {
  std::string text;
  append_type<T>(text);
  return text;
}

}  // namespace heapspan::detail
