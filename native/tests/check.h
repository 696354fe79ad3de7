#pragma once

#include <cstdio>

// The little that tests need: CHECK reports and goes on, check_result is what main returns.

namespace heapspan::testing {

inline int failures = 0;

inline void check(bool condition, const char* text, const char* file, int line) {
  if (!condition) {
    std::fprintf(stderr, "%s:%d: expected %s\n", file, line, text);
    failures++;
  }
}

inline int check_result(const char* name) {
  if (failures != 0) {
    std::fprintf(stderr, "%s: %d checks failed\n", name, failures);
    return 1;
  }
  std::printf("%s: all passed\n", name);
  return 0;
}

}  // namespace heapspan::testing

#define CHECK(condition) ::heapspan::testing::check((condition), #condition, __FILE__, __LINE__)
