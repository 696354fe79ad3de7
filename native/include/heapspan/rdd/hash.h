#pragma once

#include <bit>
#include <cmath>
#include <compare>
#include <cstring>

#include "types.h"

// Hashes, equality and order of keys. They are the same in all processes and runs, because a lost partition is computed
// again elsewhere. A view and its owning value are the same key. Floating-point keys follow Java's Double.equals and
// Double.compare: all NaN are one key, which is the largest; 0.0 and -0.0 are two keys, and -0.0 is the smaller.

namespace heapspan::detail {

inline uint64_t mix(uint64_t x) {
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93U;
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93U;
  x ^= x >> 32;
  return x;
}

// As mix, for 32 bits: no two numbers have the same result.
inline uint32_t mix_exactly(uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352dU;
  x ^= x >> 15;
  x *= 0x846ca68bU;
  x ^= x >> 16;
  return x;
}

inline uint64_t eight_bytes(const char* p) {
  uint64_t word;
  std::memcpy(&word, p, 8);
  return word;
}

// Up to seven bytes, the first of which is the lowest. Some are read twice, since a call of memcpy takes longer.
inline uint64_t few_bytes(const char* p, size_t count) {
  if (count >= 4) {
    uint32_t first;
    uint32_t last;
    std::memcpy(&first, p, 4);
    std::memcpy(&last, p + count - 4, 4);
    return first | static_cast<uint64_t>(last) << ((count - 4) * 8);
  }
  auto byte = [p](size_t i) { return static_cast<uint64_t>(static_cast<unsigned char>(p[i])) << (i * 8); };
  return count == 0 ? 0 : byte(0) | byte(count / 2) | byte(count - 1);
}

inline uint64_t hash_text(std::string_view text) {
  uint64_t h = text.size() * 0x9E3779B97F4A7C15U;
  const char* p = text.data();
  size_t left = text.size();
  for (; left >= 8; left -= 8, p += 8) {
    h = (h ^ eight_bytes(p)) * 0xff51afd7ed558ccdU;
    h ^= h >> 32;
  }
  uint64_t word = text.size() < 8 || left == 0 ? few_bytes(p, left) : eight_bytes(p + left - 8) >> (64 - left * 8);
  return mix((h ^ word) * 0xff51afd7ed558ccdU);
}

inline bool same_text(std::string_view a, std::string_view b) {
  size_t size = a.size();
  if (size != b.size()) {
    return false;
  }
  if (size < 8) {
    return few_bytes(a.data(), size) == few_bytes(b.data(), size);
  }
  for (size_t i = 0; i + 8 < size; i += 8) {
    if (eight_bytes(a.data() + i) != eight_bytes(b.data() + i)) {
      return false;
    }
  }
  return eight_bytes(a.data() + size - 8) == eight_bytes(b.data() + size - 8);
}

// An array of bytes, whose hash is that of text.
template <class T>
concept ByteRange = std::ranges::contiguous_range<T> && std::is_integral_v<range_element_t<const T>> &&
                    sizeof(range_element_t<const T>) == 1;

// One whose order is that of text, too.
template <class T>
concept UnsignedByteRange = ByteRange<T> && std::is_unsigned_v<range_element_t<const T>>;

template <ByteRange T>
std::string_view text_of(const T& bytes) {
  return {reinterpret_cast<const char*>(std::ranges::data(bytes)), std::ranges::size(bytes)};
}

template <std::floating_point T>
uint64_t float_bits(T value) {
  static_assert(sizeof(T) <= 8, "heapspan: long double cannot be a key");
  if (std::isnan(value)) {
    return 0x7ff8000000000000U;
  }
  return std::bit_cast<uint64_t>(static_cast<double>(value));
}

template <class T>
uint64_t hash_of(const T& value);

// What a part of a key adds to the hash of the whole, which mixes it.
template <class T>
uint64_t part_of_hash(const T& value) {
  if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
    return static_cast<uint64_t>(value);
  } else {
    return hash_of(value);
  }
}

