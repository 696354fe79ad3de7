// Tests of src/vm against tables made by hand, in the shape that HotSpot exports them.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "check.h"
#include "fake_tables.h"
#include "vm/cpu_features.h"
#include "vm/hotspot_facts.h"
#include "vm/status.h"
#include "vm/vm_tables.h"

namespace {

using heapspan::testing::fake_symbol;
using heapspan::testing::FieldRow;
using heapspan::testing::no_symbol;
using heapspan::testing::tables_shown;
using heapspan::testing::TypeRow;
using heapspan::vm::Collector;
using heapspan::vm::HotSpotFacts;
using heapspan::vm::Status;
using heapspan::vm::VmFlags;
using heapspan::vm::VmTables;

struct FlagRow {
  void* address;
  const char* name;
  std::int32_t flags;
};

// One JVM as its tables show it; a test changes what it is about.
struct FakeJvm {
  bool compressed_oops = true;
  bool compressed_classes = true;
  bool compact_headers = false;
  bool g1 = true;
  bool parallel = false;
  bool z = false;
  std::int32_t alignment = 8;
  std::uint64_t oop_base = 0x100000000;
  std::int32_t oop_shift = 3;
  std::uint64_t class_base = 0x7f0000000000;
  std::int32_t class_shift = 10;
  std::uint32_t heap_object[16] = {};
  void* heap = heap_object;
  std::uint64_t counter_offset = 8;
  const char* counter_type = "unsigned int";
  bool old_names = false;

  FlagRow flag_rows[9];
  const FlagRow* flags = flag_rows;
  std::size_t flag_count = 9;
  FieldRow field_rows[11];
  TypeRow type_rows[2];

