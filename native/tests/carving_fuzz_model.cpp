#include "carving_fuzz_model.h"

#include <algorithm>
#include <functional>
#include <set>

#include "vm/memory_access.h"

namespace heapspan::testing {
namespace {

using carving::CarvePiece;
using carving::Decline;
using vm::load;

// Sums of what a request says do not wrap around in it.
__extension__ using Sum = unsigned __int128;

constexpr std::uint64_t kUnitBytes = 8;
constexpr std::uint64_t kSlotBytes = 4;
constexpr Sum kMaxUnit = 0xffffffff;

constexpr std::uint32_t bit(Decline decline) { return 1u << static_cast<int>(decline); }

// An object in a range of memory.
struct FoundObject {
  std::uint64_t offset;
  const FuzzClass& type;
};

using ClassOfWord = std::function<const FuzzClass*(std::uint64_t)>;

// Adds the objects that lie one behind the other from `begin` to `end`; why not all of them can be objects, or kNone.
Decline walk(const FuzzLayout& layout, const std::byte* memory, std::uint64_t begin, std::uint64_t end,
             const ClassOfWord& class_of_word, std::vector<FoundObject>& objects) {
  for (std::uint64_t at = begin; at < end;) {
    const std::uint64_t left = end - at;
    if (left < layout.header_bytes() || layout.class_word(memory + at) == 0) {
      return Decline::kMalformed;
    }
    const FuzzClass* const type = class_of_word(layout.class_word(memory + at));
    if (type == nullptr) {
      return Decline::kUnknownClass;
    }
    std::uint64_t bytes = type->instance_bytes;
    if (type->is_array()) {
      if (left < layout.array_length_offset() + 4) {
        return Decline::kMalformed;
      }
      bytes = layout.align_up(layout.array_base_offset(type->log2_element_bytes) +
                              (std::uint64_t{layout.array_length(memory + at)} << type->log2_element_bytes));
    }
    if (bytes > left) {
      return Decline::kMalformed;
    }
    objects.push_back({at, *type});
    at += bytes;
  }
  return Decline::kNone;
}

// Offsets of the slots of references of an object.
std::vector<std::uint64_t> reference_slots(const FuzzLayout& layout, const std::byte* memory,
                                           const FoundObject& object) {
  std::vector<std::uint64_t> offsets;
  for (std::uint32_t i = 0; i < object.type.reference_count; i++) {
    offsets.push_back(object.offset + object.type.reference_offsets[i]);
  }
  if (object.type.has_references_as_elements) {
    const std::uint32_t length = layout.array_length(memory + object.offset);
    for (std::uint64_t i = 0; i < length; i++) {
      offsets.push_back(object.offset + layout.reference_array_base_offset() + i * layout.reference_bytes());
    }
  }
  return offsets;
}

class Model {
 public:
  Model(const FuzzInput& input, const FuzzLayout& layout, const FuzzHeap& heap)
      : input_(input),
        layout_(layout),
        heap_(heap),
        readable_bytes_(input.image_place == FuzzInput::kNoImage ? 0 : input.readable_image_bytes()) {}

  Expectation expectation() {
    Expectation result;
    result.reasons = reasons_in_numbers();
    if (result.reasons == 0 && !place_all()) {
      result.reasons = bit(Decline::kMalformed);
    }
    if (result.reasons == 0) {
      result.is_sound = image_is_sound();
      result.reasons = replace_class_words();
    }
    if (result.reasons == 0) {
      finish_array();
      result.target = std::move(target_);
    }
    return result;
  }

 private:
  // --- the numbers of the request ---

  bool is_in_image(std::uint64_t offset, Sum bytes) const { return Sum{offset} + bytes <= readable_bytes_; }

