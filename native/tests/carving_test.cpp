// Tests of src/carving on heaps and images made by hand. Buffers have exactly the size that is allowed to be touched,
// so that the sanitizers see what goes beyond. Random data: the seed is printed, and is the first argument if there is
// one.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <random>
#include <vector>

#include "carving/carver.h"
#include "carving/class_words.h"
#include "carving/relocation.h"
#include "check.h"
#include "vm/hotspot_facts.h"
#include "vm/memory_access.h"
#include "vm/object_model.h"
#include "vm/young_space.h"

namespace {

using heapspan::carving::bitmap_bytes;
using heapspan::carving::carve;
using heapspan::carving::carve_in_window;
using heapspan::carving::CarvePiece;
using heapspan::carving::CarveRequest;
using heapspan::carving::CarvingContext;
using heapspan::carving::ClassWordTable;
using heapspan::carving::CpuPath;
using heapspan::carving::Decline;
using heapspan::carving::KnownClasses;
using heapspan::carving::Operands;
using heapspan::carving::Relocation;
using heapspan::carving::relocation_kernels;
using heapspan::carving::RelocationKernels;
using heapspan::vm::address_of;
using heapspan::vm::HotSpotFacts;
using heapspan::vm::LayoutHelper;
using heapspan::vm::load;
using heapspan::vm::ObjectModel;
using heapspan::vm::store;
using heapspan::vm::YoungSpace;

std::mt19937_64 random_numbers;

std::uint64_t below(std::uint64_t limit) { return random_numbers() % limit; }

// Bytes that begin `skew` bytes behind an aligned address and end with the allocation.
class Buffer {
 public:
  explicit Buffer(std::size_t size, std::size_t skew = 0)
      : memory_(static_cast<std::byte*>(std::malloc(size + skew + 1))), skew_(skew), size_(size) {
    // The byte too many keeps malloc from returning null for none; nobody may touch it.
    std::memset(memory_, 0xee, size + skew + 1);
  }
  ~Buffer() {
    CHECK(load<std::uint8_t>(memory_ + skew_ + size_) == 0xee);
    std::free(memory_);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  std::byte* begin() const { return memory_ + skew_; }
  std::size_t size() const { return size_; }

 private:
  std::byte* memory_;
  std::size_t skew_;
  std::size_t size_;
};

struct Encoding {
  bool narrow;
  std::int32_t shift;
};
constexpr Encoding kEncodings[] = {{true, 3}, {true, 0}, {true, 4}, {true, 5}, {false, 0}};
constexpr CpuPath kPaths[] = {CpuPath::kScalar, CpuPath::kAvx2, CpuPath::kAvx512};

bool has(CpuPath path) { return heapspan::carving::best_cpu_path(path) == path; }

std::uint64_t expected_reference(std::uint64_t unit, const Encoding& encoding, const Relocation& r) {
  if (unit == 0) {
    return 0;
  }
  const std::uint64_t bytes = (unit - r.first_unit) * 8;
  return encoding.narrow ? static_cast<std::uint32_t>(r.base + (bytes >> encoding.shift)) : r.base + bytes;
}

// Random objects: slots with random numbers, some marked, those with units in range or 0.
void relocates_as_one_slot_after_the_other(const Encoding& encoding, CpuPath path, std::size_t size) {
  const RelocationKernels kernels = relocation_kernels(path, encoding.narrow, encoding.shift);
  const std::uint64_t unit_count = size / 8;
  const Relocation r = {below(1ULL << 31) * 4 + 4, unit_count, random_numbers(), encoding.shift};
  Buffer from(size, below(16));
  Buffer to(size, 8 * below(8));
  Buffer bitmap(bitmap_bytes(size), below(8));
  // Bits behind the last slot mean nothing.
  for (std::size_t i = 0; i < bitmap.size(); i += 8) {
    store(bitmap.begin() + i, encoding.narrow ? random_numbers() & random_numbers() : std::uint64_t{0});
  }
  std::vector<std::byte> expected(size + 8);
  const std::size_t slot_bytes = encoding.narrow ? 4 : 8;
  for (std::size_t at = 0; at < size; at += slot_bytes) {
    const std::size_t bit = at / 4;
    std::byte* const byte = bitmap.begin() + bit / 8;
    const auto mask = static_cast<std::byte>(1 << bit % 8);
    const bool marked = below(3) == 0;
    *byte = marked ? *byte | mask : *byte & ~mask;
    std::uint64_t value = random_numbers();
    std::uint64_t result = value;
    if (marked) {
      value = below(4) == 0 ? 0 : r.first_unit + below(unit_count) / 4 * 4;
      result = expected_reference(value, encoding, r);
    }
    if (encoding.narrow) {
      store(from.begin() + at, static_cast<std::uint32_t>(value));
      store(expected.data() + at, static_cast<std::uint32_t>(result));
    } else {
      store(from.begin() + at, value);
      store(expected.data() + at, result);
    }
  }
  CHECK(kernels.copy_objects(to.begin(), from.begin(), bitmap.begin(), size, r));
  CHECK(std::memcmp(to.begin(), expected.data(), size) == 0);
}

// One slot that is not in range, at each place in turn.
void rejects_units_out_of_range(const Encoding& encoding, CpuPath path, std::size_t size) {
  const RelocationKernels kernels = relocation_kernels(path, encoding.narrow, encoding.shift);
  const std::size_t slot_bytes = encoding.narrow ? 4 : 8;
  const Relocation r = {1000, size / 8, 0, encoding.shift};
  for (std::size_t at = 0; at < size; at += slot_bytes) {
    const std::uint64_t wrong[] = {r.first_unit - 1, r.first_unit + r.unit_count, 1, 0xffffffff,
                                   encoding.narrow ? 2 : ~0ULL};
    for (const std::uint64_t unit : wrong) {
      Buffer from(size);
      Buffer to(size);
      Buffer bitmap(bitmap_bytes(size));
      std::memset(from.begin(), 0, size);
      std::memset(bitmap.begin(), 0, bitmap.size());
      if (encoding.narrow) {
        store(from.begin() + at, static_cast<std::uint32_t>(unit));
      } else {
        store(from.begin() + at, unit);
      }
      CHECK(kernels.copy_objects(to.begin(), from.begin(), bitmap.begin(), size, r));
      bitmap.begin()[at / 32] = static_cast<std::byte>(1 << at / 4 % 8);
      CHECK(!kernels.copy_objects(to.begin(), from.begin(), bitmap.begin(), size, r));
    }
    if (!encoding.narrow) {
      // The second half of a slot must not be marked, whatever it holds.
      Buffer zeros(size);
      Buffer to(size);
      Buffer bitmap(bitmap_bytes(size));
      std::memset(zeros.begin(), 0, size);
      std::memset(bitmap.begin(), 0, bitmap.size());
      bitmap.begin()[at / 32] = static_cast<std::byte>(2 << at / 4 % 8);
      CHECK(!kernels.copy_objects(to.begin(), zeros.begin(), bitmap.begin(), size, r));
    }
  }
}

void relocates_roots(const Encoding& encoding, CpuPath path, std::size_t count) {
  const RelocationKernels kernels = relocation_kernels(path, encoding.narrow, encoding.shift);
  const std::size_t slot_bytes = encoding.narrow ? 4 : 8;
  const Relocation r = {below(1ULL << 31) * 4 + 4, 4000, random_numbers(), encoding.shift};
  Buffer units(4 * count, below(4));
  Buffer to(slot_bytes * count, 4 * below(4));
  std::vector<std::byte> expected(slot_bytes * count + 8);
  for (std::size_t i = 0; i < count; i++) {
    const std::uint64_t unit = below(4) == 0 ? 0 : r.first_unit + below(4000) / 4 * 4;
    store(units.begin() + 4 * i, static_cast<std::uint32_t>(unit));
    const std::uint64_t reference = expected_reference(static_cast<std::uint32_t>(unit) == 0 ? 0 : unit, encoding, r);
    if (encoding.narrow) {
      store(expected.data() + 4 * i, static_cast<std::uint32_t>(reference));
    } else {
      store(expected.data() + 8 * i, reference);
    }
  }
  // Roots are 32-bit numbers, so their space must be.
  if (r.first_unit + r.unit_count <= 0xffffffff) {
    CHECK(kernels.copy_roots(to.begin(), units.begin(), count, r));
    CHECK(std::memcmp(to.begin(), expected.data(), to.size()) == 0);
    for (std::size_t i = 0; i < count; i++) {
      const auto right = load<std::uint32_t>(units.begin() + 4 * i);
      store(units.begin() + 4 * i, static_cast<std::uint32_t>(r.first_unit + r.unit_count));
      CHECK(!kernels.copy_roots(to.begin(), units.begin(), count, r));
      store(units.begin() + 4 * i, right);
    }
  }
}

void relocations() {
  for (const CpuPath path : kPaths) {
    if (!has(path)) {
      std::printf("carving_test: processor lacks path %d\n", static_cast<int>(path));
      continue;
    }
    for (const Encoding& encoding : kEncodings) {
      for (std::size_t size = 0; size <= 1200; size += 8) {
        relocates_as_one_slot_after_the_other(encoding, path, size);
      }
      relocates_as_one_slot_after_the_other(encoding, path, 1 << 17);
      for (const std::size_t size : std::initializer_list<std::size_t>{8, 32, 64, 120, 256, 328}) {
        rejects_units_out_of_range(encoding, path, size);
      }
      for (std::size_t count = 0; count < 70; count++) {
        relocates_roots(encoding, path, count);
      }
    }
  }
}

// --- objects ------------------------------------------------------------------------------------

HotSpotFacts facts_with(bool compressed_references, bool compressed_classes, bool compact) {
  HotSpotFacts facts;
  facts.compressed_references = compressed_references;
  facts.reference_shift = compressed_references ? 3 : 0;
  facts.compressed_class_pointers = compressed_classes;
  facts.compact_headers = compact;
  facts.object_alignment_bytes = 8;
  return facts;
}

const HotSpotFacts kFacts[] = {facts_with(true, true, false),  facts_with(false, true, false),
                               facts_with(true, false, false), facts_with(false, false, false),
                               facts_with(true, true, true),   facts_with(false, true, true)};

// Classes: an instance of 24 bytes; arrays of bytes, of numbers as wide as references, and of references. Class words
// from 1.
constexpr std::uint64_t kInstanceWord = 1;
constexpr std::uint64_t kBytesWord = 2;
constexpr std::uint64_t kNumbersWord = 3;
constexpr std::uint64_t kReferencesWord = 4;
constexpr std::uint32_t kInstanceBytes = 24;

std::uint32_t base_offset(const ObjectModel& model, std::uint32_t element_bytes) {
  const std::uint32_t end = model.array_length_offset() + 4;
  return (end + element_bytes - 1) / element_bytes * element_bytes;
}

std::int32_t array_helper(const ObjectModel& model, bool references, std::int32_t log2_element_bytes) {
  const std::uint32_t tag = references ? 2u : 3u;
  const std::uint32_t base = base_offset(model, 1u << log2_element_bytes);
  return static_cast<std::int32_t>(tag << 30 | base << 16 | static_cast<std::uint32_t>(log2_element_bytes));
}

// As org.heapspan.vm.KnownClasses lays it out.
class KnownTable {
 public:
  explicit KnownTable(const ObjectModel& model) : memory_(8 + 16 * kCapacity) {
    std::memset(memory_.begin(), 0, memory_.size());
    store(memory_.begin(), kCapacity);
    put(kInstanceWord, static_cast<std::int32_t>(kInstanceBytes));
    put(kBytesWord, array_helper(model, false, 0));
    put(kNumbersWord, array_helper(model, false, model.narrow_references() ? 2 : 3));
    put(kReferencesWord, array_helper(model, true, model.narrow_references() ? 2 : 3));
  }
  std::uint64_t address() const { return address_of(memory_.begin()); }

