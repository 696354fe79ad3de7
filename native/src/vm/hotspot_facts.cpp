#include "vm/hotspot_facts.h"

#include <optional>

namespace heapspan::vm {
namespace {

// Largest ObjectAlignmentInBytes: src/hotspot/share/runtime/globals.hpp, JDK 17 to 25.
constexpr std::int32_t kMaxObjectAlignmentBytes = 256;

// No heap class of JDK 17 to 25 is nearly as large; a counter beyond this is a table we misread.
constexpr std::uint64_t kMaxHeapObjectBytes = 64 * 1024;

bool is_object_alignment(std::int32_t bytes) {
  return bytes >= 8 && bytes <= kMaxObjectAlignmentBytes && (bytes & (bytes - 1)) == 0;
}

// src/hotspot/share/gc/shared/gc_globals.hpp, JDK 17 to 25; a collector left out of a build has no flag.
Collector collector_of(const VmFlags& flags) {
  struct Choice {
    const char* flag;
    Collector collector;
  };
  constexpr Choice kChoices[] = {
      {"UseG1GC", Collector::kG1},         {"UseParallelGC", Collector::kParallel},
      {"UseSerialGC", Collector::kSerial}, {"UseEpsilonGC", Collector::kEpsilon},
      {"UseZGC", Collector::kZ},           {"UseShenandoahGC", Collector::kShenandoah},
  };
  Collector found = Collector::kUnknown;
  for (const Choice& choice : kChoices) {
    if (flags.is_true(choice.flag)) {
      if (found != Collector::kUnknown) {
        return Collector::kUnknown;  // two at once: not a HotSpot we know
      }
      found = choice.collector;
    }
  }
  return found;
}

bool moves_objects_only_in_pauses(Collector collector) {
  return collector == Collector::kG1 || collector == Collector::kParallel || collector == Collector::kSerial ||
         collector == Collector::kEpsilon;
}

// CollectedHeap::_total_collections (src/hotspot/share/gc/shared/collectedHeap.hpp, JDK 17 to 25): every stop-the-world
// collection of G1, Parallel and Serial, young or full, calls increment_total_collections() before it moves an object.
// Epsilon never collects. Fallback: 0, and callers do without addresses.
std::uint64_t collection_counter_address(const VmTables& tables, Collector collector) {
  const std::optional<Field> heap = tables.field("Universe", "_collectedHeap");
  const std::optional<Field> counter = tables.field("CollectedHeap", "_total_collections");
  if (!moves_objects_only_in_pauses(collector) || !heap || !heap->is_static || !heap->has_type("CollectedHeap*") ||
      !counter || counter->is_static || !counter->has_type("unsigned int") || counter->offset == 0 ||
      counter->offset % alignof(std::uint32_t) != 0 || counter->offset > kMaxHeapObjectBytes) {
    return 0;
  }
  const auto heap_address = heap->value<std::uint64_t>();
  return heap_address == 0 ? 0 : heap_address + counter->offset;
}

}  // namespace

Status read_hotspot_facts(const VmTables& tables, HotSpotFacts& facts) {
  VmFlags flags;
  if (const Status status = flags.open(tables); !status.is_ok()) {
    return status;
  }
  HotSpotFacts found;

  const std::optional<bool> compressed_references = flags.boolean("UseCompressedOops");
  if (!compressed_references) {
    return Status::failed("this JVM has no flag UseCompressedOops; 64-bit HotSpot has it in JDK 17 to 25");
  }
  found.compressed_references = *compressed_references;
  if (found.compressed_references) {
    // src/hotspot/share/oops/compressedOops.hpp: inside a struct _narrow_oop in JDK 17, on their own in JDK 25.
    const std::optional<Field> base = tables.field("CompressedOops", "_base", "_narrow_oop._base");
    const std::optional<Field> shift = tables.field("CompressedOops", "_shift", "_narrow_oop._shift");
    if (!base || !base->is_static || !shift || !shift->is_static) {
      return Status::failed("HotSpot's tables have no CompressedOops base and shift");
    }
    found.reference_base_address = base->value<std::uint64_t>();
    found.reference_shift = shift->value<std::int32_t>();
  }

  found.compact_headers = flags.is_true("UseCompactObjectHeaders");
  // A JVM without this flag has no other kind of class pointer left.
  found.compressed_class_pointers = flags.boolean("UseCompressedClassPointers").value_or(true);
  if (found.compressed_class_pointers) {
    // src/hotspot/share/oops/compressedKlass.hpp; renamed like the above.
    const std::optional<Field> base = tables.field("CompressedKlassPointers", "_base", "_narrow_klass._base");
    const std::optional<Field> shift = tables.field("CompressedKlassPointers", "_shift", "_narrow_klass._shift");
    if (!base || !base->is_static || !shift || !shift->is_static) {
      return Status::failed("HotSpot's tables have no CompressedKlassPointers base and shift");
    }
    found.class_pointer_base_address = base->value<std::uint64_t>();
    found.class_pointer_shift = shift->value<std::int32_t>();
  }

  const std::optional<std::int32_t> alignment = flags.int32("ObjectAlignmentInBytes");
  if (!alignment || !is_object_alignment(*alignment)) {
    return Status::failed("ObjectAlignmentInBytes is missing or not a power of two from 8 to 256");
  }
  found.object_alignment_bytes = *alignment;

  found.collector = collector_of(flags);
  found.collection_counter_address = collection_counter_address(tables, found.collector);
  // src/hotspot/share/jvmci/jvmci_globals.hpp, JDK 17 to 25.
  found.other_compiler = flags.is_true("UseJVMCICompiler");
  facts = found;
  return Status::ok();
}

}  // namespace heapspan::vm
