#pragma once

#include <charconv>

#include "error.h"
#include "types.h"

// Text: words and fields of lines, numbers, and how elements look in a text file.

namespace heapspan {

// The parts of a text between separators, or the words between white space; found while they are read. An iterator that
// is at the end shows an empty text, and stays where it is.
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
    static bool is_space(char c) { return static_cast<unsigned char>(c) <= ' '; }
    void find(const char* begin) {
      if (begin == nullptr) {
        return;
      }
      while (words_ && begin < limit_ && is_space(*begin)) {
        begin++;
      }
      if (words_ && begin == limit_) {
        begin_ = nullptr;
        end_ = nullptr;
        return;
      }
      begin_ = begin;
      end_ = begin;
      while (end_ < limit_ && (words_ ? !is_space(*end_) : *end_ != separator_)) {
        end_++;
      }
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

// The words of a text: what white space and control characters separate. Bytes above 127 are parts of words.
inline Split split(std::string_view text) { return Split(text, true, ' '); }
// The fields of a text, also empty ones; an empty text has one empty field.
inline Split split(std::string_view text, char separator) { return Split(text, false, separator); }

// A number from text; the whole text must be the number, except for spaces around it.
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
  auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size()) {
    throw Error("not a number of the expected kind: '" + std::string(text.substr(0, 60)) + "'");
  }
  return value;
}

namespace detail {

// Values that are made of several words: pairs, tuples, structs, arrays of fixed size.
template <class T>
concept OfWords = Fielded<T> || (Range<T> && !Container<T> && std::is_default_constructible_v<T>);

// Takes the words of a value; false if there are too few.
template <class T>
bool take_words(T& value, Split::Iterator& word) {
  if constexpr (OfWords<T> && Range<T>) {
    for (auto& element : value) {
      if (!take_words(element, word)) {
        return false;
      }
    }
    return true;
  } else if constexpr (OfWords<T>) {
    return std::apply([&](auto&... fields) { return (take_words(fields, word) && ...); }, fields_of(value));
  } else {
    if (word == std::default_sentinel) {
      return false;
    }
    value = parse<T>(*word);
    ++word;
    return true;
  }
}

}  // namespace detail

// A pair, tuple, struct or array of numbers from the words of a text, which must be as many as there are numbers.
template <class T>
  requires detail::OfWords<T>
T parse(std::string_view text) {
  T value{};
  Split::Iterator word = split(text).begin();
  if (!detail::take_words(value, word) || !(word == std::default_sentinel)) {
    throw Error("not as many words as expected: '" + std::string(text.substr(0, 60)) + "'");
  }
  return value;
}

namespace detail {

template <class Out, class T>
concept AppendsItself = requires(Out& out, const T& value) { append_text(out, value); };

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
    char digits[64];
    out.append(digits, std::to_chars(digits, digits + sizeof(digits), value).ptr);
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
