#include "vm/cpu_features.h"

namespace heapspan::vm {

std::int32_t cpu_features() {
  std::int32_t bits = 0;
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2")) {
    bits |= kAvx2;
  }
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2")) {
    bits |= kAvx512;
  }
#endif
  return bits;
}

}  // namespace heapspan::vm
