#include "carving/carver.h"

#include <bit>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "carving/class_words.h"
#include "vm/memory_access.h"

namespace heapspan::carving {
namespace {

using vm::at_address;
using vm::load;
using vm::ObjectModel;
using vm::store;

// Elements of the holder; org.heapspan.vm.CarvingSpace fills them.
enum HolderElement : std::uint32_t { kTarget, kImage, kConstants };

// Tags of JNI references: the lowest two bits, up to JDK 20 one (src/hotspot/share/runtime/jniHandles.hpp, JDK 17 to
// 25). What is left is the address of a full reference in an OopStorage.
constexpr std::uint64_t kReferenceTags = 3;

// No image is larger; keeps sums of what a request says from wrapping around.
constexpr std::uint64_t kMaxImageBytes = 1ULL << 47;

// Units are numbered by 32 bits.
constexpr std::uint64_t kMaxUnit = 0xffffffffULL;

// A range of the image, or null if it does not lie within.
class Image {
 public:
  Image(const std::byte* begin, std::uint64_t size_bytes) : begin_(begin), size_bytes_(size_bytes) {}

  bool exists() const { return begin_ != nullptr; }

  const std::byte* range(std::uint64_t offset, std::uint64_t size_bytes) const {
    const bool inside = offset <= size_bytes_ && size_bytes <= size_bytes_ - offset;
    return inside ? begin_ + offset : nullptr;
  }