 private:
  static constexpr std::uint64_t kCapacity = 16;

  void put(std::uint64_t word, std::int32_t helper) {
    std::uint64_t i = word * 0x9e3779b97f4a7c15ULL >> 32;
    while (load<std::uint64_t>(entry(i)) != 0) {
      i++;
    }
    store(entry(i), word);
    store(entry(i) + 8, static_cast<std::int64_t>(helper));
  }
  std::byte* entry(std::uint64_t i) { return memory_.begin() + 8 + 16 * (i & (kCapacity - 1)); }

  Buffer memory_;
};

void put_header(const ObjectModel& model, std::byte* object, std::uint64_t word) {
  store<std::uint64_t>(object, 1);
  model.set_class_word(object, word);
}

void put_array(const ObjectModel& model, std::byte* array, std::uint64_t word, std::uint32_t length) {
  put_header(model, array, word);
  store(array + model.array_length_offset(), length);
}

struct Words {
  static constexpr std::uint64_t kCapacity = 16;

  ClassWordTable::Entry entries[kCapacity];
  ClassWordTable table{entries, kCapacity};

  Decline add(std::vector<std::uint64_t> pairs, const KnownClasses& known) {
    return table.add_pairs(reinterpret_cast<const std::byte*>(pairs.data()), pairs.size() / 2, known);
  }
};

void replaces_class_words(const ObjectModel& model) {
  const KnownTable known_table(model);
  const KnownClasses known(known_table.address());
  const std::uint64_t bytes_size = model.align_up(base_offset(model, 1) + 13);
  const std::uint64_t references_size =
      model.align_up(base_offset(model, model.reference_bytes()) + 3 * model.reference_bytes());
  Buffer objects(2 * kInstanceBytes + bytes_size + references_size);
  std::byte* const first = objects.begin();
  std::byte* const bytes = first + kInstanceBytes;
  std::byte* const second = bytes + bytes_size;
  std::byte* const references = second + kInstanceBytes;
  put_header(model, first, 101);
  put_array(model, bytes, 102, 13);
  put_header(model, second, 101);
  put_array(model, references, kReferencesWord, 3);  // no pair: the same here

  Words words;
  CHECK(words.add({101, kInstanceWord, 102, kBytesWord}, known) == Decline::kNone);
  CHECK(rewrite_class_words(objects.begin(), objects.size(), model, words.table, known) == Decline::kNone);
  CHECK(model.class_word(first) == kInstanceWord);
  CHECK(model.class_word(bytes) == kBytesWord);
  CHECK(model.array_length(bytes) == 13);
  CHECK(model.class_word(second) == kInstanceWord);
  CHECK(model.class_word(references) == kReferencesWord);
  CHECK((load<std::uint64_t>(first) & 0xffffffff) == 1);

  const auto walk = [&](std::uint64_t size) {
    return rewrite_class_words(objects.begin(), size, model, words.table, known);
  };
  // Now the words are those of this JVM, which the pairs do not name.
  CHECK(walk(objects.size()) == Decline::kNone);
  for (std::uint64_t size = 8; size < objects.size(); size += 8) {
    const bool whole =
        size == kInstanceBytes || size == kInstanceBytes + bytes_size || size == 2 * kInstanceBytes + bytes_size;
    // A copy in a buffer of its own, which ends where the walk must.
    Buffer part(size);
    std::memcpy(part.begin(), objects.begin(), size);
    const Decline result = rewrite_class_words(part.begin(), size, model, words.table, known);
    CHECK(result == (whole ? Decline::kNone : Decline::kMalformed));
  }
  for (const std::uint32_t length : {0x7fffffffu, 0xffffffffu, 1000u}) {
    put_array(model, references, kReferencesWord, length);
    CHECK(walk(objects.size()) == Decline::kMalformed);
  }
  put_header(model, second, 77);
  CHECK(walk(objects.size()) == Decline::kUnknownClass);
  put_header(model, second, 0);
  CHECK(walk(objects.size()) == Decline::kMalformed);
}

void needs_no_room_for_classes_that_no_pair_names(const ObjectModel& model) {
  const KnownTable known_table(model);
  const KnownClasses known(known_table.address());
  ClassWordTable::Entry entries[4];
  ClassWordTable table(entries, 4);
  const std::uint64_t pairs[] = {101, kInstanceWord, 102, kBytesWord};
  CHECK(table.add_pairs(reinterpret_cast<const std::byte*>(pairs), 2, known) == Decline::kNone);
  for (int i = 0; i < 2; i++) {
    for (const std::uint64_t word : {kInstanceWord, kBytesWord, kNumbersWord, kReferencesWord}) {
      ClassWordTable::Entry found = {};
      CHECK(table.find(word, known, found));
      CHECK(found.word_here == word);
    }
    ClassWordTable::Entry found = {};
    CHECK(!table.find(99, known, found));
    CHECK(table.find(102, known, found));
    CHECK(found.word_here == kBytesWord);
  }
}

void rejects_pairs_that_contradict_each_other(const ObjectModel& model) {
  const KnownTable known_table(model);
  const KnownClasses known(known_table.address());
  CHECK(Words().add({5, 99}, known) == Decline::kUnknownClass);
  CHECK(Words().add({5, 0}, known) == Decline::kUnknownClass);
  CHECK(Words().add({0, kBytesWord}, known) == Decline::kMalformed);
  CHECK(Words().add({5, kBytesWord, 5, kBytesWord}, known) == Decline::kMalformed);
  std::vector<std::uint64_t> many;
  for (std::uint64_t i = 0; i < 100; i++) {
    many.insert(many.end(), {200 + i, kBytesWord});
  }
  CHECK(Words().add(many, known) == Decline::kMalformed);
}

// --- carving ------------------------------------------------------------------------------------

// A heap with one array of numbers, an image for it and the request; one object of 24 bytes with a slot at 16 that
// refers to itself, then an array of references to that object, to a constant and to nothing.
class Scene {
 public:
  static constexpr std::uint64_t kFirstUnit = 500;
  static constexpr std::uint64_t kRoots = 3;
  static constexpr std::uint64_t kExports = 1;

