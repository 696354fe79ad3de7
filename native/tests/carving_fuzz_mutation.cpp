#include "carving_fuzz_mutation.h"

#include <algorithm>
#include <iterator>

#include "carving_fuzz_layout.h"
#include "vm/memory_access.h"

namespace heapspan::testing {
namespace {

using carving::CarvePiece;
using vm::load;
using vm::store;

constexpr std::uint64_t kUnitBytes = 8;
constexpr std::uint64_t kSlotBytes = 4;

class Mutation {
 public:
  Mutation(FuzzInput& input, RandomNumbers& numbers) : input_(input), numbers_(numbers), layout_(input.layout) {}

  void apply() {
    using Change = void (Mutation::*)();
    // What leaves the request in agreement with itself gets further, and stands here more often.
    constexpr Change kChanges[] = {
        &Mutation::change_piece,          &Mutation::change_piece,        &Mutation::change_unit_of_object,
        &Mutation::change_unit_of_object, &Mutation::change_root,         &Mutation::change_bitmap,
        &Mutation::change_bitmap,         &Mutation::change_patch,        &Mutation::change_patch,
        &Mutation::change_class_word,     &Mutation::change_class_word,   &Mutation::change_array_length,
        &Mutation::change_array_length,   &Mutation::change_pairs,        &Mutation::change_first_unit,
        &Mutation::change_object_bytes,   &Mutation::move_root_to_export, &Mutation::change_target_length,
        &Mutation::change_piece_count,    &Mutation::change_image_size,   &Mutation::change_constants,
        &Mutation::change_places,         &Mutation::change_layout,       &Mutation::fit_target_length,
        &Mutation::fit_target_length,
    };
    (this->*numbers_.one_of(kChanges))();
  }

 private:
  // --- places ---

  CarvePiece& any_piece() {
    if (input_.pieces.empty()) {
      input_.pieces.emplace_back();
    }
    return input_.pieces[numbers_.below(input_.pieces.size())];
  }

  // A place in the image with room for so much, the one that is named if it exists; null if there is none.
  std::byte* place(std::uint64_t offset, std::uint64_t bytes) {
    const std::uint64_t size = input_.image.size();
    if (size < bytes) {
      return nullptr;
    }
    return input_.image.data() + (offset <= size - bytes ? offset : numbers_.below(size - bytes + 1));
  }

  // Where an object might begin; often the last such place, where no object fits.
  std::byte* any_object(std::uint64_t bytes) {
    const CarvePiece& piece = any_piece();
    const std::uint64_t steps = piece.object_bytes / layout_.alignment_bytes();
    const std::uint64_t step = numbers_.one_in(4) ? steps - 1 : numbers_.below(steps);
    return place(piece.objects_offset + step * layout_.alignment_bytes(), bytes);
  }

  template <typename T>
  void put(std::byte* at, std::uint64_t number) {
    if (at != nullptr) {
      store(at, static_cast<T>(number));
    }
  }

  // --- numbers ---

  std::uint64_t unit_count() const {
    std::uint64_t bytes = 0;
    for (const CarvePiece& piece : input_.pieces) {
      bytes += piece.object_bytes;
    }
    return bytes / kUnitBytes;
  }

  std::uint64_t any_unit() {
    const std::uint64_t end = input_.first_unit + unit_count();
    const std::uint64_t choices[] = {0,
                                     1,
                                     input_.first_unit - 1,
                                     input_.first_unit,
                                     end - 1,
                                     end,
                                     end + numbers_.below(16),
                                     numbers_.next(),
                                     ~0ULL,
                                     input_.first_unit + numbers_.below(unit_count())};
    return numbers_.one_of(choices);
  }

  std::uint64_t any_word() {
    const std::uint64_t known = layout_.classes()[numbers_.below(FuzzLayout::kClassCount)].word;
    const std::uint64_t choices[] = {known, known, layout_.unknown_word(numbers_.below(448)), 0, numbers_.next()};
    return !input_.pairs.empty() && numbers_.one_in(3) ? input_.pairs[numbers_.below(input_.pairs.size())].image_word
                                                       : numbers_.one_of(choices);
  }

