#pragma once

#include <heapspan/rdd.hpp>

#include "../check.h"
#include "local_driver.h"

// What the tests of operators have in common.

namespace heapspan::testing {

template <class T>
std::vector<T> sorted(std::vector<T> values) {
  std::sort(values.begin(), values.end(), heapspan::detail::KeyBefore());
  return values;
}

template <class Pipeline>
auto sorted_elements(const Pipeline& rdd) {
  return sorted(rdd.collect());
}

// Runs the tests with plenty of memory, and with none: then operators spill, at least as often as is expected.
inline void run_with_and_without_memory(void (*tests)(Context&), int64_t least_spills) {
  for (uint64_t memory : {UINT64_MAX, uint64_t{0}}) {
    LocalDriver driver(heapspan_program_table(), {.memory_bytes = memory});
    {
      Context context(driver.table());
      tests(context);
    }
    CHECK(driver.counters().batches_lent == driver.counters().batches_released);
    CHECK(driver.counters().bytes_reserved == driver.counters().bytes_released);
    CHECK(driver.counters().nodes_made == driver.counters().nodes_released);
    CHECK(memory == 0 ? driver.counters().spills >= least_spills : driver.counters().spills == 0);
  }
}

}  // namespace heapspan::testing
