#include "carving/class_words.h"

namespace heapspan::carving {
namespace {

using vm::LayoutHelper;
using vm::load;

// Fibonacci hashing; KnownClasses.java does the same.
constexpr std::uint64_t hash(std::uint64_t word) { return word * 0x9e3779b97f4a7c15ULL >> 32; }

}  // namespace

std::int32_t KnownClasses::layout_helper(std::uint64_t word) const {
  const std::uint64_t mask = load<std::uint64_t>(table_) - 1;
  for (std::uint64_t i = hash(word) & mask;; i = (i + 1) & mask) {
    const std::byte* const entry = table_ + 8 + 16 * i;
    const auto found = load<std::uint64_t>(entry);
    if (found == word) {
      return load<std::int32_t>(entry + 8);
    }
    if (found == 0) {
      return 0;
    }
  }
}

ClassWordTable::ClassWordTable(Entry* entries, std::uint64_t capacity)
    : entries_(entries), mask_(capacity - 1), free_(capacity / 4 * 3) {
  for (std::uint64_t i = 0; i < capacity; i++) {
    entries[i].image_word = 0;
  }
}

ClassWordTable::Entry* ClassWordTable::slot_of(std::uint64_t image_word) {
  std::uint64_t i = hash(image_word) & mask_;
  while (entries_[i].image_word != image_word && entries_[i].image_word != 0) {
    i = (i + 1) & mask_;
  }
  return &entries_[i];
}

Decline ClassWordTable::add_pairs(const std::byte* pairs, std::uint64_t count, const KnownClasses& known) {
  for (std::uint64_t i = 0; i < count; i++) {
    const auto image_word = load<std::uint64_t>(pairs + 16 * i);
    const auto word_here = load<std::uint64_t>(pairs + 16 * i + 8);
    const std::int32_t layout_helper = word_here == 0 ? 0 : known.layout_helper(word_here);
    if (layout_helper == 0) {
      return Decline::kUnknownClass;
    }
    Entry* const slot = slot_of(image_word);
    if (image_word == 0 || slot->image_word != 0 || free_ == 0) {
      return Decline::kMalformed;
    }
    *slot = {image_word, word_here, layout_helper};
    free_--;
  }
  return Decline::kNone;
}

bool ClassWordTable::find(std::uint64_t image_word, const KnownClasses& known, Entry& found) {
  if (image_word == 0) {
    return false;
  }
  Entry* const slot = slot_of(image_word);
  if (slot->image_word != 0) {
    found = *slot;
    return true;
  }
  const std::int32_t layout_helper = known.layout_helper(image_word);
  if (layout_helper == 0) {
    return false;
  }
  found = {image_word, image_word, layout_helper};
  // A full table only means that such a class is looked up each time.
  if (free_ != 0) {
    *slot = found;
    free_--;
  }
  return true;
}

Decline rewrite_class_words(std::byte* objects, std::uint64_t size_bytes, const vm::ObjectModel& model,
                            ClassWordTable& words, const KnownClasses& known) {
  const std::uint64_t alignment_mask = model.alignment_bytes() - 1;
  ClassWordTable::Entry last = {0, 0, 0};
  for (std::uint64_t done = 0; done < size_bytes;) {
    const std::uint64_t left = size_bytes - done;
    std::byte* const object = objects + done;
    const std::uint64_t image_word = left < model.header_bytes() ? 0 : model.class_word(object);
    if (image_word != last.image_word || image_word == 0) {
      if (!words.find(image_word, known, last)) {
        return image_word == 0 ? Decline::kMalformed : Decline::kUnknownClass;
      }
    }
    const LayoutHelper helper(static_cast<std::int32_t>(last.layout_helper));
    if (helper.is_array() && left < model.array_header_bytes()) {
      return Decline::kMalformed;
    }
    const std::uint64_t bytes = model.object_bytes(helper, object);
    if (bytes > left || bytes == 0 || (bytes & alignment_mask) != 0) {
      return Decline::kMalformed;
    }
    model.set_class_word(object, last.word_here);
    done += bytes;
  }
  return Decline::kNone;
}

}  // namespace heapspan::carving
