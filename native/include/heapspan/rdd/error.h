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
[[noreturn, gnu::noinline, gnu::cold]] inline void fail(const char* message) { throw Error(message); }
[[noreturn, gnu::noinline, gnu::cold]] inline void fail_in_host(heapspan_status status) {
  if (status == HEAPSPAN_HOST_FAILED) {
    throw HostFailed();
  }
  throw Error("the host answered with the unexpected status " + std::to_string(status));
}

inline void check(heapspan_status status) {
  if (status != HEAPSPAN_OK) [[unlikely]] {
    fail_in_host(status);
  }
}

// What the kernel of an operator threw, with its name.
[[noreturn, gnu::noinline, gnu::cold]] inline void fail_in_operator(const char* operator_name) {
  try {
    throw;
  } catch (const HostFailed&) {
    throw;
  } catch (const OperatorError&) {
    throw;
  } catch (const std::exception& failure) {
    throw OperatorError(operator_name, failure.what());
  } catch (...) {
    throw OperatorError(operator_name, "the kernel threw something that is not a std::exception");
  }
}

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

// Runs a body behind the boundary: nothing that it throws gets out.
template <class Body>
heapspan_status guard(heapspan_error* error, Body&& body) noexcept {
  auto fail = [error](std::string_view operator_name, std::string_view message) {
    if (error != nullptr) {
      copy_text(error->operator_name, operator_name);
      copy_text(error->message, message);
    }
    return HEAPSPAN_PROGRAM_FAILED;
  };
  try {
    body();
    return HEAPSPAN_OK;
  } catch (const HostFailed&) {
    return HEAPSPAN_HOST_FAILED;
  } catch (const OperatorError& failure) {
    return fail(failure.operator_name(), failure.what());
  } catch (const std::exception& failure) {
    return fail("", failure.what());
  } catch (...) {
    return fail("", "something was thrown that is not a std::exception");
  }
}

}  // namespace detail
}  // namespace heapspan