  bool is_possible(const CarvePiece& piece) const {
    const Sum bitmap_bytes = (Sum{piece.object_bytes} + 64 * kSlotBytes - 1) / (64 * kSlotBytes) * 8;
    return piece.object_bytes % layout_.alignment_bytes() == 0 &&
           is_in_image(piece.objects_offset, piece.object_bytes) && is_in_image(piece.bitmap_offset, bitmap_bytes) &&
           is_in_image(piece.constant_patches_offset, Sum{piece.constant_patch_count} * 8) &&
           is_in_image(piece.roots_offset, Sum{piece.root_count} * 4) &&
           is_in_image(piece.exports_offset, Sum{piece.export_count} * 4);
  }

  std::uint32_t reasons_in_numbers() const {
    if (input_.target_kind == FuzzInput::kNoTarget) {
      return bit(Decline::kWrongTarget);
    }
    if (input_.door == FuzzInput::kCopiedArray) {
      return bit(Decline::kCopiedArray);
    }
    std::uint32_t reasons = 0;
    Sum object_bytes = 0;
    Sum elements = 0;
    bool is_possible_image = input_.image_place != FuzzInput::kNoImage;
    for (const CarvePiece& piece : input_.pieces) {
      object_bytes += piece.object_bytes;
      elements += Sum{piece.root_count} + piece.export_count;
      is_possible_image &= is_possible(piece);
    }
    const Sum array_bytes = layout_.reference_array_base_offset() + elements * layout_.reference_bytes();
    const Sum alignment = layout_.alignment_bytes();
    if (input_.target_kind != FuzzInput::kArrayOfNumbers || input_.array_length != input_.target_length ||
        (array_bytes + alignment - 1) / alignment * alignment + object_bytes != heap_.target_bytes()) {
      reasons |= bit(Decline::kWrongTarget);
    }
    if (input_.young != FuzzInput::kAroundTarget && input_.young != FuzzInput::kEverywhere) {
      reasons |= bit(Decline::kNotEden);
    }
    if (!is_possible_image || input_.first_unit + object_bytes / kUnitBytes > kMaxUnit) {
      reasons |= bit(Decline::kMalformed);
    }
    return reasons;
  }

  // --- copies, references, constants ---

  // Only where the numbers agree. Whether all units are in range, and all constants exist.
  bool place_all() {
    std::uint64_t objects = 0;
    std::uint64_t roots = 0;
    for (const CarvePiece& piece : input_.pieces) {
      objects += piece.object_bytes;
      roots += piece.root_count;
    }
    target_.assign(heap_.target_before(), heap_.target_before() + heap_.target_bytes());
    objects_begin_ = target_.size() - objects;
    unit_count_ = objects / kUnitBytes;
    is_marked_.assign(objects / kSlotBytes, false);
    is_patched_.assign(objects / kSlotBytes, false);
    std::uint64_t object_at = objects_begin_;
    std::uint64_t root_at = layout_.reference_array_base_offset();
    std::uint64_t export_at = root_at + roots * layout_.reference_bytes();
    bool is_good = true;
    for (const CarvePiece& piece : input_.pieces) {
      const std::byte* const copies = input_.image.data() + piece.objects_offset;
      copies_.insert(copies_.end(), copies, copies + piece.object_bytes);
      std::copy(copies, copies + piece.object_bytes, target_.begin() + static_cast<std::ptrdiff_t>(object_at));
      is_good = is_good && place_units(piece, object_at) && patch(piece, object_at) &&
                place_roots(piece.roots_offset, piece.root_count, root_at) &&
                place_roots(piece.exports_offset, piece.export_count, export_at);
      object_at += piece.object_bytes;
    }
    elements_end_ = export_at;
    return is_good;
  }

  // What a slot becomes that holds a unit; false if it is out of range.
  bool place_unit(std::uint64_t unit, std::uint64_t at) {
    if (unit == 0) {
      layout_.put_slot(target_.data() + at, 0);
      return true;
    }
    if (unit < input_.first_unit || unit - input_.first_unit >= unit_count_) {
      return false;
    }
    const std::uint64_t offset = objects_begin_ + (unit - input_.first_unit) * kUnitBytes;
    layout_.put_slot(target_.data() + at, layout_.reference_to(vm::address_of(heap_.target()) + offset));
    return true;
  }

