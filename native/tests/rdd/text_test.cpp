#include <heapspan/rdd.hpp>

#include <random>

#include "../check.h"

// Numbers and words that programs find in text.

namespace {

template <class Body>
std::string failure_of(Body&& body) {
  try {
    body();
    return "";
  } catch (const heapspan::Error& failure) {
    return failure.what();
  }
}

// What std::from_chars says of a whole text.
template <class T>
std::optional<T> number_of(const std::string& text) {
  T value{};
  auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failure == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

// A text alone, as the only word of a line, and between others.
template <class T>
void is_parsed(const std::string& text) {
  std::optional<T> expected = number_of<T>(text);
  auto same = [&](T found) { return expected && std::memcmp(&found, &*expected, sizeof(T)) == 0; };
  std::string wrong = "not a number of the expected kind: '" + text + "'";
  using Three = std::array<T, 3>;
  if (expected) {
    CHECK(same(heapspan::parse<T>(text)));
    CHECK(same(heapspan::parse<std::array<T, 1>>(text)[0]));
    CHECK(same(heapspan::parse<Three>("1 " + text + "\t2")[1]) && same(heapspan::parse<Three>("1 2 " + text)[2]));
  } else {
    CHECK(failure_of([&] { heapspan::parse<T>(text); }) == wrong);
    CHECK(text.empty() || failure_of([&] { heapspan::parse<Three>("1 " + text + " 2"); }) == wrong);
  }
}

void are_parsed(const std::string& text) {
  is_parsed<double>(text);
  is_parsed<float>(text);
  is_parsed<int32_t>(text);
  is_parsed<uint32_t>(text);
  is_parsed<int64_t>(text);
  is_parsed<uint64_t>(text);
  is_parsed<signed char>(text);
}

// Numbers are read as std::from_chars reads them, to the last bit.
void numbers() {
  for (const char* text : {"",
                           "-",
                           ".",
                           "-.",
                           "0",
                           "-0",
                           "-0.0",
                           "1.",
                           ".5",
                           "-.5",
                           "+1",
                           "1e5",
                           "1e",
                           "1.5.2",
                           "0x10",
                           "inf",
                           "nan",
                           "127",
                           "128",
                           "-128",
                           "-129",
                           "2147483647",
                           "2147483648",
                           "-2147483648",
                           "-2147483649",
                           "4294967295",
                           "4294967296",
                           "999999999999999999",
                           "9223372036854775807",
                           "-9223372036854775808",
                           "18446744073709551615",
                           "18446744073709551616",
                           "000000000000000000001",
                           "0.1",
                           "9007199254740992",
                           "9007199254740993",
                           "900719925474099.3",
                           "0.000000000000000001",
                           "0.0000000000000000001",
                           "1,5",
                           "1\x80",
                           "1\xB9"}) {
    are_parsed(text);
  }
  std::mt19937_64 random(1);
  auto digits = [&](uint64_t most) {
    std::string text;
    for (uint64_t count = random() % (most + 1); count > 0; count--) {
      text += static_cast<char>('0' + random() % 10);
    }
    return text;
  };
  for (int i = 0; i < 3000; i++) {
    std::string text = (random() % 3 == 0 ? "-" : "") + digits(random() % 2 == 0 ? 4 : 20);
    if (random() % 2 == 0) {
      text += "." + digits(random() % 2 == 0 ? 6 : 20);
    }
    are_parsed(random() % 8 == 0 ? text + "e" + digits(2) : text);
  }
}

// Words of all lengths, at all distances from the end of the text.
void words() {
  std::mt19937_64 random(2);
  for (int i = 0; i < 2000; i++) {
    std::string text;
    std::vector<std::string> expected(1);
    for (uint64_t left = random() % 60; left > 0; left--) {
      // Also those that are next to white space in the order of bytes, and those above 127.
      const char c = random() % 6 == 0 ? " \t\x01\x1F"[random() % 4] : "!a\x7F\x80\xA0\xFF"[random() % 6];
      text += c;
      if (static_cast<unsigned char>(c) > ' ') {
        expected.back() += c;
      } else if (!expected.back().empty()) {
        expected.emplace_back();
      }
    }
    if (expected.back().empty()) {
      expected.pop_back();
    }
    // In memory of its own, so that a read behind its end is found.
    std::vector<char> exact(text.begin(), text.end());
    std::vector<std::string> found;
    for (std::string_view word : heapspan::split(std::string_view(exact.data(), exact.size()))) {
      found.emplace_back(word);
    }
    CHECK(found == expected);
  }
}

// Texts of all lengths, each in memory of its own.
void texts() {
  using heapspan::detail::few_bytes;
  using heapspan::detail::same_text;
  for (size_t size = 0; size <= 33; size++) {
    std::vector<char> text(size);
    for (size_t i = 0; i < size; i++) {
      text[i] = static_cast<char>(200 + i);
    }
    std::vector<char> other = text;
    std::string_view view(text.data(), size);
    std::string_view other_view(other.data(), size);
    CHECK(same_text(view, other_view) && heapspan::hash(view) == heapspan::hash(other_view));
    for (char& c : other) {
      c++;
      CHECK(!same_text(view, other_view) && heapspan::hash(view) != heapspan::hash(other_view));
      c--;
    }
    CHECK(size == 0 || !same_text(view, view.substr(1)));
    if (size < 8) {
      uint64_t bytes = 0;
      for (size_t i = 0; i < size; i++) {
        bytes |= static_cast<uint64_t>(static_cast<unsigned char>(text[i])) << (8 * i);
      }
      CHECK(few_bytes(text.data(), size) == bytes);
    }
  }
  CHECK(heapspan::hash("eightbytes and five") == 0x80e1ad798ccec7b9U);
  CHECK(heapspan::hash("sixteen or so...") == 0x8f9b437c0d725b7fU);
}

}  // namespace

int main() {
  numbers();
  words();
  texts();
  return heapspan::testing::check_result("text_test");
}