  Scene(const HotSpotFacts& facts, CpuPath path)
      : model(facts),
        known(model),
        references_offset(kInstanceBytes),
        object_bytes(kInstanceBytes +
                     model.align_up(base_offset(model, model.reference_bytes()) + 3 * model.reference_bytes())),
        array_bytes(model.align_up(base_offset(model, model.reference_bytes()) +
                                   (kRoots + kExports) * model.reference_bytes())),
        target(object_bytes + array_bytes),
        constants(model.align_up(base_offset(model, model.reference_bytes()) + model.reference_bytes())),
        image(model.align_up(base_offset(model, 1) + image_bytes())),
        class_table(24 * 64) {
    context.known_classes = known.address();
    context.nanos_per_tick = 1ULL << 32;
    context.number_array_word = kNumbersWord;
    context.object_array_word = kReferencesWord;
    context.object_array_base_offset = base_offset(model, model.reference_bytes());
    context.byte_array_base_offset = base_offset(model, 1);
    context.model = model;
    context.young = YoungSpace::range(address_of(target.begin()), address_of(target.begin()) + target.size());
    context.kernels = relocation_kernels(path, model.narrow_references(), model.reference_shift());

    fill_target();
    put_array(model, constants.begin(), kReferencesWord, 1);
    constant_slot = 0x12345678;
    store_slot(constants.begin() + context.object_array_base_offset, constant_slot);
    fill_image();
  }