  std::uint64_t changed(std::uint64_t number) {
    const std::uint64_t size = input_.image.size();
    constexpr std::uint64_t kSteps[] = {1, 2, 4, 8, 16, 64, 256};
    const std::uint64_t step = numbers_.one_of(kSteps);
    const std::uint64_t choices[] = {number + step,
                                     number - step,
                                     number + numbers_.below(129) - 64,
                                     size,
                                     size - step,
                                     size - numbers_.below(64),
                                     numbers_.below(size),
                                     0 - step,
                                     number + (1ULL << numbers_.below(64)),
                                     (1ULL << numbers_.below(64)) - numbers_.below(2)};
    return numbers_.one_of(choices);
  }

  // --- changes ---

  void change_piece() {
    std::uint64_t CarvePiece::* const kFields[] = {
        &CarvePiece::objects_offset,       &CarvePiece::object_bytes,
        &CarvePiece::bitmap_offset,        &CarvePiece::constant_patches_offset,
        &CarvePiece::constant_patch_count, &CarvePiece::roots_offset,
        &CarvePiece::root_count,           &CarvePiece::exports_offset,
        &CarvePiece::export_count};
    CarvePiece& piece = any_piece();
    std::uint64_t& field = piece.*numbers_.one_of(kFields);
    field = numbers_.one_in(4) ? any_piece().*numbers_.one_of(kFields) : changed(field);
  }

  void change_unit_of_object() {
    const CarvePiece& piece = any_piece();
    const std::uint64_t slots = piece.object_bytes / layout_.reference_bytes();
    std::byte* const at =
        place(piece.objects_offset + numbers_.below(slots) * layout_.reference_bytes(), layout_.reference_bytes());
    if (at != nullptr) {
      layout_.put_slot(at, any_unit());
    }
  }

  void change_root() {
    const CarvePiece& piece = any_piece();
    const bool is_root = numbers_.one_in(2);
    const std::uint64_t offset = is_root ? piece.roots_offset : piece.exports_offset;
    put<std::uint32_t>(place(offset + 4 * numbers_.below(is_root ? piece.root_count : piece.export_count), 4),
                       any_unit());
  }

  void change_bitmap() {
    const CarvePiece& piece = any_piece();
    const std::uint64_t bytes = piece.object_bytes / (8 * kSlotBytes) + 1;
    std::byte* const at = place(piece.bitmap_offset + numbers_.below(bytes), 1);
    if (at != nullptr) {
      *at ^= static_cast<std::byte>(numbers_.one_in(4) ? numbers_.next() : 1ULL << numbers_.below(8));
    }
  }

  void change_patch() {
    CarvePiece& piece = any_piece();
    if (numbers_.one_in(4)) {
      // One more, of whatever lies there.
      piece.constant_patch_count += 1 + numbers_.below(2);
      return;
    }
    std::byte* const at = place(piece.constant_patches_offset + 8 * numbers_.below(piece.constant_patch_count), 8);
    const std::uint64_t slots = piece.object_bytes / kSlotBytes;
    const std::uint64_t slot_choices[] = {
        slots - 2, slots - 1, slots, slots + 1, slots + numbers_.below(64), numbers_.below(slots), numbers_.next()};
    const std::uint64_t constant_choices[] = {0, input_.constant_count - 1ULL, input_.constant_count,
                                              input_.constant_count + numbers_.below(64), numbers_.next()};
    if (numbers_.one_in(2)) {
      put<std::uint32_t>(at, numbers_.one_of(slot_choices));
    } else if (at != nullptr) {
      put<std::uint32_t>(at + 4, numbers_.one_of(constant_choices));
    }
  }

  void change_class_word() {
    std::byte* const object = any_object(layout_.array_length_offset() <= 8 ? 8 : 16);
    if (object != nullptr) {
      layout_.put_class_word(object, any_word());
    }
  }

  void change_array_length() {
    std::byte* const array = any_object(layout_.array_length_offset() + 4);
    if (array == nullptr) {
      return;
    }
    std::byte* const length = array + layout_.array_length_offset();
    const std::uint32_t old = load<std::uint32_t>(length);
    const std::uint32_t choices[] = {0,          old + 1,    old - 1,
                                     old + 8,    old * 2,    0x7fffffff,
                                     0x80000000, 0xffffffff, static_cast<std::uint32_t>(numbers_.below(2048))};
    store(length, numbers_.one_of(choices));
  }

