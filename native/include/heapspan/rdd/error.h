#pragma once

#include <algorithm>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "boundary.h"

// What can go wrong in a native RDD program, and how it crosses the boundary.

// Functions that are the same in all programs are declared with this, and are in compiled_once.h. `heapspan native
// build` compiles that file once, and links each program with it. Otherwise it is a part of this library of headers.
#if defined(HEAPSPAN_COMPILED_ONCE) || defined(HEAPSPAN_COMPILES_ONCE)
#define HEAPSPAN_ONCE
#else
#define HEAPSPAN_ONCE inline
#endif

namespace heapspan {

// A failure of the program or a misuse of the library; the message says what to do.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A failure inside a kernel, with the operator that ran it.
class OperatorError : public Error {
 public:
  OperatorError(const char* operator_name, const std::string& message)
      : Error(message), operator_name_(operator_name) {}
  const char* operator_name() const { return operator_name_; }

 private:
  const char* operator_name_;
};

namespace detail {

// The host holds an exception of its own. Not a std::exception, so that no kernel catches it by accident.
struct HostFailed {};

// Out of line and cold, so that the loops around it stay small.
[[noreturn, gnu::cold]] HEAPSPAN_ONCE void fail(const char* message);
[[noreturn, gnu::cold]] HEAPSPAN_ONCE void fail_in_host(heapspan_status status);

inline void check(heapspan_status status) {
  if (status != HEAPSPAN_OK) [[unlikely]] {
    fail_in_host(status);
  }
}

// What the kernel of an operator threw, with its name.
[[noreturn, gnu::cold]] HEAPSPAN_ONCE void fail_in_operator(const char* operator_name);

template <size_t size>
void copy_text(char (&target)[size], std::string_view text) {
  size_t length = std::min(text.size(), size - 1);
  // Never cut inside of a UTF-8 character.
  while (length < text.size() && length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) {
    length--;
  }
  if (length > 0) {
    std::memcpy(target, text.data(), length);
  }
  target[length] = 0;
}

// Describes the exception that is being handled.
HEAPSPAN_ONCE heapspan_status report(heapspan_error* error) noexcept;

// Runs a body behind the boundary: nothing that it throws gets out.
template <class Body>
heapspan_status guard(heapspan_error* error, Body&& body) noexcept {
  try {
    body();
    return HEAPSPAN_OK;
  } catch (...) {
    return report(error);
  }
}

}  // namespace detail
}  // namespace heapspan
