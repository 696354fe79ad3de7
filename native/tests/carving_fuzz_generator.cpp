#include "carving_fuzz_generator.h"

#include <algorithm>
#include <array>
#include <utility>

#include "carving_fuzz_layout.h"
#include "vm/memory_access.h"

namespace heapspan::testing {
namespace {

using carving::CarvePiece;
using vm::store;

constexpr std::uint64_t kMaxObjectBytes = 6000;
constexpr std::uint64_t kSlotBytes = 4;
constexpr std::uint64_t kUnitBytes = 8;
constexpr std::uint64_t kMaxUnit = 0xffffffff;

class Generator {
 public:
  explicit Generator(RandomNumbers& numbers)
      : numbers_(numbers),
        layout_number_(static_cast<std::uint32_t>(numbers.below(FuzzLayout::kCount))),
        layout_(layout_number_) {}

  FuzzInput generate() {
    input_.layout = layout_number_;
    input_.constant_count = static_cast<std::uint32_t>(numbers_.one_in(3) ? 0 : 1 + numbers_.below(8));
    choose_class_words();
    choose_objects();
    choose_first_unit();
    for (const Object& object : objects_) {
      fill(object);
    }
    write_pieces();
    choose_target_length();
    choose_places();
    return std::move(input_);
  }

 private:
  struct Object {
    const FuzzClass& type;
    std::uint64_t image_word;
    std::uint32_t length;  // of an array
    std::uint64_t offset;
    std::uint64_t bytes;
  };
  struct Patch {
    std::uint32_t slot;
    std::uint32_t constant;
  };

  // Writers whose classes have the same words, other words, or each other's.
  void choose_class_words() {
    const auto& classes = layout_.classes();
    for (std::size_t i = 0; i < classes.size(); i++) {
      image_words_[i] = classes[i].word;
    }
    if (numbers_.one_in(2)) {
      return;
    }
    for (std::size_t i = 0; i < classes.size(); i++) {
      if (numbers_.one_in(2)) {
        std::swap(image_words_[i], image_words_[numbers_.below(classes.size())]);
      }
    }
    for (std::size_t i = 0; i < classes.size(); i++) {
      if (numbers_.one_in(3)) {
        image_words_[i] = layout_.unknown_word(64 * i + numbers_.below(64));
      }
      if (image_words_[i] != classes[i].word || i == 0) {
        input_.pairs.push_back({image_words_[i], classes[i].word});
      }
    }
  }

  void choose_objects() {
    const std::uint64_t count = numbers_.one_in(16) ? 0 : 1 + numbers_.below(numbers_.one_in(4) ? 48 : 8);
    std::uint64_t end = 0;
    for (std::uint64_t i = 0; i < count; i++) {
      const std::uint64_t number = numbers_.below(FuzzLayout::kClassCount);
      const FuzzClass& type = layout_.classes()[number];
      const auto length = static_cast<std::uint32_t>(numbers_.below(numbers_.one_in(8) ? 700 : 9));
      const std::uint64_t bytes = type.is_array()
                                      ? layout_.align_up(layout_.array_base_offset(type.log2_element_bytes) +
                                                         (std::uint64_t{length} << type.log2_element_bytes))
                                      : type.instance_bytes;
      if (end + bytes > kMaxObjectBytes) {
        break;
      }
      objects_.push_back({type, image_words_[number], length, end, bytes});
      end += bytes;
    }
    bytes_.resize(end);
    is_marked_.resize(end / kSlotBytes);
  }

  // The least, the greatest or any.
  void choose_first_unit() {
    const std::uint64_t step = layout_.alignment_bytes() / kUnitBytes;
    const std::uint64_t choices[] = {step, (kMaxUnit - bytes_.size() / kUnitBytes) / step * step,
                                     step * (1 + numbers_.below(100000))};
    input_.first_unit = numbers_.one_of(choices);
  }

  void fill(const Object& object) {
    std::byte* const begin = bytes_.data() + object.offset;
    for (std::uint64_t i = 0; i < object.bytes; i++) {
      begin[i] = static_cast<std::byte>(numbers_.next());
    }
    layout_.put_header(begin, object.image_word);
    if (!object.type.is_array()) {
      for (std::uint32_t i = 0; i < object.type.reference_count; i++) {
        fill_slot(object.offset + object.type.reference_offsets[i]);
      }
      return;
    }
    layout_.put_array_header(begin, object.image_word, object.length);
    if (object.type.has_references_as_elements) {
      for (std::uint64_t i = 0; i < object.length; i++) {
        fill_slot(object.offset + layout_.reference_array_base_offset() + i * layout_.reference_bytes());
      }
    }
  }

  void fill_slot(std::uint64_t offset) {
    const std::uint64_t choice = numbers_.below(8);
    const auto slot = static_cast<std::uint32_t>(offset / kSlotBytes);
    layout_.put_slot(bytes_.data() + offset, choice < 4 ? 0 : any_unit());
    is_marked_[slot] = choice == 0 || choice >= 4;
    if (choice == 1 && input_.constant_count != 0) {
      patches_.push_back({slot, static_cast<std::uint32_t>(numbers_.below(input_.constant_count))});
    }
  }

  std::uint64_t any_unit() {
    return objects_.empty() ? 0 : input_.first_unit + objects_[numbers_.below(objects_.size())].offset / kUnitBytes;
  }

