#pragma once

#include <cstdint>

#include "vm/status.h"
#include "vm/vm_tables.h"

namespace heapspan::vm {

// Numbers as org.heapspan.vm.HotSpotFacts reads them.
enum class Collector : std::int32_t {
  kUnknown = 0,
  kSerial = 1,
  kParallel = 2,
  kG1 = 3,
  kEpsilon = 4,
  kZ = 5,
  kShenandoah = 6,
};

// What the tables of HotSpot say about the running JVM, folded so that nobody above asks for a version.
struct HotSpotFacts {
  bool compressed_references = false;
  std::int32_t reference_shift = 0;
  std::uint64_t reference_base_address = 0;
  bool compressed_class_pointers = false;
  std::int32_t class_pointer_shift = 0;
  std::uint64_t class_pointer_base_address = 0;
  bool compact_headers = false;
  std::int32_t object_alignment_bytes = 0;
  Collector collector = Collector::kUnknown;
  std::uint64_t collection_counter_address = 0;  // 0 if there is none to rely on
  bool other_compiler = false;                   // a JIT compiler in Java, such as Graal
};

// Leaves `facts` alone unless it succeeds.
Status read_hotspot_facts(const VmTables& tables, HotSpotFacts& facts);

}  // namespace heapspan::vm
