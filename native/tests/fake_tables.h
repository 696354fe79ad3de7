#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

// Tables in the shape in which HotSpot exports them, for tests without a JVM.

namespace heapspan::testing {

// VMStructEntry, VMTypeEntry and VMIntConstantEntry of vmStructs.hpp. The last row of a table has no name.
struct FieldRow {
  const char* type_name;
  const char* field_name;
  const char* type_string;
  std::int32_t is_static;
  std::uint64_t offset;
  const void* address;
};
struct TypeRow {
  const char* type_name;
  const char* superclass_name;
  std::int32_t is_oop;
  std::int32_t is_integer;
  std::int32_t is_unsigned;
  std::uint64_t size;
};
struct ConstantRow {
  const char* name;
  std::int32_t value;
};

// What fake_symbol gives out; a test sets it.
struct FakeTables {
  const FieldRow* fields;
  const TypeRow* types;
  const ConstantRow* constants;  // null: this JVM exports none
};
inline FakeTables tables_shown = {};

inline const void* fake_symbol(const char* name) {
  struct Symbol {
    const char* name;
    const void* address;
  };
  static const std::uint64_t numbers[] = {offsetof(FieldRow, type_name),
                                          offsetof(FieldRow, field_name),
                                          offsetof(FieldRow, type_string),
                                          offsetof(FieldRow, is_static),
                                          offsetof(FieldRow, offset),
                                          offsetof(FieldRow, address),
                                          sizeof(FieldRow),
                                          offsetof(TypeRow, type_name),
                                          offsetof(TypeRow, size),
                                          sizeof(TypeRow),
                                          offsetof(ConstantRow, name),
                                          offsetof(ConstantRow, value),
                                          sizeof(ConstantRow)};
  static const Symbol symbols[] = {{"gHotSpotVMStructs", &tables_shown.fields},
                                   {"gHotSpotVMTypes", &tables_shown.types},
                                   {"gHotSpotVMStructEntryTypeNameOffset", &numbers[0]},
                                   {"gHotSpotVMStructEntryFieldNameOffset", &numbers[1]},
                                   {"gHotSpotVMStructEntryTypeStringOffset", &numbers[2]},
                                   {"gHotSpotVMStructEntryIsStaticOffset", &numbers[3]},
                                   {"gHotSpotVMStructEntryOffsetOffset", &numbers[4]},
                                   {"gHotSpotVMStructEntryAddressOffset", &numbers[5]},
                                   {"gHotSpotVMStructEntryArrayStride", &numbers[6]},
                                   {"gHotSpotVMTypeEntryTypeNameOffset", &numbers[7]},
                                   {"gHotSpotVMTypeEntrySizeOffset", &numbers[8]},
                                   {"gHotSpotVMTypeEntryArrayStride", &numbers[9]},
                                   {"gHotSpotVMIntConstants", &tables_shown.constants},
                                   {"gHotSpotVMIntConstantEntryNameOffset", &numbers[10]},
                                   {"gHotSpotVMIntConstantEntryValueOffset", &numbers[11]},
                                   {"gHotSpotVMIntConstantEntryArrayStride", &numbers[12]}};
  for (const Symbol& symbol : symbols) {
    if (std::strcmp(symbol.name, name) == 0) {
      return symbol.address;
    }
  }
  return nullptr;
}

inline const void* no_symbol(const char*) { return nullptr; }

}  // namespace heapspan::testing
