#pragma once

#include <bit>
#include <charconv>
#include <cstring>
#include <limits>

#include "error.h"
#include "hash.h"
#include "types.h"

// Text: words and fields of lines, numbers, and how elements look in a text file.

namespace heapspan {
namespace detail {

// White space and control characters part words. Bytes above 127 are parts of words.
inline bool is_space(char c) { return static_cast<unsigned char>(c) <= ' '; }

// Where the first character is that parts words, or the end.
inline const char* find_space(const char* begin, const char* end) {
  constexpr uint64_t in_each_byte = 0x0101010101010101U;
  // The bytes that are less than '!' have their highest bit set in `spaces`; those behind the first may be wrong.
  for (; end - begin >= 8; begin += 8) {
    uint64_t bytes;
    std::memcpy(&bytes, begin, 8);
    uint64_t spaces = (bytes - in_each_byte * '!') & ~bytes & in_each_byte * 0x80;
    if (spaces != 0) {
      return begin + std::countr_zero(spaces) / 8;
    }
  }
  while (begin != end && !is_space(*begin)) {
    begin++;
  }
  return begin;
}

}  // namespace detail

// The parts of a text between separators, or the words between white space; found while they are read. The text must
// live as long as this and the parts. An iterator that is at the end shows an empty text, and stays where it is.
class Split {
 public:
  class Iterator {
   public:
    using value_type = std::string_view;
    using difference_type = std::ptrdiff_t;
    Iterator() = default;
    Iterator(std::string_view text, bool words, char separator)
        : limit_(text.data() + text.size()), words_(words), separator_(separator) {
      find(text.data());
    }
    std::string_view operator*() const { return {begin_, static_cast<size_t>(end_ - begin_)}; }
    Iterator& operator++() {
      if (begin_ == nullptr || words_) {
        find(end_);
      } else if (end_ == limit_) {
        begin_ = nullptr;
        end_ = nullptr;
      } else {
        find(end_ + 1);
      }
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(std::default_sentinel_t) const { return begin_ == nullptr; }

   private:
    void find(const char* begin) {
      if (begin == nullptr) {
        return;
      }
      if (!words_) {
        begin_ = begin;
        end_ = begin;
        while (end_ < limit_ && *end_ != separator_) {
          end_++;
        }
        return;
      }
      while (begin < limit_ && detail::is_space(*begin)) {
        begin++;
      }
      if (begin == limit_) {
        begin_ = nullptr;
        end_ = nullptr;
        return;
      }
      begin_ = begin;
      end_ = detail::find_space(begin, limit_);
    }

    const char* begin_ = nullptr;
    const char* end_ = nullptr;
    const char* limit_ = nullptr;
    bool words_ = true;
    char separator_ = 0;
  };

  Split(std::string_view text, bool words, char separator)
      : text_(text.data() == nullptr ? std::string_view("") : text), words_(words), separator_(separator) {}
  Iterator begin() const { return Iterator(text_, words_, separator_); }
  std::default_sentinel_t end() const { return {}; }

