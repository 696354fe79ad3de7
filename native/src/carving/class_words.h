#pragma once

#include <cstddef>
#include <cstdint>

#include "carving/decline.h"
#include "vm/object_model.h"

// Headers of an image whose writer numbers classes otherwise: replaces the class word of each object. Only this needs
// to know where objects begin.

namespace heapspan::carving {

// Layout helpers of classes of this JVM by class word: an open hash table in memory that org.heapspan.vm.KnownClasses
// fills. It may grow while others read: then a new one takes its place. 0 is no class word.
class KnownClasses {
 public:
  explicit KnownClasses(std::uint64_t table_address) : table_(vm::at_address(table_address)) {}

  // 0 if the class is not known.
  std::int32_t layout_helper(std::uint64_t word) const;

 private:
  // A word with the number of entries, a power of two; then per entry the class word and the layout helper, 8 bytes
  // each.
  const std::byte* table_;
};

// Class words of one image, with what they mean here.
class ClassWordTable {
 public:
  struct Entry {
    std::uint64_t image_word;  // 0: free
    std::uint64_t word_here;
    std::int64_t layout_helper;
  };

  // `capacity` is a power of two, at least 4, and at least twice the number of pairs that follow.
  ClassWordTable(Entry* entries, std::uint64_t capacity);

  // Pairs of class words: in the image, here.
  Decline add_pairs(const std::byte* pairs, std::uint64_t count, const KnownClasses& known);

  // Classes that no pair names have the same word here; false if the class is not known.
  bool find(std::uint64_t image_word, const KnownClasses& known, Entry& found);

 private:
  Entry* slot_of(std::uint64_t image_word);

  Entry* const entries_;
  const std::uint64_t mask_;
  std::uint64_t free_;
};

// Walks over copies of objects, each beginning where the last ended.
Decline rewrite_class_words(std::byte* objects, std::uint64_t size_bytes, const vm::ObjectModel& model,
                            ClassWordTable& words, const KnownClasses& known);

}  // namespace heapspan::carving
