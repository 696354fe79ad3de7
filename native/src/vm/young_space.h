#pragma once

#include <cstddef>
#include <cstdint>

#include "vm/hotspot_facts.h"
#include "vm/status.h"
#include "vm/vm_tables.h"

namespace heapspan::vm {

// Where objects lie that need no barriers: nothing else may be overwritten with references. On G1 that is Eden only,
// because survivors are walked while the program runs; Parallel and Serial walk their young generation in pauses only;
// Epsilon never walks.
class YoungSpace {
 public:
  // Fails for other collectors, and if the tables lack something.
  Status open(const VmTables& tables, Collector collector);

  // Whether an object lies here. The answer holds until the next collection: ask inside a window.
  bool contains(const std::byte* first, const std::byte* last) const { return holds(first) && holds(last); }

  // Larger objects never lie here.
  std::uint64_t max_object_bytes() const { return max_object_bytes_; }

  // For tests: memory from `begin` to `end`.
  static YoungSpace range(std::uint64_t begin, std::uint64_t end);

 private:
  enum class Kind : std::int32_t { kNowhere, kRange, kRegions, kEverywhere };

  Status open_regions(const VmTables& tables);
  Status open_range(const VmTables& tables, std::uint64_t generation, const char* type_name);
  bool holds(const std::byte* place) const;

  Kind kind_ = Kind::kNowhere;
  std::int32_t region_shift_ = 0;
  std::int32_t eden_tag_ = 0;
  std::uint64_t region_tag_offset_ = 0;
  std::uint64_t regions_ = 0;  // table of region descriptions, indexed by address >> region_shift_
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
  std::uint64_t max_object_bytes_ = 0;
};

}  // namespace heapspan::vm