  void write_pieces() {
    const std::uint64_t count = 1 + numbers_.below(3);
    std::uint64_t begin = 0;
    for (std::uint64_t i = 1; i <= count; i++) {
      const bool is_last = i == count || objects_.empty();
      const std::uint64_t end =
          is_last ? bytes_.size() : std::max(begin, objects_[numbers_.below(objects_.size())].offset);
      write_piece(begin, end);
      begin = end;
    }
  }

  // What belongs to a piece, in any order, with anything between.
  void write_piece(std::uint64_t begin, std::uint64_t end) {
    CarvePiece piece = {};
    std::array<int, 5> order = {0, 1, 2, 3, 4};
    for (std::size_t i = 0; i < order.size(); i++) {
      std::swap(order[i], order[numbers_.below(order.size())]);
    }
    for (const int part : order) {
      put_gap();
      switch (part) {
        case 0:
          piece.object_bytes = end - begin;
          piece.objects_offset = put(bytes_.data() + begin, end - begin);
          break;
        case 1:
          piece.bitmap_offset = put_bitmap(begin, end);
          break;
        case 2:
          put_patches(begin, end, piece);
          break;
        case 3:
          piece.root_count = numbers_.below(numbers_.one_in(6) ? 80 : 6);
          piece.roots_offset = put_units(piece.root_count);
          break;
        default:
          piece.export_count = numbers_.one_in(3) ? numbers_.below(40) : 0;
          piece.exports_offset = put_units(piece.export_count);
      }
    }
    input_.pieces.push_back(piece);
  }

  void put_gap() {
    for (std::uint64_t left = numbers_.one_in(3) ? numbers_.below(12) : 0; left != 0; left--) {
      input_.image.push_back(static_cast<std::byte>(numbers_.next()));
    }
  }

  // Returns the offset.
  std::uint64_t put(const std::byte* bytes, std::uint64_t count) {
    const std::uint64_t offset = input_.image.size();
    input_.image.insert(input_.image.end(), bytes, bytes + count);
    return offset;
  }

  template <typename T>
  std::uint64_t put_number(T number) {
    std::byte bytes[sizeof number];
    store(bytes, number);
    return put(bytes, sizeof number);
  }

  std::uint64_t put_bitmap(std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t offset = input_.image.size();
    for (std::uint64_t at = begin; at < end; at += 64 * kSlotBytes) {
      std::uint64_t word = numbers_.next();  // bits behind the last slot mean nothing
      for (std::uint64_t i = 0; i < 64 && at + i * kSlotBytes < end; i++) {
        const std::uint64_t bit = 1ULL << i;
        word = is_marked_[at / kSlotBytes + i] ? word | bit : word & ~bit;
      }
      put_number(word);
    }
    return offset;
  }

  void put_patches(std::uint64_t begin, std::uint64_t end, CarvePiece& piece) {
    piece.constant_patches_offset = input_.image.size();
    for (const Patch& patch : patches_) {
      if (patch.slot >= begin / kSlotBytes && patch.slot < end / kSlotBytes) {
        put_number(static_cast<std::uint32_t>(patch.slot - begin / kSlotBytes));
        put_number(patch.constant);
        piece.constant_patch_count++;
      }
    }
  }

  std::uint64_t put_units(std::uint64_t count) {
    const std::uint64_t offset = input_.image.size();
    for (std::uint64_t i = 0; i < count; i++) {
      put_number(static_cast<std::uint32_t>(numbers_.one_in(5) ? 0 : any_unit()));
    }
    return offset;
  }

  void choose_target_length() {
    std::uint64_t elements = 0;
    for (const CarvePiece& piece : input_.pieces) {
      elements += piece.root_count + piece.export_count;
    }
    const std::uint64_t array_bytes =
        layout_.align_up(layout_.reference_array_base_offset() + elements * layout_.reference_bytes());
    input_.array_length =
        (array_bytes + bytes_.size() - layout_.reference_array_base_offset()) / layout_.reference_bytes();
    input_.target_length = input_.array_length;
  }

  void choose_places() {
    const bool needs_constants = !patches_.empty();
    input_.image_place = numbers_.one_in(2) ? FuzzInput::kImageInArray : FuzzInput::kImageAtAddress;
    input_.constants_place =
        needs_constants || numbers_.one_in(2) ? FuzzInput::kConstantsInArray : FuzzInput::kNoConstants;
    input_.young = numbers_.one_in(2) ? FuzzInput::kAroundTarget : FuzzInput::kEverywhere;
    input_.door = numbers_.one_in(2) ? FuzzInput::kCriticalCall : FuzzInput::kCriticalArray;
    input_.image_skew_bytes = static_cast<std::uint32_t>(numbers_.below(64));
    input_.target_skew = static_cast<std::uint32_t>(numbers_.below(8));
    input_.log2_class_table_capacity = static_cast<std::uint32_t>(numbers_.below(8));
    input_.image_limit_bytes = input_.image.size();
  }

  RandomNumbers& numbers_;
  const std::uint32_t layout_number_;
  const FuzzLayout layout_;
  FuzzInput input_;
  std::array<std::uint64_t, FuzzLayout::kClassCount> image_words_ = {};
  std::vector<Object> objects_;
  std::vector<std::byte> bytes_;  // of the object space
  std::vector<bool> is_marked_;   // by slot
  std::vector<Patch> patches_;    // slots counted through all pieces
};

}  // namespace

FuzzInput generate_input(RandomNumbers& numbers) { return Generator(numbers).generate(); }

}  // namespace heapspan::testing