  void fill_target() {
    std::memset(target.begin(), 0xab, target.size());
    put_array(model, target.begin(), kNumbersWord,
              static_cast<std::uint32_t>((target.size() - context.object_array_base_offset) / model.reference_bytes()));
  }

  // With room for a second bitmap at the end.
  std::uint64_t image_bytes() const { return bytes_in_use() + bitmap_bytes(object_bytes); }

  std::uint64_t bytes_in_use() const { return object_bytes + bitmap_bytes(object_bytes) + 8 + 4 * (kRoots + kExports); }

  void store_slot(std::byte* slot, std::uint64_t value) const {
    if (model.narrow_references()) {
      store(slot, static_cast<std::uint32_t>(value));
    } else {
      store(slot, value);
    }
  }

  std::uint64_t slot(const std::byte* at) const {
    return model.narrow_references() ? load<std::uint32_t>(at) : load<std::uint64_t>(at);
  }

  void fill_image() {
    std::memset(image.begin(), 0, image.size());
    put_array(model, image.begin(), kBytesWord, static_cast<std::uint32_t>(image_bytes()));
    std::byte* const begin = image.begin() + context.byte_array_base_offset;
    std::byte* const references = begin + references_offset;
    std::byte* const elements = references + context.object_array_base_offset;
    put_header(model, begin, kInstanceWord);
    store_slot(begin + 16, kFirstUnit);
    put_array(model, references, kReferencesWord, 3);
    store_slot(elements, kFirstUnit);

    request = {};
    piece = {};
    request.context_address = reinterpret_cast<std::uint64_t>(&context);
    request.pieces_address = reinterpret_cast<std::uint64_t>(&piece);
    request.piece_count = 1;
    piece.object_bytes = object_bytes;
    request.first_unit = kFirstUnit;
    piece.bitmap_offset = object_bytes;
    const std::uint64_t reference_slot = references_offset + context.object_array_base_offset;
    mark(16);
    mark(reference_slot);
    piece.constant_patches_offset = piece.bitmap_offset + bitmap_bytes(object_bytes);
    piece.constant_patch_count = 1;
    std::byte* const patches = begin + piece.constant_patches_offset;
    store(patches, static_cast<std::uint32_t>((reference_slot + model.reference_bytes()) / 4));
    piece.roots_offset = piece.constant_patches_offset + 8;
    piece.root_count = kRoots;
    store(begin + piece.roots_offset, static_cast<std::uint32_t>(kFirstUnit));
    store(begin + piece.roots_offset + 8, static_cast<std::uint32_t>(kFirstUnit + references_offset / 8));
    piece.exports_offset = piece.roots_offset + 4 * kRoots;
    piece.export_count = kExports;
    store(begin + piece.exports_offset, static_cast<std::uint32_t>(kFirstUnit));
    request.class_table_address = address_of(class_table.begin());
    request.class_table_capacity = 64;
    request.target_length = (target.size() - context.object_array_base_offset) / model.reference_bytes();
  }

