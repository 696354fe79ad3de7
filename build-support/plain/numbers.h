#pragma once

#include <charconv>
#include <stdexcept>
#include <string>
#include <string_view>

// The numbers of a line, one after the other; white space parts them.
class Numbers {
 public:
  explicit Numbers(std::string_view line) : next_(line.data()), end_(line.data() + line.size()) {}

  template <typename Number>
  Number next() {
    while (next_ != end_ && static_cast<unsigned char>(*next_) <= ' ') {
      next_++;
    }
    Number number;
    auto [end, error] = std::from_chars(next_, end_, number);
    if (error != std::errc()) {
      throw std::runtime_error("no number in '" + std::string(next_, end_) + "'");
    }
    next_ = end;
    return number;
  }

 private:
  const char* next_;
  const char* end_;
};

// A number with as many digits as it takes to read the same number again.
inline std::string text_of(double number) {
  char text[32];
  return std::string(text, std::to_chars(text, text + sizeof text, number).ptr);
}
