// Tests of vm/class_view and vm/young_space against structures made by hand.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "check.h"
#include "fake_tables.h"
#include "vm/class_view.h"
#include "vm/memory_access.h"
#include "vm/status.h"
#include "vm/vm_tables.h"
#include "vm/young_space.h"

namespace {

using heapspan::testing::ConstantRow;
using heapspan::testing::fake_symbol;
using heapspan::testing::FieldRow;
using heapspan::testing::tables_shown;
using heapspan::testing::TypeRow;
using heapspan::vm::at_address;
using heapspan::vm::ClassLayout;
using heapspan::vm::ClassView;
using heapspan::vm::Collector;
using heapspan::vm::LayoutHelper;
using heapspan::vm::Status;
using heapspan::vm::VmTables;
using heapspan::vm::YoungSpace;

constexpr std::int32_t kRegionShift = 20;
constexpr std::int32_t kEden = 2;
constexpr std::int32_t kSurvivor = 3;

struct Region {
  std::uint64_t other[3];
  std::int32_t tag;
};
struct MemoryRange {
  std::uint64_t start;
  std::uint64_t words;
};
struct Generation {
  std::uint64_t other;
  MemoryRange reserved;
};
// One heap that is that of each collector.
struct Heap {
  std::uint64_t other[2];
  const void* biased_base;
  std::int32_t shift;
  const Generation* young;
};

struct FakeHeap {
  Region eden = {{}, kEden};
  Region survivor = {{}, kSurvivor};
  const Region* regions[6] = {nullptr, &eden, &eden, &survivor, nullptr, nullptr};
  Generation young = {0, {5ULL << kRegionShift, (2ULL << kRegionShift) / 8}};
  Heap heap = {{}, regions, kRegionShift, &young};
  const Heap* heap_address = &heap;
  const Generation* young_address = &young;
  std::uint64_t grain = 1ULL << kRegionShift;

  FieldRow fields[16] = {};
  TypeRow types[1] = {{}};
  ConstantRow constants[2] = {};

