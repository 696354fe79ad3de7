#include "vm/young_space.h"

#include <optional>

#include "vm/memory_access.h"

namespace heapspan::vm {
namespace {

bool is_member(const std::optional<Field>& field) { return field && !field->is_static; }

bool is_static(const std::optional<Field>& field, const char* type) {
  return field && field->is_static && field->has_type(type);
}

// Universe::_collectedHeap (src/hotspot/share/memory/universe.hpp, JDK 17 to 25); 0 if not found.
std::uint64_t heap_address(const VmTables& tables) {
  const std::optional<Field> heap = tables.field("Universe", "_collectedHeap");
  return is_static(heap, "CollectedHeap*") ? heap->value<std::uint64_t>() : 0;
}

}  // namespace

Status YoungSpace::open(const VmTables& tables, Collector collector) {
  *this = YoungSpace();
  switch (collector) {
    case Collector::kG1:
      return open_regions(tables);
    case Collector::kParallel: {
      // src/hotspot/share/gc/parallel/{parallelScavengeHeap,psYoungGen}.hpp, JDK 17 to 25.
      const std::optional<Field> young = tables.field("ParallelScavengeHeap", "_young_gen");
      if (!is_static(young, "PSYoungGen*")) {
        return Status::failed("HotSpot's tables do not show Parallel's young generation");
      }
      return open_range(tables, young->value<std::uint64_t>(), "PSYoungGen");
    }
    case Collector::kSerial: {
      // src/hotspot/share/gc/shared/genCollectedHeap.hpp up to JDK 21, src/hotspot/share/gc/serial/serialHeap.hpp
      // in 25.
      const std::optional<Field> young = tables.field_of_either("SerialHeap", "GenCollectedHeap", "_young_gen");
      const std::uint64_t heap = heap_address(tables);
      if (!is_member(young) || heap == 0) {
        return Status::failed("HotSpot's tables do not show Serial's young generation");
      }
      return open_range(tables, load<std::uint64_t>(at_address(heap + young->offset)), "Generation");
    }
    case Collector::kEpsilon:
      kind_ = Kind::kEverywhere;
      max_object_bytes_ = ~0ULL;
      return Status::ok();
    default:
      return Status::failed("this collector moves objects while the program runs");
  }
}

// src/hotspot/share/gc/g1: up to JDK 21 heapRegion.hpp, heapRegionManager.hpp, heapRegionType.hpp; in JDK 25 the same
// with G1 before each name. g1HeapRegionTable is G1BiasedMappedArray (g1BiasedArray.hpp) and never moves.
Status YoungSpace::open_regions(const VmTables& tables) {
  const std::optional<Field> manager = tables.field("G1CollectedHeap", "_hrm");
  const std::optional<Field> table = tables.field_of_either("G1HeapRegionManager", "HeapRegionManager", "_regions");
  const std::optional<Field> biased_base = tables.field("G1HeapRegionTable", "_biased_base");
  const std::optional<Field> shift = tables.field("G1HeapRegionTable", "_shift_by");
  const std::optional<Field> type = tables.field_of_either("G1HeapRegion", "HeapRegion", "_type");
  const std::optional<Field> tag = tables.field_of_either("G1HeapRegionType", "HeapRegionType", "_tag");
  const std::optional<Field> grain = tables.field_of_either("G1HeapRegion", "HeapRegion", "GrainBytes");
  std::optional<std::int32_t> eden = tables.constant("G1HeapRegionType::EdenTag");
  if (!eden) {
    eden = tables.constant("HeapRegionType::EdenTag");
  }
  const std::uint64_t heap = heap_address(tables);
  if (heap == 0 || !is_member(manager) || !is_member(table) || !is_member(biased_base) || !is_member(shift) ||
      !is_member(type) || !is_member(tag) || !is_static(grain, "size_t") || !eden) {
    return Status::failed("HotSpot's tables do not show the regions of G1 as they did in JDK 17 to 25");
  }
  const std::byte* const regions = at_address(heap + manager->offset + table->offset);
  regions_ = load<std::uint64_t>(regions + biased_base->offset);
  region_shift_ = load<std::int32_t>(regions + shift->offset);
  const auto grain_bytes = grain->value<std::uint64_t>();
  if (regions_ == 0 || region_shift_ < 16 || region_shift_ > 40 || grain_bytes != 1ULL << region_shift_) {
    return Status::failed("HotSpot's tables contradict themselves about the size of G1's regions");
  }
  region_tag_offset_ = type->offset + tag->offset;
  eden_tag_ = *eden;
  // G1CollectedHeap::humongous_threshold_for: what is larger than half a region lies in regions of its own.
  max_object_bytes_ = grain_bytes / 2;
  kind_ = Kind::kRegions;
  return Status::ok();
}

// MemRegion: src/hotspot/share/memory/memRegion.hpp, JDK 17 to 25. What is reserved for a generation never changes.
Status YoungSpace::open_range(const VmTables& tables, std::uint64_t generation, const char* type_name) {
  const std::optional<Field> reserved = tables.field(type_name, "_reserved");
  const std::optional<Field> start = tables.field("MemRegion", "_start");
  const std::optional<Field> words = tables.field("MemRegion", "_word_size");
  if (generation == 0 || !is_member(reserved) || !is_member(start) || !is_member(words)) {
    return Status::failed("HotSpot's tables do not show what is reserved for the young generation");
  }
  const std::byte* const region = at_address(generation + reserved->offset);
  begin_ = load<std::uint64_t>(region + start->offset);
  end_ = begin_ + 8 * load<std::uint64_t>(region + words->offset);
  if (begin_ == 0 || end_ <= begin_) {
    return Status::failed("HotSpot's tables show an empty young generation");
  }
  max_object_bytes_ = end_ - begin_;
  kind_ = Kind::kRange;
  return Status::ok();
}

bool YoungSpace::holds(const std::byte* place) const {
  const std::uint64_t address = address_of(place);
  switch (kind_) {
    case Kind::kRegions: {
      const auto region = load<std::byte*>(at_address(regions_ + 8 * (address >> region_shift_)));
      return region != nullptr && load<std::int32_t>(region + region_tag_offset_) == eden_tag_;
    }
    case Kind::kRange:
      return address >= begin_ && address < end_;
    case Kind::kEverywhere:
      return true;
    default:
      return false;
  }
}

YoungSpace YoungSpace::range(std::uint64_t begin, std::uint64_t end) {
  YoungSpace space;
  space.kind_ = Kind::kRange;
  space.begin_ = begin;
  space.end_ = end;
  space.max_object_bytes_ = end - begin;
  return space;
}

}  // namespace heapspan::vm