template <class T>
uint64_t hash_of(const T& value) {
  if constexpr (std::is_floating_point_v<T>) {
    return mix(float_bits(value));
  } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
    return mix(static_cast<uint64_t>(value));
  } else if constexpr (Text<T>) {
    return hash_text(value);
  } else if constexpr (is_optional<T>) {
    return value ? mix(hash_of(*value) + 1) : 0x9E3779B97F4A7C15U;
  } else if constexpr (ByteRange<T>) {
    return hash_text(text_of(value));
  } else if constexpr (Range<T>) {
    uint64_t h = 0x9E3779B97F4A7C15U;
    for (auto&& element : value) {
      h = mix(h + part_of_hash(element));
    }
    return h;
  } else if constexpr (std::is_empty_v<T>) {
    return 0;
  } else if constexpr (is_pair<T>) {
    // As of all fields below: pairs are the most frequent ones, and this takes the compiler less time.
    return mix(mix(0x9E3779B97F4A7C15U + part_of_hash(value.first)) + part_of_hash(value.second));
  } else if constexpr (Fielded<T>) {
    return std::apply(
        [](const auto&... fields) {
          uint64_t h = 0x9E3779B97F4A7C15U;
          ((h = mix(h + part_of_hash(fields))), ...);
          return h;
        },
        fields_of(value));
  } else {
    static_assert(
        Fielded<T>,
        "heapspan: this type cannot be a key; use numbers, strings, and pairs, tuples, arrays and structs of them");
    return 0;
  }
}

template <class A, class B>
std::strong_ordering order_of(const A& a, const B& b) {
  if constexpr (std::is_floating_point_v<A>) {
    if (a < b) {
      return std::strong_ordering::less;
    }
    if (a > b) {
      return std::strong_ordering::greater;
    }
    // As in Java, the bits decide: -0.0 before 0.0 before NaN.
    return static_cast<int64_t>(float_bits(a)) <=> static_cast<int64_t>(float_bits(b));
  } else if constexpr (std::is_integral_v<A> || std::is_enum_v<A>) {
    return a <=> b;
  } else if constexpr (Text<A>) {
    return std::string_view(a) <=> std::string_view(b);
  } else if constexpr (UnsignedByteRange<A> && UnsignedByteRange<B>) {
    return text_of(a) <=> text_of(b);
  } else if constexpr (is_optional<A>) {
    return a && b ? order_of(*a, *b) : a.has_value() <=> b.has_value();
  } else if constexpr (Range<A>) {
    auto i = std::begin(a);
    auto j = std::begin(b);
    for (; i != std::end(a) && j != std::end(b); ++i, ++j) {
      if (auto order = order_of(*i, *j); order != 0) {
        return order;
      }
    }
    return (i != std::end(a)) <=> (j != std::end(b));
  } else if constexpr (std::is_empty_v<A>) {
    return std::strong_ordering::equal;
  } else if constexpr (is_pair<A>) {
    std::strong_ordering order = order_of(a.first, b.first);
    return order != 0 ? order : order_of(a.second, b.second);
  } else {
    static_assert(
        Fielded<A>,
        "heapspan: this type has no order; use numbers, strings, and pairs, tuples, arrays and structs of them");
    auto left = fields_of(a);
    auto right = fields_of(b);
    return [&]<size_t... i>(std::index_sequence<i...>) {
      std::strong_ordering order = std::strong_ordering::equal;
      (void)(((order = order_of(std::get<i>(left), std::get<i>(right))) != 0) || ...);
      return order;
    }(std::make_index_sequence<std::tuple_size_v<decltype(left)>>());
  }
}

template <class A, class B>
bool same_key(const A& a, const B& b) {
  if constexpr (std::is_integral_v<A> || std::is_enum_v<A>) {
    return a == b;
  } else if constexpr (Text<A>) {
    return same_text(a, b);
  } else {
    return order_of(a, b) == 0;
  }
}

struct KeyHash {
  template <class T>
  size_t operator()(const T& key) const {
    return hash_of(key);
  }
};
struct SameKey {
  template <class A, class B>
  bool operator()(const A& a, const B& b) const {
    return same_key(a, b);
  }
};
struct KeyBefore {
  template <class A, class B>
  bool operator()(const A& a, const B& b) const {
    return order_of(a, b) < 0;
  }
};

// The low half of a hash chooses the partition, the high half the slot in a table: the keys of one partition would else
// crowd in a part of the table.
inline int32_t partition_of(uint64_t hash, int32_t partitions) {
  return static_cast<int32_t>(
      (static_cast<uint64_t>(static_cast<uint32_t>(hash)) * static_cast<uint32_t>(partitions)) >> 32);
}
inline uint32_t table_hash(uint64_t hash) { return static_cast<uint32_t>(hash >> 32); }

}  // namespace heapspan::detail

namespace heapspan {

// The hash that decides on the partition of a key: the same in all processes, runs and machines.
template <class T>
uint64_t hash(const T& key) {
  return detail::hash_of(key);
}

}  // namespace heapspan