  bool place_units(const CarvePiece& piece, std::uint64_t objects_at) {
    for (std::uint64_t slot = 0; slot < piece.object_bytes / kSlotBytes; slot++) {
      const auto byte = static_cast<unsigned>(input_.image[piece.bitmap_offset + slot / 8]);
      if ((byte >> slot % 8 & 1) == 0) {
        continue;
      }
      const std::uint64_t at = objects_at + slot * kSlotBytes;
      const bool is_second_half = layout_.reference_bytes() == 8 && slot % 2 != 0;
      if (is_second_half || !place_unit(layout_.slot(target_.data() + at), at)) {
        return false;
      }
      is_marked_[(at - objects_begin_) / kSlotBytes] = true;
    }
    return true;
  }

  bool patch(const CarvePiece& piece, std::uint64_t objects_at) {
    for (std::uint64_t i = 0; i < piece.constant_patch_count; i++) {
      const std::byte* const entry = input_.image.data() + piece.constant_patches_offset + 8 * i;
      const auto slot = load<std::uint32_t>(entry);
      const auto constant = load<std::uint32_t>(entry + 4);
      const std::uint64_t at = objects_at + slot * kSlotBytes;
      if (constant >= heap_.constant_slots().size() || slot >= piece.object_bytes / kSlotBytes ||
          slot * kSlotBytes % layout_.reference_bytes() != 0) {
        return false;
      }
      layout_.put_slot(target_.data() + at, heap_.constant_slots()[constant]);
      is_patched_[(at - objects_begin_) / kSlotBytes] = true;
    }
    return true;
  }

  bool place_roots(std::uint64_t offset, std::uint64_t count, std::uint64_t& at) {
    for (std::uint64_t i = 0; i < count; i++, at += layout_.reference_bytes()) {
      const auto unit = load<std::uint32_t>(input_.image.data() + offset + 4 * i);
      root_units_.push_back(unit);
      if (!place_unit(unit, at)) {
        return false;
      }
    }
    return true;
  }

  // --- classes ---

  const FuzzClass* class_of_image_word(std::uint64_t word) const {
    for (const ClassPair& pair : input_.pairs) {
      if (pair.image_word == word) {
        return layout_.class_with_word(pair.word_here);
      }
    }
    return layout_.class_with_word(word);
  }

  std::uint32_t reasons_in_pairs() const {
    std::uint32_t reasons = 0;
    std::set<std::uint64_t> words = {0};
    for (const ClassPair& pair : input_.pairs) {
      if (layout_.class_with_word(pair.word_here) == nullptr) {
        reasons |= bit(Decline::kUnknownClass);
      }
      if (!words.insert(pair.image_word).second) {
        reasons |= bit(Decline::kMalformed);
      }
    }
    return reasons;
  }

  std::uint32_t replace_class_words() {
    if (input_.pairs.empty()) {
      return 0;
    }
    if (const std::uint32_t reasons = reasons_in_pairs(); reasons != 0) {
      return reasons;
    }
    std::vector<FoundObject> objects;
    const Decline fault = walk(
        layout_, target_.data(), objects_begin_, target_.size(),
        [this](std::uint64_t word) { return class_of_image_word(word); }, objects);
    for (const FoundObject& object : objects) {
      layout_.put_class_word(target_.data() + object.offset, object.type.word);
    }
    return fault == Decline::kNone ? 0 : bit(fault);
  }