 private:
  std::string_view text_;
  bool words_;
  char separator_;
};

// The words of a text: what white space and control characters separate. Bytes above 127 are parts of words. The text
// must live as long as the result.
inline Split split(std::string_view text) { return Split(text, true, ' '); }
// The fields of a text, also empty ones; an empty text has one empty field. The text must live as long as the result.
inline Split split(std::string_view text, char separator) { return Split(text, false, separator); }

namespace detail {

[[noreturn, gnu::cold]] HEAPSPAN_ONCE void fail_to_parse(const char* problem, std::string_view text);

inline constexpr ptrdiff_t most_short_digits = 18;
// A double has each of these without rounding.
inline constexpr double powers_of_ten[most_short_digits + 1] = {
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};

inline constexpr uint64_t whole_powers_of_ten[9] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

// How many digits a text begins with, but at most 8, and the number that they make. All at once, since how many there
// are is hard to foresee.
inline ptrdiff_t take_eight_digits(const char* begin, const char* end, uint64_t& number) {
  constexpr uint64_t in_each_byte = 0x0101010101010101U;
  uint64_t bytes = end - begin >= 8 ? eight_bytes(begin) : few_bytes(begin, static_cast<size_t>(end - begin));
  // Digits become 0 to 9, and all else more than 9, which sets the highest bit in `others`.
  bytes ^= in_each_byte * '0';
  uint64_t others = (((bytes & in_each_byte * 0x7F) + in_each_byte * 0x76) | bytes) & in_each_byte * 0x80;
  int count = others == 0 ? 8 : std::countr_zero(others) / 8;
  if (count == 0) {
    number = 0;
    return 0;
  }
  // The digits as the last ones of eight; then pairs of digits, pairs of pairs, and both halves become one number.
  bytes <<= (8 - count) * 8;
  bytes = bytes * 10 + (bytes >> 8);
  constexpr uint64_t every_fourth = 0x000000FF000000FFU;
  number = ((bytes & every_fourth) * (100 + (uint64_t{1000000} << 32)) +
            ((bytes >> 16) & every_fourth) * (1 + (uint64_t{10000} << 32))) >>
           32;
  return count;
}

// Takes the number that a text begins with, if it is written with few digits and without an exponent, as most numbers
// are. Returns where it ends. Null if std::from_chars has to decide; it takes several times as long.
template <class T>
const char* take_short_number(const char* begin, const char* end, T& value) {
  constexpr bool is_double = std::is_same_v<T, double>;
  if constexpr (!is_double && !std::is_integral_v<T>) {
    return nullptr;
  } else {
    bool negative = begin != end && *begin == '-';
    const char* next = begin + (negative ? 1 : 0);
    uint64_t digits = 0;
    auto take_digits = [&] {
      const char* first = next;
      if constexpr (is_double) {
        for (ptrdiff_t taken = 8; taken == 8 && next - first <= most_short_digits;) {
          uint64_t more = 0;
          taken = take_eight_digits(next, end, more);
          digits = digits * whole_powers_of_ten[taken] + more;
          next += taken;
        }
      } else {
        for (; next != end; next++) {
          unsigned digit = static_cast<unsigned char>(*next) - unsigned{'0'};
          if (digit > 9) {
            break;
          }
          digits = digits * 10 + digit;
        }
      }
      return next - first;
    };
    ptrdiff_t count = take_digits();
    ptrdiff_t fraction = 0;
    if (is_double && next != end && *next == '.') {
      next++;
      fraction = take_digits();
      count += fraction;
    }
    if (count == 0 || count > most_short_digits) {
      return nullptr;
    }
    if constexpr (is_double) {
      // The quotient of two numbers that a double has is rounded as the number that is meant.
      if (digits > uint64_t{1} << 53) {
        return nullptr;
      }
      double number = static_cast<double>(static_cast<int64_t>(digits)) / powers_of_ten[fraction];
      // Without a branch, since signs are hard to foresee.
      value = std::bit_cast<double>(std::bit_cast<uint64_t>(number) ^ static_cast<uint64_t>(negative) << 63);
    } else {
      if (digits > static_cast<uint64_t>(std::numeric_limits<T>::max()) || (negative && std::is_unsigned_v<T>)) {
        return nullptr;
      }
      value = static_cast<T>(negative ? 0 - digits : digits);
    }
    return next;
  }
}

}  // namespace detail

// A number from text; the whole text must be the number, except for spaces around it. Otherwise throws Error.
template <class T>
  requires std::is_arithmetic_v<T>
T parse(std::string_view text) {
  while (!text.empty() && text.front() == ' ') {
    text.remove_prefix(1);
  }
  while (!text.empty() && text.back() == ' ') {
    text.remove_suffix(1);
  }
  T value{};
  const char* limit = text.data() + text.size();
  if (detail::take_short_number(text.data(), limit, value) == limit && !text.empty()) {
    return value;
  }
  auto [end, failure] = std::from_chars(text.data(), limit, value);
  if (failure != std::errc() || end != limit) {
    detail::fail_to_parse("not a number of the expected kind", text);
  }
  return value;
}

namespace detail {

// Takes the number that is the first word of a text, and returns where it ends.
template <class T>
  requires std::is_arithmetic_v<T>
const char* take_number(const char* begin, const char* end, T& value) {
  const char* word_end = take_short_number(begin, end, value);
  if (word_end == nullptr || (word_end != end && !is_space(*word_end))) {
    word_end = find_space(begin, end);
    value = parse<T>(std::string_view(begin, static_cast<size_t>(word_end - begin)));
  }
  return word_end;
}

// Values that are made of several words: pairs, tuples, structs, arrays of fixed size.
template <class T>
concept OfWords = Fielded<T> || (Range<T> && !Container<T> && std::is_default_constructible_v<T>);

// Takes the words of a value from a text, whose beginning it moves; false if there are too few.
template <class T>
bool take_words(T& value, const char*& next, const char* end) {
  if constexpr (OfWords<T> && Range<T>) {
    for (auto& element : value) {
      if (!take_words(element, next, end)) {
        return false;
      }
    }
    return true;
  } else if constexpr (OfWords<T>) {
    return std::apply([&](auto&... fields) { return (take_words(fields, next, end) && ...); }, fields_of(value));
  } else {
    while (next != end && is_space(*next)) {
      next++;
    }
    if (next == end) {
      return false;
    }
    next = take_number(next, end, value);
    return true;
  }
}

}  // namespace detail

// A pair, tuple, struct or array of numbers from the words of a text, which must be as many as there are numbers.
// Otherwise throws Error.
template <class T>
  requires detail::OfWords<T>
T parse(std::string_view text) {
  T value{};
  const char* next = text.data();
  const char* end = next + text.size();
  bool complete = detail::take_words(value, next, end);
  while (next != end && detail::is_space(*next)) {
    next++;
  }
  if (!complete || next != end) {
    detail::fail_to_parse("not as many words as expected", text);
  }
  return value;
}

namespace detail {

template <class Out, class T>
concept AppendsItself = requires(Out& out, const T& value) { append_text(out, value); };

// The shortest text that reads back as the same number.
HEAPSPAN_ONCE void append_number(std::string& out, int64_t number);
HEAPSPAN_ONCE void append_number(std::string& out, uint64_t number);
HEAPSPAN_ONCE void append_number(std::string& out, float number);
HEAPSPAN_ONCE void append_number(std::string& out, double number);
HEAPSPAN_ONCE void append_number(std::string& out, long double number);

// Appends a value as save_as_text_file writes it: text as it is, numbers in their shortest form that reads back the
// same, pairs, tuples and aggregates as (a,b), arrays as [a,b], a missing optional value as nothing.
template <class T>
void append_value(std::string& out, const T& value) {
  if constexpr (AppendsItself<std::string, T>) {
    append_text(out, value);
  } else if constexpr (Text<T>) {
    out += std::string_view(value);
  } else if constexpr (std::is_same_v<T, bool>) {
    out += value ? "true" : "false";
  } else if constexpr (std::is_same_v<T, char>) {
    out += value;
  } else if constexpr (std::is_arithmetic_v<T>) {
    if constexpr (std::is_floating_point_v<T>) {
      append_number(out, value);
    } else {
      append_number(out, static_cast<std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>(value));
    }
  } else if constexpr (std::is_enum_v<T>) {
    append_value(out, static_cast<std::underlying_type_t<T>>(value));
  } else if constexpr (is_optional<T>) {
    if (value) {
      append_value(out, *value);
    }
  } else if constexpr (Range<T>) {
    out += '[';
    bool first = true;
    for (auto&& element : value) {
      if (!std::exchange(first, false)) {
        out += ',';
      }
      append_value(out, std::as_const(element));
    }
    out += ']';
  } else if constexpr (std::is_empty_v<T>) {
    out += "()";
  } else if constexpr (is_pair<T>) {
    out += '(';
    append_value(out, value.first);
    out += ',';
    append_value(out, value.second);
    out += ')';
  } else {
    static_assert(
        Fielded<T>,
        "heapspan: this type has no text; define void append_text(std::string& out, const T& value) beside it");
    out += '(';
    bool first = true;
    std::apply(
        [&](const auto&... fields) {
          ((out += std::exchange(first, false) ? "" : ",", append_value(out, fields)), ...);
        },
        fields_of(value));
    out += ')';
  }
}

}  // namespace detail
}  // namespace heapspan
