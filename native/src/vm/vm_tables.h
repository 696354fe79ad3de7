#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "vm/status.h"

// HotSpot's description of itself: tables of its types, fields and flags, which every build exports for the
// serviceability agent. Source: src/hotspot/share/runtime/vmStructs.{hpp,cpp}, JDK 17 to 25. Names and offsets change
// between versions, so callers try the names they know and cope with none.

namespace heapspan::vm {

// A field of a HotSpot type; a view on one row of gHotSpotVMStructs.
struct Field {
  const char* type_string;  // declared C++ type, such as "unsigned int"
  bool is_static;
  std::uint64_t offset;  // of an instance field, from the start of its object
  const void* address;   // of a static field

  // The value of a static field. T must be what type_string says.
  template <typename T>
  T value() const {
    return *static_cast<const T*>(address);
  }

  bool has_type(const char* expected) const;
};

class VmTables {
 public:
  using SymbolLookup = const void* (*)(const char* name);

  // Finds the tables through a lookup of exported symbols; the JVM's is jvm_symbol.
  Status open(SymbolLookup lookup);

  std::optional<Field> field(const char* type_name, const char* field_name) const;

  // A field that was renamed: the first name of the two that exists.
  std::optional<Field> field(const char* type_name, const char* new_name, const char* old_name) const;

  // A field of a type that was renamed.
  std::optional<Field> field_of_either(const char* new_type, const char* old_type, const char* field_name) const;

  // A constant such as "HeapRegionType::EdenTag"; empty too if this JVM exports no constants.
  std::optional<std::int32_t> constant(const char* name) const;

  // sizeof a HotSpot type.
  std::optional<std::uint64_t> size_of(const char* type_name) const;

 private:
  // Where a table starts and how its rows are laid out, in bytes; HotSpot exports all of it.
  struct FieldTable {
    const std::byte* rows;
    std::uint64_t type_name_offset;
    std::uint64_t field_name_offset;
    std::uint64_t type_string_offset;
    std::uint64_t is_static_offset;
    std::uint64_t offset_offset;
    std::uint64_t address_offset;
    std::uint64_t row_size;
  };
  struct TypeTable {
    const std::byte* rows;
    std::uint64_t type_name_offset;
    std::uint64_t size_offset;
    std::uint64_t row_size;
  };

  struct ConstantTable {
    const std::byte* rows;  // null if there is none
    std::uint64_t name_offset;
    std::uint64_t value_offset;
    std::uint64_t row_size;
  };

  FieldTable fields_{};
  TypeTable types_{};
  ConstantTable constants_{};
};

// The command-line flags with the values in force. Source: src/hotspot/share/runtime/flags/jvmFlag.hpp, JDK 17 to 25.
class VmFlags {
 public:
  Status open(const VmTables& tables);

  // Empty if this JVM has no such flag. The caller knows the type of a flag from HotSpot's globals.hpp.
  std::optional<bool> boolean(const char* name) const;
  std::optional<std::int32_t> int32(const char* name) const;

  bool is_true(const char* name) const { return boolean(name).value_or(false); }

 private:
  const void* address_of(const char* name) const;

  const std::byte* rows_ = nullptr;
  std::size_t count_ = 0;
  std::uint64_t row_size_ = 0;
  std::uint64_t name_offset_ = 0;
  std::uint64_t address_offset_ = 0;
};

}  // namespace heapspan::vm