  void mark(std::uint64_t offset) {
    std::byte* const byte = image.begin() + context.byte_array_base_offset + piece.bitmap_offset + offset / 32;
    *byte |= static_cast<std::byte>(1 << offset / 4 % 8);
  }

  Operands operands() const { return {target.begin(), image.begin(), constants.begin()}; }

  Decline run() { return carve(context, request, operands()); }

  bool is_carved() const {
    const std::byte* const roots = target.begin() + context.object_array_base_offset;
    const std::byte* const first = target.begin() + array_bytes;
    const std::byte* const references = first + references_offset;
    const std::byte* const elements = references + context.object_array_base_offset;
    const std::uint32_t bytes = model.reference_bytes();
    const std::uint64_t to_first = reference_to(first);
    return model.class_word(target.begin()) == kReferencesWord &&
           model.array_length(target.begin()) == kRoots + kExports && slot(roots) == to_first &&
           slot(roots + bytes) == 0 && slot(roots + 2 * bytes) == reference_to(references) &&
           slot(roots + 3 * bytes) == to_first && model.class_word(first) == kInstanceWord &&
           slot(first + 16) == to_first && model.class_word(references) == kReferencesWord &&
           model.array_length(references) == 3 && slot(elements) == to_first &&
           slot(elements + bytes) == constant_slot && slot(elements + 2 * bytes) == 0;
  }

