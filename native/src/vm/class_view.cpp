#include "vm/class_view.h"

#include <optional>

namespace heapspan::vm {
namespace {

// Offsets of fields within a class are small; anything else is a table that we misread.
constexpr std::uint64_t kMaxClassBytes = 4096;

bool read_offset(const std::optional<Field>& field, std::uint64_t& offset) {
  if (!field || field->is_static || field->offset > kMaxClassBytes) {
    return false;
  }
  offset = field->offset;
  return true;
}

}  // namespace

// src/hotspot/share/oops/{klass,instanceKlass}.hpp and classfile/javaClasses.hpp, JDK 17 to 25.
Status ClassLayout::open(const VmTables& tables) {
  ClassLayout found;
  const std::optional<Field> pointer = tables.field("java_lang_Class", "_klass_offset");
  if (!pointer || !pointer->is_static || !pointer->has_type("int")) {
    return Status::failed("HotSpot's tables do not say where a java.lang.Class holds its class pointer");
  }
  found.class_pointer_in_mirror = static_cast<std::uint64_t>(pointer->value<std::int32_t>());
  const std::optional<std::uint64_t> bytes = tables.size_of("InstanceKlass");
  if (found.class_pointer_in_mirror == 0 || found.class_pointer_in_mirror > kMaxClassBytes || !bytes ||
      *bytes > kMaxClassBytes || !read_offset(tables.field("Klass", "_layout_helper"), found.layout_helper) ||
      !read_offset(tables.field("InstanceKlass", "_reference_type"), found.reference_type) ||
      !read_offset(tables.field("Klass", "_vtable_len"), found.vtable_words) ||
      !read_offset(tables.field("InstanceKlass", "_itable_len"), found.itable_words) ||
      !read_offset(tables.field("InstanceKlass", "_nonstatic_oop_map_size"), found.reference_map_words)) {
    return Status::failed("HotSpot's tables do not describe classes as they did in JDK 17 to 25");
  }
  found.instance_class_bytes = *bytes;
  *this = found;
  return Status::ok();
}

std::uint32_t ClassView::reference_run_count() const {
  return load<std::uint32_t>(class_ + layout_.reference_map_words);
}

ClassView::ReferenceRun ClassView::reference_run(std::uint32_t index) const {
  const auto vtable_words = load<std::int32_t>(class_ + layout_.vtable_words);
  const auto itable_words = load<std::int32_t>(class_ + layout_.itable_words);
  const std::byte* const runs = class_ + layout_.instance_class_bytes +
                                8 * (static_cast<std::int64_t>(vtable_words) + static_cast<std::int64_t>(itable_words));
  return load<ReferenceRun>(runs + sizeof(ReferenceRun) * index);
}

}  // namespace heapspan::vm
