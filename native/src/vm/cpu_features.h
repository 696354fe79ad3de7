#pragma once

#include <cstdint>

namespace heapspan::vm {

// Bits as org.heapspan.vm.CpuFeatures reads them.
enum CpuFeatureBit : std::int32_t {
  kAvx2 = 1,
  kAvx512 = 2,  // F, BW, DQ and VL together
};

// Vector instructions that both the processor and the operating system support; no bit off x86-64.
std::int32_t cpu_features();

}  // namespace heapspan::vm