  void change_pairs() {
    std::vector<ClassPair>& pairs = input_.pairs;
    if (pairs.empty() || (pairs.size() < FuzzInput::kMaxPairs && numbers_.one_in(4))) {
      pairs.push_back({any_word(), any_word()});
      return;
    }
    const auto at = pairs.begin() + static_cast<std::ptrdiff_t>(numbers_.below(pairs.size()));
    switch (numbers_.below(4)) {
      case 0:
        pairs.erase(at);
        break;
      case 1:
        at->image_word = any_word();
        break;
      case 2:
        at->word_here = any_word();
        break;
      default:
        input_.log2_class_table_capacity = static_cast<std::uint32_t>(numbers_.below(8));
    }
  }

  void change_first_unit() { input_.first_unit = changed(input_.first_unit); }

  // With a target of the size that this needs.
  void change_object_bytes() {
    CarvePiece& piece = any_piece();
    const std::uint64_t step = layout_.alignment_bytes() * (1 + numbers_.below(numbers_.one_in(4) ? 64 : 2));
    const bool grows = numbers_.one_in(2) || piece.object_bytes < step;
    piece.object_bytes += grows ? step : 0 - step;
    fit_target_length();
  }

  void move_root_to_export() {
    CarvePiece& piece = any_piece();
    CarvePiece& other = any_piece();
    const std::uint64_t count = 1 + numbers_.below(3);
    piece.root_count += count;
    (numbers_.one_in(2) ? other.export_count : other.root_count) -= count;
  }

  // As long as the pieces need it.
  void fit_target_length() {
    std::uint64_t elements = 0;
    for (const CarvePiece& piece : input_.pieces) {
      elements += piece.root_count + piece.export_count;
    }
    const std::uint64_t bytes =
        layout_.align_up(layout_.reference_array_base_offset() + elements * layout_.reference_bytes()) +
        unit_count() * kUnitBytes;
    input_.array_length = (bytes - layout_.reference_array_base_offset()) / layout_.reference_bytes();
    input_.target_length = input_.array_length;
  }

  void change_target_length() {
    const std::uint64_t step = numbers_.below(9) - 4;
    const std::uint64_t choice = numbers_.below(3);
    input_.array_length += choice != 0 ? step : 0;
    input_.target_length += choice != 1 ? step : 0;
    if (numbers_.one_in(8)) {
      input_.target_length = changed(input_.target_length);
    }
  }

  void change_piece_count() {
    std::vector<CarvePiece>& pieces = input_.pieces;
    const CarvePiece copy = any_piece();
    if (pieces.size() < FuzzInput::kMaxPieces && numbers_.one_in(2)) {
      pieces.push_back(copy);
    } else if (numbers_.one_in(2)) {
      pieces.pop_back();
    } else {
      std::swap(any_piece(), any_piece());
    }
  }

  void change_image_size() {
    const std::uint64_t size = input_.image.size();
    const std::uint64_t step = 1 + numbers_.below(16);
    switch (numbers_.below(3)) {
      case 0:
        input_.image.resize(size - std::min(size, step));
        break;
      case 1:
        input_.image.resize(std::min<std::uint64_t>(size + step, FuzzInput::kMaxImageBytes));
        break;
      default:
        input_.image_limit_bytes = changed(input_.image_limit_bytes);
    }
  }

  void change_constants() {
    input_.constant_count = static_cast<std::uint32_t>(numbers_.below(FuzzInput::kMaxConstants + 1));
  }

  void change_places() {
    switch (numbers_.below(6)) {
      case 0:
        input_.image_place = static_cast<FuzzInput::ImagePlace>(numbers_.below(3));
        break;
      case 1:
        input_.constants_place = static_cast<FuzzInput::ConstantsPlace>(numbers_.below(2));
        break;
      case 2:
        input_.young = static_cast<FuzzInput::Young>(numbers_.below(5));
        break;
      case 3:
        input_.door = static_cast<FuzzInput::Door>(numbers_.below(3));
        break;
      case 4:
        input_.target_kind = static_cast<FuzzInput::TargetKind>(numbers_.below(3));
        break;
      default:
        input_.image_skew_bytes = static_cast<std::uint32_t>(numbers_.below(64));
        input_.target_skew = static_cast<std::uint32_t>(numbers_.below(8));
    }
  }

  void change_layout() { input_.layout = static_cast<std::uint32_t>(numbers_.below(FuzzLayout::kCount)); }

  FuzzInput& input_;
  RandomNumbers& numbers_;
  const FuzzLayout layout_;
};

}  // namespace

void mutate_input(FuzzInput& input, RandomNumbers& numbers) { Mutation(input, numbers).apply(); }

}  // namespace heapspan::testing
