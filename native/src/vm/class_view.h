#pragma once

#include <cstddef>
#include <cstdint>

#include "vm/memory_access.h"
#include "vm/object_model.h"
#include "vm/status.h"
#include "vm/vm_tables.h"

namespace heapspan::vm {

// Where the fields of Klass and InstanceKlass lie in this JVM.
struct ClassLayout {
  static constexpr std::uint64_t kAbsent = ~0ULL;

  // java_lang_Class::_klass_offset: where a java.lang.Class holds the address of its Klass, which is 0 if it has none.
  std::uint64_t class_pointer_in_mirror = kAbsent;
  std::uint64_t layout_helper = kAbsent;
  std::uint64_t reference_type = kAbsent;
  std::uint64_t vtable_words = kAbsent;
  std::uint64_t itable_words = kAbsent;
  std::uint64_t reference_map_words = kAbsent;
  std::uint64_t instance_class_bytes = kAbsent;

  // Leaves the layout alone unless everything was found.
  Status open(const VmTables& tables);
};

// A Klass in metaspace. The caller holds the class: metaspace of a class that was unloaded is used again.
class ClassView {
 public:
  ClassView(const ClassLayout& layout, std::uint64_t address) : layout_(layout), class_(at_address(address)) {}

  LayoutHelper layout_helper() const { return LayoutHelper(load<std::int32_t>(class_ + layout_.layout_helper)); }

  // What follows needs an instance class.

  // Not 0: java.lang.ref.Reference and what extends it.
  std::uint8_t reference_type() const { return load<std::uint8_t>(class_ + layout_.reference_type); }

  // Runs of reference slots: OopMapBlock in src/hotspot/share/oops/instanceKlass.hpp, JDK 17 to 25, behind vtable and
  // itable. `count` is in slots.
  struct ReferenceRun {
    std::int32_t offset;
    std::uint32_t count;
  };
  // Of a class that is sound, no more than kMaxReferenceRuns.
  std::uint32_t reference_run_count() const;
  ReferenceRun reference_run(std::uint32_t index) const;

 private:
  const ClassLayout& layout_;
  const std::byte* class_;
};

// A class file has at most 65535 fields.
constexpr std::uint32_t kMaxReferenceRuns = 65536;

}  // namespace heapspan::vm