  bool is_untouched() const {
    return model.class_word(target.begin()) == kNumbersWord &&
           model.array_length(target.begin()) == request.target_length;
  }

  std::uint64_t reference_to(const std::byte* object) const {
    const std::uint64_t reference = model.encode_reference(address_of(object));
    return model.narrow_references() ? static_cast<std::uint32_t>(reference) : reference;
  }

  ObjectModel model;
  KnownTable known;
  std::uint64_t references_offset;
  std::uint64_t object_bytes;
  std::uint64_t array_bytes;
  Buffer target;
  Buffer constants;
  Buffer image;
  Buffer class_table;
  CarvingContext context;
  CarveRequest request;
  CarvePiece piece;
  std::uint64_t constant_slot = 0;
};

void carves(const HotSpotFacts& facts, CpuPath path) {
  Scene scene(facts, path);
  CHECK(scene.run() == Decline::kNone);
  CHECK(scene.is_carved());
}

// Whoever walks over the heap may have loaded the class before it changes, and load the length after that.
void ends_where_the_old_class_says(const HotSpotFacts& facts) {
  Scene scene(facts, CpuPath::kScalar);
  CHECK(scene.run() == Decline::kNone);
  const LayoutHelper old_class(array_helper(scene.model, false, scene.model.narrow_references() ? 2 : 3));
  CHECK(scene.model.object_bytes(old_class, scene.target.begin()) == scene.array_bytes);
}

// The same objects in two pieces that refer to each other; the roots belong to the second, the export to the first.
void carves_pieces(const HotSpotFacts& facts, CpuPath path) {
  Scene scene(facts, path);
  std::byte* const begin = scene.image.begin() + scene.context.byte_array_base_offset;
  CarvePiece pieces[2] = {scene.piece, scene.piece};
  pieces[0].object_bytes = kInstanceBytes;
  pieces[0].constant_patch_count = 0;
  pieces[0].root_count = 0;
  pieces[1].objects_offset = kInstanceBytes;
  pieces[1].object_bytes = scene.object_bytes - kInstanceBytes;
  pieces[1].export_count = 0;
  pieces[1].bitmap_offset = scene.bytes_in_use();
  const std::uint64_t slot = scene.context.object_array_base_offset / 4;
  begin[pieces[1].bitmap_offset + slot / 8] = static_cast<std::byte>(1 << slot % 8);
  std::byte* const patch = begin + pieces[1].constant_patches_offset;
  store(patch, static_cast<std::uint32_t>(slot + scene.model.reference_bytes() / 4));
  scene.request.pieces_address = reinterpret_cast<std::uint64_t>(pieces);
  scene.request.piece_count = 2;
  CHECK(scene.run() == Decline::kNone);
  CHECK(scene.is_carved());
  scene.fill_target();
  pieces[1].object_bytes += 8;
  CHECK(scene.run() != Decline::kNone);
  CHECK(scene.is_untouched());
}

void carves_with_other_class_words(const HotSpotFacts& facts, CpuPath path) {
  Scene scene(facts, path);
  std::byte* const objects = scene.image.begin() + scene.context.byte_array_base_offset;
  scene.model.set_class_word(objects, 1001);
  scene.model.set_class_word(objects + scene.references_offset, kInstanceWord);  // another class there
  const std::uint64_t pairs[] = {1001, kInstanceWord, kInstanceWord, kReferencesWord};
  scene.request.class_pairs_address = reinterpret_cast<std::uint64_t>(pairs);
  scene.request.class_pair_count = 2;
  CHECK(scene.run() == Decline::kNone);
  CHECK(scene.is_carved());
  scene.fill_target();
  scene.model.set_class_word(objects + scene.references_offset, 1002);
  CHECK(scene.run() == Decline::kUnknownClass);
  CHECK(scene.is_untouched());
}

void declines_targets_elsewhere(const HotSpotFacts& facts) {
  Scene scene(facts, CpuPath::kScalar);
  const std::uint64_t begin = address_of(scene.target.begin());
  const std::uint64_t end = begin + scene.target.size();
  for (const YoungSpace& young : {YoungSpace::range(begin, end - 1), YoungSpace::range(begin + 1, end),
                                  YoungSpace::range(0, begin), YoungSpace()}) {
    scene.context.young = young;
    CHECK(scene.run() == Decline::kNotEden);
    CHECK(scene.is_untouched());
  }
}

void declines_targets_of_another_kind(const HotSpotFacts& facts) {
  Scene scene(facts, CpuPath::kScalar);
  Operands operands = scene.operands();
  operands.target = nullptr;
  CHECK(carve(scene.context, scene.request, operands) == Decline::kWrongTarget);
  put_array(scene.model, scene.target.begin(), kBytesWord, static_cast<std::uint32_t>(scene.request.target_length));
  CHECK(scene.run() == Decline::kWrongTarget);
  scene.fill_target();
  scene.request.target_length--;
  CHECK(scene.run() == Decline::kWrongTarget);
  scene.request.target_length++;
  scene.piece.root_count += 64;
  CHECK(scene.run() == Decline::kWrongTarget);
  scene.piece.root_count = ~0ULL;
  CHECK(scene.run() == Decline::kMalformed);
}

// Requests with random numbers in random fields, and images with random bytes. What counts is that nothing beyond the
// buffers is touched, and that the target's header is the last that changes.
void survives_malformed_requests(const HotSpotFacts& facts, CpuPath path) {
  const std::uint64_t strange[] = {0,          1,           7,       8,          ~0ULL,      ~7ULL,
                                   1ULL << 31, 0xffffffffu, 1 << 20, 1ULL << 62, 1ULL << 63, 40};
  Scene scene(facts, path);
  std::uint64_t pairs[] = {1001, kInstanceWord, 1002, kReferencesWord, 1003, kBytesWord};
  for (int round = 0; round < 3000; round++) {
    scene.fill_target();
    scene.fill_image();
    CarveRequest& request = scene.request;
    request.class_pairs_address = reinterpret_cast<std::uint64_t>(pairs);
    request.class_pair_count = below(4);
    std::uint64_t* const fields[] = {&scene.piece.objects_offset,
                                     &scene.piece.object_bytes,
                                     &request.first_unit,
                                     &scene.piece.bitmap_offset,
                                     &scene.piece.constant_patches_offset,
                                     &scene.piece.constant_patch_count,
                                     &scene.piece.roots_offset,
                                     &scene.piece.root_count,
                                     &scene.piece.exports_offset,
                                     &scene.piece.export_count,
                                     &request.target_length};
    for (std::uint64_t i = below(3); i > 0; i--) {
      std::uint64_t& field = *fields[below(std::size(fields))];
      field = below(2) == 0 ? strange[below(std::size(strange))] : field + below(64) - 32;
    }
    std::byte* const bytes = scene.image.begin() + scene.context.byte_array_base_offset;
    for (std::uint64_t i = below(4); i > 0; i--) {
      bytes[below(scene.image_bytes())] = static_cast<std::byte>(random_numbers());
    }
    Operands operands = scene.operands();
    if (below(10) == 0) {
      operands.image = nullptr;
    }
    if (below(10) == 0) {
      operands.constants = nullptr;
    }
    const std::uint64_t length = scene.model.array_length(scene.target.begin());
    if (carve(scene.context, request, operands) != Decline::kNone) {
      CHECK(scene.model.class_word(scene.target.begin()) == kNumbersWord);
      CHECK(scene.model.array_length(scene.target.begin()) == length);
    }
  }
}

void reads_operands_through_the_holder(const HotSpotFacts& facts) {
  Scene scene(facts, CpuPath::kScalar);
  if (scene.model.narrow_references()) {
    return;  // addresses of buffers do not fit
  }
  Buffer holder(scene.model.align_up(scene.context.object_array_base_offset + 24));
  put_array(scene.model, holder.begin(), kReferencesWord, 3);
  std::byte* const slots = holder.begin() + scene.context.object_array_base_offset;
  store(slots, scene.target.begin());
  store(slots + 8, scene.image.begin());
  store(slots + 16, scene.constants.begin());
  const std::byte* reference = holder.begin();
  const std::uint64_t tagged = reinterpret_cast<std::uint64_t>(&reference) | 2;
  CHECK(carve_in_window(tagged, scene.request, scene.target.begin()) == Decline::kCopiedArray);
  CHECK(scene.is_untouched());
  CHECK(carve_in_window(tagged, scene.request, scene.target.begin() + scene.context.object_array_base_offset) ==
        Decline::kNone);
  CHECK(scene.is_carved());
  std::uint64_t windows = 0;
  for (const std::uint64_t count : scene.request.windows.by_length) {
    windows += count;
  }
  CHECK(windows == 2);
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t seed = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : std::random_device()();
  std::printf("carving_test: seed %llu\n", static_cast<unsigned long long>(seed));
  random_numbers.seed(seed);
  relocations();
  for (const HotSpotFacts& facts : kFacts) {
    const ObjectModel model(facts);
    replaces_class_words(model);
    needs_no_room_for_classes_that_no_pair_names(model);
    rejects_pairs_that_contradict_each_other(model);
    declines_targets_elsewhere(facts);
    declines_targets_of_another_kind(facts);
    reads_operands_through_the_holder(facts);
    ends_where_the_old_class_says(facts);
    for (const CpuPath path : kPaths) {
      if (has(path)) {
        carves(facts, path);
        carves_pieces(facts, path);
        carves_with_other_class_words(facts, path);
        survives_malformed_requests(facts, path);
      }
    }
  }
  return heapspan::testing::check_result("carving_test");
}