  // Also where no class word is rewritten. Of the copies as they were: what was patched may have no meaning there.
  bool image_is_sound() const {
    std::vector<FoundObject> objects;
    if (reasons_in_pairs() != 0 ||
        walk(
            layout_, copies_.data(), 0, copies_.size(),
            [this](std::uint64_t word) { return class_of_image_word(word); }, objects) != Decline::kNone) {
      return false;
    }
    std::set<std::uint64_t> units = {0};
    for (const FoundObject& object : objects) {
      units.insert(input_.first_unit + object.offset / kUnitBytes);
    }
    std::uint64_t references_found = 0;
    for (const FoundObject& object : objects) {
      for (const std::uint64_t at : reference_slots(layout_, copies_.data(), object)) {
        const bool is_marked = is_marked_[at / kSlotBytes];
        const bool is_patched = is_patched_[at / kSlotBytes];
        const std::uint64_t value = layout_.slot(copies_.data() + at);
        if (!is_patched && (is_marked ? units.count(value) == 0 : value != 0)) {
          return false;
        }
        references_found += is_marked || is_patched;
      }
    }
    for (std::size_t i = 0; i < is_marked_.size(); i++) {
      references_found -= is_marked_[i] || is_patched_[i];
    }
    return references_found == 0 && std::all_of(root_units_.begin(), root_units_.end(),
                                                [&units](std::uint64_t unit) { return units.count(unit) != 0; });
  }

  // --- the array of the roots ---

  void finish_array() {
    const auto begin = target_.begin();
    std::fill(begin + static_cast<std::ptrdiff_t>(elements_end_), begin + static_cast<std::ptrdiff_t>(objects_begin_),
              std::byte{0});
    layout_.put_class_word(target_.data(), layout_.classes()[FuzzLayout::kReferences].word);
    vm::store(target_.data() + layout_.array_length_offset(), static_cast<std::uint32_t>(root_units_.size()));
  }

  const FuzzInput& input_;
  const FuzzLayout& layout_;
  const FuzzHeap& heap_;
  const std::uint64_t readable_bytes_;
  std::vector<std::byte> target_;
  std::vector<std::byte> copies_;  // of all pieces, as the image has them
  std::vector<bool> is_marked_;    // by slot of the copies
  std::vector<bool> is_patched_;
  std::vector<std::uint64_t> root_units_;  // and exports
  std::uint64_t objects_begin_ = 0;        // in the target
  std::uint64_t elements_end_ = 0;
  std::uint64_t unit_count_ = 0;
};

}  // namespace

Expectation expect(const FuzzInput& input, const FuzzLayout& layout, const FuzzHeap& heap) {
  return Model(input, layout, heap).expectation();
}

const char* fault_of_target(const FuzzInput& input, const FuzzLayout& layout, const FuzzHeap& heap, bool is_sound) {
  const std::byte* const target = heap.target();
  if (layout.class_word(target) != layout.classes()[FuzzLayout::kReferences].word) {
    return "the target is no array of references";
  }
  std::uint64_t objects_begin = heap.target_bytes();
  for (const CarvePiece& piece : input.pieces) {
    objects_begin -= piece.object_bytes;
  }
  const FoundObject array = {0, layout.classes()[FuzzLayout::kReferences]};
  for (const std::uint64_t at : reference_slots(layout, target, array)) {
    const std::uint64_t address = layout.address_of(layout.slot(target + at));
    if (address != 0 &&
        (address < vm::address_of(target) + objects_begin || address >= vm::address_of(target) + heap.target_bytes())) {
      return "a root or an export leads out of the objects";
    }
  }
  std::vector<FoundObject> objects;
  const Decline fault = walk(
      layout, target, 0, heap.target_bytes(), [&layout](std::uint64_t word) { return layout.class_with_word(word); },
      objects);
  if (fault != Decline::kNone && (is_sound || !input.pairs.empty())) {
    return "a walk does not find whole objects of known classes up to the end";
  }
  if (!is_sound) {
    return nullptr;
  }
  std::set<std::uint64_t> places(heap.constant_slots().begin(), heap.constant_slots().end());
  places.insert(0);
  for (const FoundObject& object : objects) {
    places.insert(layout.reference_to(vm::address_of(target) + object.offset));
  }
  places.erase(layout.reference_to(vm::address_of(target)));
  for (const FoundObject& object : objects) {
    for (const std::uint64_t at : reference_slots(layout, target, object)) {
      if (places.count(layout.slot(target + at)) == 0) {
        return "a reference leads neither to an object nor to a constant";
      }
    }
  }
  return nullptr;
}

}  // namespace heapspan::testing