  // Names as in JDK 25, or as in 17.
  YoungSpace open(Collector collector, bool new_names, Status& status, const char* missing = "") {
    const FieldRow made[] = {
        {"Universe", "_collectedHeap", "CollectedHeap*", 1, 0, &heap_address},
        {"G1CollectedHeap", "_hrm", "HeapRegionManager", 0, 8, nullptr},
        {new_names ? "G1HeapRegionManager" : "HeapRegionManager", "_regions", "G1HeapRegionTable", 0, 8, nullptr},
        {"G1HeapRegionTable", "_biased_base", "address", 0, 0, nullptr},
        {"G1HeapRegionTable", "_shift_by", "uint", 0, 8, nullptr},
        {new_names ? "G1HeapRegion" : "HeapRegion", "_type", "HeapRegionType", 0, 16, nullptr},
        {new_names ? "G1HeapRegionType" : "HeapRegionType", "_tag", "HeapRegionType::Tag volatile", 0, 8, nullptr},
        {new_names ? "G1HeapRegion" : "HeapRegion", "GrainBytes", "size_t", 1, 0, &grain},
        {"ParallelScavengeHeap", "_young_gen", "PSYoungGen*", 1, 0, &young_address},
        {"PSYoungGen", "_reserved", "MemRegion", 0, offsetof(Generation, reserved), nullptr},
        {new_names ? "SerialHeap" : "GenCollectedHeap", "_young_gen", "Generation*", 0, offsetof(Heap, young), nullptr},
        {"Generation", "_reserved", "MemRegion", 0, offsetof(Generation, reserved), nullptr},
        {"MemRegion", "_start", "HeapWord*", 0, offsetof(MemoryRange, start), nullptr},
        {"MemRegion", "_word_size", "size_t", 0, offsetof(MemoryRange, words), nullptr},
        {nullptr, nullptr, nullptr, 0, 0, nullptr}};
    std::memcpy(fields, made, sizeof made);
    for (FieldRow& row : fields) {
      if (row.field_name != nullptr && std::strcmp(row.field_name, missing) == 0) {
        row.field_name = "something else";
      }
    }
    constants[0] = {new_names ? "G1HeapRegionType::EdenTag" : "HeapRegionType::EdenTag", kEden};
    constants[1] = {};
    const bool no_constants = std::strcmp(missing, "EdenTag") == 0;
    tables_shown = {fields, types, no_constants ? nullptr : constants};
    VmTables tables;
    CHECK(tables.open(fake_symbol).is_ok());
    YoungSpace space;
    status = space.open(tables, collector);
    return space;
  }
};

bool holds(const YoungSpace& space, std::uint64_t first, std::uint64_t last) {
  return space.contains(at_address(first), at_address(last));
}

constexpr std::uint64_t kMegabyte = 1ULL << kRegionShift;

void finds_eden_by_the_tags_of_regions() {
  for (const bool new_names : {false, true}) {
    FakeHeap fake;
    Status status = Status::ok();
    const YoungSpace space = fake.open(Collector::kG1, new_names, status);
    CHECK(status.is_ok());
    CHECK(space.max_object_bytes() == kMegabyte / 2);
    CHECK(holds(space, kMegabyte, 2 * kMegabyte - 1));
    CHECK(holds(space, 2 * kMegabyte, 3 * kMegabyte - 1));
    CHECK(!holds(space, kMegabyte - 1, kMegabyte));
    CHECK(!holds(space, 3 * kMegabyte - 8, 3 * kMegabyte));
    CHECK(!holds(space, 3 * kMegabyte, 3 * kMegabyte + 8));
    CHECK(!holds(space, 4 * kMegabyte, 4 * kMegabyte + 8));
    fake.eden.tag = kSurvivor;
    CHECK(!holds(space, kMegabyte, kMegabyte + 8));
  }
}

void finds_young_generations_by_their_range() {
  for (const Collector collector : {Collector::kParallel, Collector::kSerial}) {
    for (const bool new_names : {false, true}) {
      FakeHeap fake;
      Status status = Status::ok();
      const YoungSpace space = fake.open(collector, new_names, status);
      CHECK(status.is_ok());
      CHECK(space.max_object_bytes() == 2 * kMegabyte);
      CHECK(holds(space, 5 * kMegabyte, 7 * kMegabyte - 1));
      CHECK(!holds(space, 5 * kMegabyte - 1, 6 * kMegabyte));
      CHECK(!holds(space, 6 * kMegabyte, 7 * kMegabyte));
    }
  }
}

void takes_any_place_on_epsilon_and_none_elsewhere() {
  FakeHeap fake;
  Status status = Status::ok();
  CHECK(holds(fake.open(Collector::kEpsilon, true, status), 1, ~0ULL));
  CHECK(status.is_ok());
  for (const Collector collector : {Collector::kZ, Collector::kShenandoah, Collector::kUnknown}) {
    CHECK(!holds(fake.open(collector, true, status), kMegabyte, kMegabyte + 8));
    CHECK(!status.is_ok());
  }
}

void fails_where_tables_lack_something() {
  FakeHeap fake;
  Status status = Status::ok();
  for (const char* missing :
       {"_collectedHeap", "_hrm", "_regions", "_biased_base", "_shift_by", "_type", "_tag", "GrainBytes", "EdenTag"}) {
    CHECK(!holds(fake.open(Collector::kG1, true, status, missing), kMegabyte, kMegabyte + 8));
    CHECK(!status.is_ok());
  }
  for (const char* missing : {"_young_gen", "_reserved", "_start", "_word_size"}) {
    for (const Collector collector : {Collector::kParallel, Collector::kSerial}) {
      fake.open(collector, true, status, missing);
      CHECK(!status.is_ok());
    }
  }
  fake.grain = 3;
  fake.open(Collector::kG1, true, status);
  CHECK(!status.is_ok());
}

// --- classes ------------------------------------------------------------------------------------

// An InstanceKlass with two words of tables and two runs of references.
struct FakeClass {
  std::uint64_t other[2];
  std::int32_t layout_helper;
  std::int32_t vtable_words;
  std::int32_t itable_words;
  std::uint32_t map_words;
  std::uint8_t reference_type;
  std::uint8_t padding[7];
};
struct FakeClassWithTables {
  FakeClass base;
  std::uint64_t tables[3];
  ClassView::ReferenceRun runs[2];
};

Status open(ClassLayout& layout, const char* missing = "") {
  static const std::int32_t class_pointer = 104;
  static FieldRow rows[8];
  const FieldRow made[] = {
      {"java_lang_Class", "_klass_offset", "int", 1, 0, &class_pointer},
      {"Klass", "_layout_helper", "jint", 0, offsetof(FakeClass, layout_helper), nullptr},
      {"Klass", "_vtable_len", "int", 0, offsetof(FakeClass, vtable_words), nullptr},
      {"InstanceKlass", "_itable_len", "int", 0, offsetof(FakeClass, itable_words), nullptr},
      {"InstanceKlass", "_nonstatic_oop_map_size", "int", 0, offsetof(FakeClass, map_words), nullptr},
      {"InstanceKlass", "_reference_type", "u1", 0, offsetof(FakeClass, reference_type), nullptr},
      {nullptr, nullptr, nullptr, 0, 0, nullptr}};
  std::memcpy(rows, made, sizeof made);
  for (FieldRow& row : rows) {
    if (row.field_name != nullptr && std::strcmp(row.field_name, missing) == 0) {
      row.field_name = "something else";
    }
  }
  static const TypeRow types[] = {{"InstanceKlass", "Klass", 0, 0, 0, sizeof(FakeClass)}, {}};
  tables_shown = {rows, types, nullptr};
  VmTables tables;
  CHECK(tables.open(fake_symbol).is_ok());
  return layout.open(tables);
}

void sees_what_a_class_says() {
  ClassLayout layout;
  CHECK(open(layout).is_ok());
  CHECK(layout.class_pointer_in_mirror == 104);
  FakeClassWithTables type = {{{}, 48, 2, 1, 2, 4, {}}, {}, {{12, 2}, {32, 1}}};
  const ClassView view(layout, reinterpret_cast<std::uint64_t>(&type));
  CHECK(view.layout_helper().is_instance());
  CHECK(view.layout_helper().instance_bytes() == 48);
  CHECK(view.reference_type() == 4);
  CHECK(view.reference_run_count() == 2);
  CHECK(view.reference_run(0).offset == 12);
  CHECK(view.reference_run(0).count == 2);
  CHECK(view.reference_run(1).offset == 32);
  CHECK(view.reference_run(1).count == 1);
}

void fails_where_classes_are_described_otherwise() {
  for (const char* missing : {"_klass_offset", "_layout_helper", "_vtable_len", "_itable_len",
                              "_nonstatic_oop_map_size", "_reference_type"}) {
    ClassLayout layout;
    CHECK(!open(layout, missing).is_ok());
    CHECK(layout.layout_helper == ClassLayout::kAbsent);
  }
}

// The encodings that klass.hpp gives as examples.
void reads_layout_helpers() {
  const LayoutHelper slow(49);
  CHECK(slow.is_instance() && slow.needs_slow_path() && slow.instance_bytes() == 48);
  const LayoutHelper bytes(static_cast<std::int32_t>(0xC0100800u));
  CHECK(bytes.is_array() && !bytes.is_reference_array() && bytes.array_base_offset() == 16);
  CHECK(bytes.log2_element_bytes() == 0);
  const LayoutHelper references(static_cast<std::int32_t>(0x80100C02u));
  CHECK(references.is_reference_array() && references.array_base_offset() == 16);
  CHECK(references.log2_element_bytes() == 2);
}

}  // namespace

int main() {
  finds_eden_by_the_tags_of_regions();
  finds_young_generations_by_their_range();
  takes_any_place_on_epsilon_and_none_elsewhere();
  fails_where_tables_lack_something();
  sees_what_a_class_says();
  fails_where_classes_are_described_otherwise();
  reads_layout_helpers();
  return heapspan::testing::check_result("class_and_space_test");
}