 private:
  const std::byte* begin_;
  std::uint64_t size_bytes_;
};

Image image_of(const CarvingContext& context, const CarveRequest& request, const std::byte* array) {
  if (request.image_address != 0) {
    return {at_address(request.image_address),
            request.image_bytes < kMaxImageBytes ? request.image_bytes : kMaxImageBytes};
  }
  return array == nullptr ? Image(nullptr, 0)
                          : Image(array + context.byte_array_base_offset, context.model.array_length(array));
}

// Fills slots with references to objects that the caller brought. No barrier: the target is young.
Decline patch_constants(const CarvingContext& context, std::byte* objects, const CarvePiece& piece,
                        const std::byte* patches, const std::byte* constants) {
  if (piece.constant_patch_count == 0) {
    return Decline::kNone;
  }
  if (constants == nullptr) {
    return Decline::kMalformed;
  }
  const ObjectModel& model = context.model;
  const std::uint32_t length = model.array_length(constants);
  const std::byte* const elements = constants + context.object_array_base_offset;
  const std::uint64_t slot_count = piece.object_bytes / kSlotBytes;
  for (std::uint64_t i = 0; i < piece.constant_patch_count; i++) {
    const auto slot = load<std::uint32_t>(patches + 8 * i);
    const auto index = load<std::uint32_t>(patches + 8 * i + 4);
    if (slot >= slot_count || index >= length) {
      return Decline::kMalformed;
    }
    std::byte* const place = objects + kSlotBytes * static_cast<std::uint64_t>(slot);
    if (model.narrow_references()) {
      store(place, load<std::uint32_t>(elements + 4ULL * index));
    } else if (slot % 2 != 0) {
      return Decline::kMalformed;
    } else {
      store(place, load<std::uint64_t>(elements + 8ULL * index));
    }
  }
  return Decline::kNone;
}

Decline replace_classes(const CarvingContext& context, std::byte* objects, std::uint64_t object_bytes,
                        const CarveRequest& request) {
  if (request.class_pair_count == 0) {
    return Decline::kNone;
  }
  const KnownClasses known(__atomic_load_n(&context.known_classes, __ATOMIC_ACQUIRE));
  ClassWordTable words(reinterpret_cast<ClassWordTable::Entry*>(request.class_table_address),
                       request.class_table_capacity);
  const Decline added = words.add_pairs(at_address(request.class_pairs_address), request.class_pair_count, known);
  return added != Decline::kNone ? added : rewrite_class_words(objects, object_bytes, context.model, words, known);
}

// What all pieces of a request have together.
struct Totals {
  std::uint64_t object_bytes = 0;
  std::uint64_t root_count = 0;
  std::uint64_t export_count = 0;
};

// False if no image can have so much.
bool add_up(const CarvePiece* pieces, std::uint64_t piece_count, std::uint32_t alignment_bytes, Totals& totals) {
  for (std::uint64_t i = 0; i < piece_count; i++) {
    const CarvePiece& piece = pieces[i];
    if (piece.object_bytes > kMaxImageBytes || piece.object_bytes % alignment_bytes != 0 ||
        piece.root_count > kMaxUnit || piece.export_count > kMaxUnit || piece.constant_patch_count > kMaxUnit) {
      return false;
    }
    totals.object_bytes += piece.object_bytes;
    totals.root_count += piece.root_count;
    totals.export_count += piece.export_count;
    if (totals.object_bytes > kMaxImageBytes || totals.root_count > kMaxUnit || totals.export_count > kMaxUnit) {
      return false;
    }
  }
  return true;
}

// Where the parts of a target lie that are still to be filled.
struct Places {
  std::byte* objects;
  std::byte* roots;
  std::byte* exports;
};

Decline carve_piece(const CarvingContext& context, const CarvePiece& piece, const Image& image,
                    const std::byte* constants, const Relocation& relocation, Places& places) {
  const std::byte* const from = image.range(piece.objects_offset, piece.object_bytes);
  const std::byte* const bitmap = image.range(piece.bitmap_offset, bitmap_bytes(piece.object_bytes));
  const std::byte* const patches = image.range(piece.constant_patches_offset, 8 * piece.constant_patch_count);
  const std::byte* const roots = image.range(piece.roots_offset, 4 * piece.root_count);
  const std::byte* const exports = image.range(piece.exports_offset, 4 * piece.export_count);
  if (from == nullptr || bitmap == nullptr || patches == nullptr || roots == nullptr || exports == nullptr ||
      !context.kernels.copy_objects(places.objects, from, bitmap, piece.object_bytes, relocation)) {
    return Decline::kMalformed;
  }
  if (const Decline patched = patch_constants(context, places.objects, piece, patches, constants);
      patched != Decline::kNone) {
    return patched;
  }
  if (!context.kernels.copy_roots(places.roots, roots, piece.root_count, relocation) ||
      !context.kernels.copy_roots(places.exports, exports, piece.export_count, relocation)) {
    return Decline::kMalformed;
  }
  const std::uint32_t reference_bytes = context.model.reference_bytes();
  places.objects += piece.object_bytes;
  places.roots += reference_bytes * piece.root_count;
  places.exports += reference_bytes * piece.export_count;
  return Decline::kNone;
}

void count(WindowCounts& windows, const CarvingContext& context, std::uint64_t elapsed_ticks) {
  // A thread that changed its processor may see the clock run backwards.
  const std::uint64_t sane_ticks = static_cast<std::int64_t>(elapsed_ticks) < 0 ? 0 : elapsed_ticks;
  const std::uint64_t nanos = sane_ticks >> 32 != 0 ? sane_ticks : sane_ticks * context.nanos_per_tick >> 32;
  const auto bucket = static_cast<std::size_t>(std::bit_width(nanos | 1) - 1);
  windows.by_length[bucket < WindowCounts::kBuckets ? bucket : WindowCounts::kBuckets - 1]++;
  if (nanos > windows.longest_nanos) {
    windows.longest_nanos = nanos;
  }
}

}  // namespace

Decline carve(const CarvingContext& context, const CarveRequest& request, const Operands& operands) {
  const ObjectModel& model = context.model;
  std::byte* const target = operands.target;
  // The array is the one that was allocated for this request, and has its size.
  if (target == nullptr || model.class_word(target) != context.number_array_word ||
      model.array_length(target) != request.target_length) {
    return Decline::kWrongTarget;
  }
  const auto* const pieces = reinterpret_cast<const CarvePiece*>(request.pieces_address);
  Totals totals;
  if (!add_up(pieces, request.piece_count, model.alignment_bytes(), totals)) {
    return Decline::kMalformed;
  }
  const std::uint64_t element_count = totals.root_count + totals.export_count;
  const std::uint64_t array_bytes =
      model.align_up(context.object_array_base_offset + model.reference_bytes() * element_count);
  const std::uint64_t target_bytes =
      model.align_up(context.object_array_base_offset + model.reference_bytes() * request.target_length);
  if (totals.object_bytes > target_bytes || array_bytes != target_bytes - totals.object_bytes) {
    return Decline::kWrongTarget;
  }
  // A collection since the allocation may have moved it to where references need barriers.
  if (!context.young.contains(target, target + target_bytes - 1)) {
    return Decline::kNotEden;
  }
  const Image image = image_of(context, request, operands.image);
  const std::uint64_t unit_count = totals.object_bytes / 8;
  if (!image.exists() || request.first_unit > kMaxUnit || request.first_unit + unit_count > kMaxUnit) {
    return Decline::kMalformed;
  }

  std::byte* const objects = target + array_bytes;
  std::byte* const elements = target + context.object_array_base_offset;
  const Relocation relocation = {request.first_unit, unit_count, model.encode_reference(vm::address_of(objects)),
                                 model.reference_shift()};
  Places places = {objects, elements, elements + model.reference_bytes() * totals.root_count};
  for (std::uint64_t i = 0; i < request.piece_count; i++) {
    const Decline carved = carve_piece(context, pieces[i], image, operands.constants, relocation, places);
    if (carved != Decline::kNone) {
      return carved;
    }
  }
  if (const Decline replaced = replace_classes(context, objects, totals.object_bytes, request);
      replaced != Decline::kNone) {
    return replaced;
  }
  std::memset(places.exports, 0, static_cast<std::size_t>(objects - places.exports));
  model.turn_into_array(target, context.object_array_word, static_cast<std::uint32_t>(element_count));
  return Decline::kNone;
}

Decline carve_in_window(std::uint64_t holder_reference, CarveRequest& request, const void* elements) {
  const std::uint64_t begin = ticks();
  const auto& context = *reinterpret_cast<const CarvingContext*>(request.context_address);
  const ObjectModel& model = context.model;
  const auto* const holder = load<const std::byte*>(at_address(holder_reference & ~kReferenceTags));
  const std::byte* const slots = holder + context.object_array_base_offset;
  const std::uint32_t slot_bytes = model.reference_bytes();
  const Operands operands = {model.reference_at(slots + slot_bytes * kTarget),
                             model.reference_at(slots + slot_bytes * kImage),
                             model.reference_at(slots + slot_bytes * kConstants)};
  Decline result = Decline::kCopiedArray;
  if (elements == nullptr || operands.target + context.object_array_base_offset == elements) {
    result = carve(context, request, operands);
  }
  count(request.windows, context, ticks() - begin);
  return result;
}

std::uint64_t ticks() {
#if defined(__x86_64__)
  return __rdtsc();
#else
  return 0;
#endif
}

}  // namespace heapspan::carving
