#include "vm/vm_tables.h"

#include <cstring>

namespace heapspan::vm {
namespace {

template <typename T>
T load(const std::byte* row, std::uint64_t offset) {
  T value;
  std::memcpy(&value, row + offset, sizeof value);
  return value;
}

bool same(const char* a, const char* b) { return a != nullptr && std::strcmp(a, b) == 0; }

// Reads an exported uint64_t; false if it does not exist.
bool read(VmTables::SymbolLookup lookup, const char* name, std::uint64_t& value) {
  const void* address = lookup(name);
  if (address == nullptr) {
    return false;
  }
  value = *static_cast<const std::uint64_t*>(address);
  return true;
}

// Reads an exported pointer to the first row of a table.
bool read(VmTables::SymbolLookup lookup, const char* name, const std::byte*& rows) {
  const void* address = lookup(name);
  if (address == nullptr) {
    return false;
  }
  rows = *static_cast<const std::byte* const*>(address);
  return rows != nullptr;
}

}  // namespace

bool Field::has_type(const char* expected) const { return same(type_string, expected); }

Status VmTables::open(SymbolLookup lookup) {
  FieldTable& f = fields_;
  if (!read(lookup, "gHotSpotVMStructs", f.rows) ||
      !read(lookup, "gHotSpotVMStructEntryTypeNameOffset", f.type_name_offset) ||
      !read(lookup, "gHotSpotVMStructEntryFieldNameOffset", f.field_name_offset) ||
      !read(lookup, "gHotSpotVMStructEntryTypeStringOffset", f.type_string_offset) ||
      !read(lookup, "gHotSpotVMStructEntryIsStaticOffset", f.is_static_offset) ||
      !read(lookup, "gHotSpotVMStructEntryOffsetOffset", f.offset_offset) ||
      !read(lookup, "gHotSpotVMStructEntryAddressOffset", f.address_offset) ||
      !read(lookup, "gHotSpotVMStructEntryArrayStride", f.row_size) || f.row_size == 0) {
    return Status::failed("this JVM does not export gHotSpotVMStructs; it is not HotSpot");
  }
  TypeTable& t = types_;
  if (!read(lookup, "gHotSpotVMTypes", t.rows) ||
      !read(lookup, "gHotSpotVMTypeEntryTypeNameOffset", t.type_name_offset) ||
      !read(lookup, "gHotSpotVMTypeEntrySizeOffset", t.size_offset) ||
      !read(lookup, "gHotSpotVMTypeEntryArrayStride", t.row_size) || t.row_size == 0) {
    return Status::failed("this JVM does not export gHotSpotVMTypes; it is not HotSpot");
  }
  ConstantTable& c = constants_;
  if (!read(lookup, "gHotSpotVMIntConstants", c.rows) ||
      !read(lookup, "gHotSpotVMIntConstantEntryNameOffset", c.name_offset) ||
      !read(lookup, "gHotSpotVMIntConstantEntryValueOffset", c.value_offset) ||
      !read(lookup, "gHotSpotVMIntConstantEntryArrayStride", c.row_size) || c.row_size == 0) {
    c.rows = nullptr;  // only some callers need constants; those see that there are none
  }
  return Status::ok();
}

std::optional<Field> VmTables::field(const char* type_name, const char* field_name) const {
  // A row without a type name ends the table.
  for (const std::byte* row = fields_.rows; load<const char*>(row, fields_.type_name_offset) != nullptr;
       row += fields_.row_size) {
    if (same(load<const char*>(row, fields_.field_name_offset), field_name) &&
        same(load<const char*>(row, fields_.type_name_offset), type_name)) {
      return Field{load<const char*>(row, fields_.type_string_offset),
                   load<std::int32_t>(row, fields_.is_static_offset) != 0,
                   load<std::uint64_t>(row, fields_.offset_offset), load<const void*>(row, fields_.address_offset)};
    }
  }
  return std::nullopt;
}

std::optional<Field> VmTables::field(const char* type_name, const char* new_name, const char* old_name) const {
  std::optional<Field> found = field(type_name, new_name);
  return found ? found : field(type_name, old_name);
}

std::optional<Field> VmTables::field_of_either(const char* new_type, const char* old_type,
                                               const char* field_name) const {
  std::optional<Field> found = field(new_type, field_name);
  return found ? found : field(old_type, field_name);
}

std::optional<std::int32_t> VmTables::constant(const char* name) const {
  if (constants_.rows == nullptr) {
    return std::nullopt;
  }
  for (const std::byte* row = constants_.rows; load<const char*>(row, constants_.name_offset) != nullptr;
       row += constants_.row_size) {
    if (same(load<const char*>(row, constants_.name_offset), name)) {
      return load<std::int32_t>(row, constants_.value_offset);
    }
  }
  return std::nullopt;
}

std::optional<std::uint64_t> VmTables::size_of(const char* type_name) const {
  for (const std::byte* row = types_.rows; load<const char*>(row, types_.type_name_offset) != nullptr;
       row += types_.row_size) {
    if (same(load<const char*>(row, types_.type_name_offset), type_name)) {
      return load<std::uint64_t>(row, types_.size_offset);
    }
  }
  return std::nullopt;
}

Status VmFlags::open(const VmTables& tables) {
  const std::optional<Field> flags = tables.field("JVMFlag", "flags");
  const std::optional<Field> count = tables.field("JVMFlag", "numFlags");
  const std::optional<Field> name = tables.field("JVMFlag", "_name");
  const std::optional<Field> address = tables.field("JVMFlag", "_addr");
  const std::optional<std::uint64_t> row_size = tables.size_of("JVMFlag");
  if (!flags || !flags->is_static || !count || !count->is_static || !count->has_type("size_t") || !name || !address ||
      !row_size) {
    return Status::failed("HotSpot's tables do not describe JVMFlag as they did in JDK 17 to 25");
  }
  rows_ = flags->value<const std::byte*>();
  count_ = count->value<std::size_t>();
  row_size_ = *row_size;
  name_offset_ = name->offset;
  address_offset_ = address->offset;
  return rows_ == nullptr ? Status::failed("HotSpot's table of flags is empty") : Status::ok();
}

const void* VmFlags::address_of(const char* name) const {
  for (std::size_t i = 0; i < count_; i++) {
    const std::byte* row = rows_ + i * row_size_;
    // The last row has no name.
    if (same(load<const char*>(row, name_offset_), name)) {
      return load<const void*>(row, address_offset_);
    }
  }
  return nullptr;
}

std::optional<bool> VmFlags::boolean(const char* name) const {
  const void* address = address_of(name);
  return address == nullptr ? std::nullopt : std::optional<bool>(*static_cast<const std::uint8_t*>(address) != 0);
}

std::optional<std::int32_t> VmFlags::int32(const char* name) const {
  const void* address = address_of(name);
  return address == nullptr ? std::nullopt : std::optional<std::int32_t>(*static_cast<const std::int32_t*>(address));
}

}  // namespace heapspan::vm