  void publish() {
    FlagRow made_flags[9] = {{&compressed_oops, "UseCompressedOops", 0},
                             {&compressed_classes, "UseCompressedClassPointers", 0},
                             {&compact_headers, "UseCompactObjectHeaders", 0},
                             {&g1, "UseG1GC", 0},
                             {&parallel, "UseParallelGC", 0},
                             {&z, "UseZGC", 0},
                             {&alignment, "ObjectAlignmentInBytes", 0},
                             {&alignment, "SomethingElse", 0},
                             {nullptr, nullptr, 0}};
    std::memcpy(flag_rows, made_flags, sizeof flag_rows);
    FieldRow made_fields[11] = {
        {"JVMFlag", "flags", "JVMFlag*", 1, 0, &flags},
        {"JVMFlag", "numFlags", "size_t", 1, 0, &flag_count},
        {"JVMFlag", "_name", "const char*", 0, offsetof(FlagRow, name), nullptr},
        {"JVMFlag", "_addr", "void*", 0, offsetof(FlagRow, address), nullptr},
        {"CompressedOops", old_names ? "_narrow_oop._base" : "_base", "address", 1, 0, &oop_base},
        {"CompressedOops", old_names ? "_narrow_oop._shift" : "_shift", "int", 1, 0, &oop_shift},
        {"CompressedKlassPointers", old_names ? "_narrow_klass._base" : "_base", "address", 1, 0, &class_base},
        {"CompressedKlassPointers", old_names ? "_narrow_klass._shift" : "_shift", "int", 1, 0, &class_shift},
        {"Universe", "_collectedHeap", "CollectedHeap*", 1, 0, &heap},
        {"CollectedHeap", "_total_collections", counter_type, 0, counter_offset, nullptr},
        {nullptr, nullptr, nullptr, 0, 0, nullptr}};
    std::memcpy(field_rows, made_fields, sizeof field_rows);
    TypeRow made_types[2] = {{"JVMFlag", nullptr, 0, 0, 0, sizeof(FlagRow)}, {nullptr, nullptr, 0, 0, 0, 0}};
    std::memcpy(type_rows, made_types, sizeof type_rows);
    tables_shown = {field_rows, type_rows, nullptr};
  }
};

Status read(FakeJvm& jvm, HotSpotFacts& facts) {
  jvm.publish();
  VmTables tables;
  const Status status = tables.open(fake_symbol);
  return status.is_ok() ? heapspan::vm::read_hotspot_facts(tables, facts) : status;
}

void reads_facts_under_new_and_old_names() {
  for (const bool old_names : {false, true}) {
    FakeJvm jvm;
    jvm.old_names = old_names;
    HotSpotFacts facts;
    CHECK(read(jvm, facts).is_ok());
    CHECK(facts.compressed_references);
    CHECK(facts.reference_base_address == 0x100000000);
    CHECK(facts.reference_shift == 3);
    CHECK(facts.compressed_class_pointers);
    CHECK(facts.class_pointer_base_address == 0x7f0000000000);
    CHECK(facts.class_pointer_shift == 10);
    CHECK(!facts.compact_headers);
    CHECK(facts.object_alignment_bytes == 8);
    CHECK(facts.collector == Collector::kG1);
    CHECK(facts.collection_counter_address == reinterpret_cast<std::uint64_t>(jvm.heap_object) + 8);
  }
}

void ignores_base_and_shift_of_uncompressed_references() {
  FakeJvm jvm;
  jvm.compressed_oops = false;
  HotSpotFacts facts;
  CHECK(read(jvm, facts).is_ok());
  CHECK(!facts.compressed_references);
  CHECK(facts.reference_shift == 0);
  CHECK(facts.reference_base_address == 0);
}

void gives_no_counter_where_objects_move_at_any_time() {
  FakeJvm jvm;
  jvm.g1 = false;
  jvm.z = true;
  HotSpotFacts facts;
  CHECK(read(jvm, facts).is_ok());
  CHECK(facts.collector == Collector::kZ);
  CHECK(facts.collection_counter_address == 0);
}

void gives_no_counter_of_another_type_or_place() {
  HotSpotFacts facts;
  FakeJvm wider;
  wider.counter_type = "size_t";
  CHECK(read(wider, facts).is_ok());
  CHECK(facts.collection_counter_address == 0);
  FakeJvm far;
  far.counter_offset = 1 << 20;
  CHECK(read(far, facts).is_ok());
  CHECK(facts.collection_counter_address == 0);
  FakeJvm no_heap;
  no_heap.heap = nullptr;
  CHECK(read(no_heap, facts).is_ok());
  CHECK(facts.collection_counter_address == 0);
}

void knows_no_collector_where_two_are_on() {
  FakeJvm jvm;
  jvm.parallel = true;
  HotSpotFacts facts;
  CHECK(read(jvm, facts).is_ok());
  CHECK(facts.collector == Collector::kUnknown);
}

void rejects_impossible_alignment() {
  for (const std::int32_t alignment : {0, 4, 12, 512, -8}) {
    FakeJvm jvm;
    jvm.alignment = alignment;
    HotSpotFacts facts;
    const Status status = read(jvm, facts);
    CHECK(!status.is_ok());
    CHECK(facts.object_alignment_bytes == 0);
  }
}

void says_that_another_jvm_is_not_hotspot() {
  VmTables tables;
  const Status status = tables.open(no_symbol);
  CHECK(!status.is_ok());
  CHECK(std::strstr(status.why(), "not HotSpot") != nullptr);
}

void finds_no_flag_that_does_not_exist() {
  FakeJvm jvm;
  jvm.publish();
  VmTables tables;
  CHECK(tables.open(fake_symbol).is_ok());
  VmFlags flags;
  CHECK(flags.open(tables).is_ok());
  CHECK(!flags.boolean("UseMagic").has_value());
  CHECK(!flags.int32("").has_value());
  CHECK(flags.is_true("UseG1GC"));
  CHECK(!tables.field("JVMFlag", "flag").has_value());
  CHECK(!tables.size_of("Klass").has_value());
}

}  // namespace

int main() {
  reads_facts_under_new_and_old_names();
  ignores_base_and_shift_of_uncompressed_references();
  gives_no_counter_where_objects_move_at_any_time();
  gives_no_counter_of_another_type_or_place();
  knows_no_collector_where_two_are_on();
  rejects_impossible_alignment();
  says_that_another_jvm_is_not_hotspot();
  finds_no_flag_that_does_not_exist();
  CHECK(heapspan::vm::cpu_features() == heapspan::vm::cpu_features());
  return heapspan::testing::check_result("vm_test");
}
