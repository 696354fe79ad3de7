#pragma once

#include "hash.h"
#include "scan.h"

// Tables of keys. The keys of a table lie in a compact column, in the order in which they came, which numbers them. A
// slot of the hash table holds 32 bits of a hash and the number of the key. Keys that are numbers and lie close
// together need no hash: the place of a key in an array is its distance from the least one, so that keys that are near
// to each other, as the neighbors in a graph often are, are so in memory.

namespace heapspan::detail {

template <class K>
class KeyTable {
  static constexpr bool is_number = std::is_integral_v<K> && !std::is_same_v<K, bool> && sizeof(K) <= 8;
  // Whether the 32 bits of the hash are equal only if the keys are.
  static constexpr bool has_exact_hash = is_number && sizeof(K) <= 4;

 public:
  static constexpr size_t most_keys = std::numeric_limits<uint32_t>::max() - 1;
  static constexpr size_t most_slots = size_t{1} << 33;
  // Whether so many keys need more slots; without any, also if there are places. Half of the slots stay empty. In the
  // largest table, the numbers of the last keys would not fit in their slots.
  static constexpr bool is_full(size_t keys, size_t slots) { return keys * 2 + 4 >= slots; }

  KeyTable() = default;
  KeyTable(KeyTable&&) noexcept = default;
  KeyTable& operator=(KeyTable&&) noexcept = default;
  [[gnu::noinline]] ~KeyTable() {}  // NOLINT: one function for all places that end one

  const Column<K>& keys() const { return keys_; }
  size_t size() const { return keys_.size(); }
  size_t allocated_bytes() const {
    return keys_.allocated_bytes() + slots_.allocated_bytes() + places_.allocated_bytes();
  }
  [[gnu::noinline]] void clear() { renew(*this); }
  void write(BatchWriter& writer) const {
    keys_.write(writer);
    writer.add(slots_);
    if constexpr (is_number) {
      writer.add(places_);
      writer.add_number(base_);
    }
  }
  // Checks slots and places, so that damaged bytes lead to no key that is not there, and each search ends.
  void read(BatchReader& reader, size_t key_count) {
    keys_.read(reader, key_count);
    reader.take_any(slots_);
    size_t used = 0;
    bool known = true;
    for (uint64_t slot : std::as_const(slots_)) {
      used += slot != 0 ? 1 : 0;
      known &= static_cast<uint32_t>(slot) <= key_count && (slot == 0 || static_cast<uint32_t>(slot) != 0);
    }
    bool sized = slots_.empty() || (std::has_single_bit(slots_.size()) && slots_.size() >= least_slots &&
                                    slots_.size() <= most_slots && used * 2 <= slots_.size());
    if constexpr (is_number) {
      reader.take_any(places_);
      base_ = reader.take_number();
      for (uint32_t place : std::as_const(places_)) {
        used += place != 0 ? 1 : 0;
        known &= place <= key_count;
      }
    }
    if (!known || !sized || used != key_count) {
      fail("a batch is damaged: its table does not belong to its keys");
    }
    set_shift();
  }

  // The number of the key, and whether it is new.
  template <class View>
  std::pair<uint32_t, bool> insert(uint64_t hash, const View& key) {
    if constexpr (is_number) {
      uint64_t place = place_of(key);
      if (place >= places_.size() && is_full()) [[unlikely]] {
        place = make_room(key);
      }
      if (place < places_.size()) {
        if (uint32_t known = places_[place]; known != 0) {
          return {known - 1, false};
        }
        places_[place] = static_cast<uint32_t>(keys_.size() + 1);
        return add(key);
      }
    } else if (is_full()) [[unlikely]] {
      grow();
    }
    uint64_t wanted = slot_hash(hash, key);
    for (size_t i = position(wanted);; i = (i + 1) & (slots_.size() - 1)) {
      uint64_t slot = slots_[i];
      if (slot == 0) {
        slots_[i] = wanted << 32 | (keys_.size() + 1);
        return add(key);
      }
      if (is_slot_of(slot, wanted, key)) {
        return {static_cast<uint32_t>(slot) - 1, false};
      }
    }
  }
  // The number of the key, or -1.
  template <class View>
  int64_t find(uint64_t hash, const View& key) const {
    if constexpr (is_number) {
      if (uint64_t place = place_of(key); place < places_.size()) {
        return static_cast<int64_t>(places_[place]) - 1;
      }
    }
    if (slots_.empty()) {
      return -1;
    }
    uint64_t wanted = slot_hash(hash, key);
    for (size_t i = position(wanted);; i = (i + 1) & (slots_.size() - 1)) {
      uint64_t slot = slots_[i];
      if (slot == 0) {
        return -1;
      }
      if (is_slot_of(slot, wanted, key)) {
        return static_cast<int64_t>(static_cast<uint32_t>(slot)) - 1;
      }
    }
  }

  // All keys, one after the other: at each of so many positions is one or none. Keys that are found in an array come in
  // their order, so that what reads them goes through its own arrays in order, too. Others come as they were added.
  size_t positions() const { return places_.empty() ? size() : places_.size(); }
  // The number of the key at a position, or -1.
  int64_t number_at(size_t position) const {
    return static_cast<int64_t>(places_.empty() ? position : size_t{places_[position]} - 1);
  }

  // Calls the visitor with each row of a column of keys and the hash of its key. Meanwhile, the slots of the next rows
  // come from memory.
  template <class Visitor>
  void each_hashed(const Column<K>& keys, Visitor&& visitor) const {
    constexpr size_t rows_at_once = 16;
    uint64_t hashes[rows_at_once];
    for (size_t first = 0; first < keys.size(); first += rows_at_once) {
      size_t count = std::min(rows_at_once, keys.size() - first);
      for (size_t i = 0; i < count; i++) {
        auto key = keys[first + i];
        hashes[i] = hash_of(key);
        prefetch(hashes[i], key);
      }
      for (size_t i = 0; i < count; i++) {
        visitor(first + i, hashes[i]);
      }
    }
  }

 private:
  static constexpr size_t least_slots = 64;
  // The array has as many places for each key that there was when it was made: then it takes no more memory than slots.
  // Some must be left on both sides of the keys, for the next ones: otherwise the array would be made anew too often.
  static constexpr uint64_t places_for_key = 8;
  static constexpr uint64_t least_places = 256;
  // A small array may be emptier, since more keys often come between those that there are: then few are found by hashes
  // before there is an array.
  static constexpr uint64_t places_for_key_in_small_array = 64;
  static constexpr uint64_t most_places_in_small_array = uint64_t{1} << 19;
  static constexpr uint64_t most_places = uint64_t{1} << 31;

  template <class View>
  std::pair<uint32_t, bool> add(const View& key) {
    keys_.push(key);
    return {static_cast<uint32_t>(keys_.size() - 1), true};
  }
  template <class View>
  static uint64_t slot_hash(uint64_t hash, const View& key) {
    if constexpr (has_exact_hash) {
      return mix_exactly(static_cast<uint32_t>(key));
    } else {
      return table_hash(hash);
    }
  }
  template <class View>
  bool is_slot_of(uint64_t slot, uint64_t wanted, const View& key) const {
    if (slot >> 32 != wanted) {
      return false;
    }
    if constexpr (has_exact_hash) {
      return true;
    } else {
      return same_key(keys_[static_cast<uint32_t>(slot) - 1], key);
    }
  }
  template <class View>
  void prefetch(uint64_t hash, const View& key) const {
    if constexpr (is_number) {
      if (uint64_t place = place_of(key); place < places_.size()) {
        __builtin_prefetch(places_.data() + place);
      }
    }
    if (!slots_.empty()) {
      __builtin_prefetch(slots_.data() + position(slot_hash(hash, key)));
    }
  }

  bool is_full() const { return is_full(keys_.size(), slots_.size()); }
  uint64_t place_of(K key) const { return static_cast<uint64_t>(key) - base_; }
  size_t position(uint64_t hash) const { return shift_ >= 0 ? hash >> shift_ : hash << -shift_; }
  void set_shift() { shift_ = 32 - std::countr_zero(slots_.size()); }

  // For one more key, whose place it returns.
  [[gnu::noinline]] uint64_t make_room(K key) {
    if (!spread(key)) {
      grow();
    }
    return place_of(key);
  }
  // Gives each key a place, and keeps room for others on both sides. Returns false if the keys are too far apart.
  bool spread(K key) {
    K least = key;
    K most = key;
    for (size_t i = 0; i < keys_.size(); i++) {
      least = std::min(least, keys_[i]);
      most = std::max(most, keys_[i]);
    }
    uint64_t size = keys_.size();
    uint64_t count = std::clamp(size * places_for_key, least_places, most_places);
    count = std::max(count, std::min(size * places_for_key_in_small_array, most_places_in_small_array));
    uint64_t distance = static_cast<uint64_t>(most) - static_cast<uint64_t>(least);
    if (distance >= count - count / 8) {
      return false;
    }
    uint64_t below = static_cast<uint64_t>(least) - static_cast<uint64_t>(std::numeric_limits<K>::min());
    base_ = static_cast<uint64_t>(least) - std::min(below, (count - distance) / 2);
    slots_ = Buffer<uint64_t>();
    places_ = Buffer<uint32_t>();
    places_.assign(count, 0);
    for (size_t i = 0; i < keys_.size(); i++) {
      places_[place_of(keys_[i])] = static_cast<uint32_t>(i + 1);
    }
    return true;
  }
  // Makes twice as many slots, or slots instead of places.
  [[gnu::noinline]] void grow() {
    if (keys_.size() >= most_keys) {
      fail("a partition has more than 4 billion keys; use more partitions");
    }
    Buffer<uint64_t> old = std::move(slots_);
    if constexpr (is_number) {
      old = Buffer<uint64_t>();
      places_ = Buffer<uint32_t>();
    }
    slots_.assign(std::max(least_slots, std::bit_ceil(keys_.size() * 4)), 0);
    set_shift();
    if constexpr (is_number) {
      for (size_t i = 0; i < keys_.size(); i++) {
        put(slot_hash(hash_of(keys_[i]), keys_[i]) << 32 | (i + 1));
      }
    } else {
      for (uint64_t slot : std::as_const(old)) {
        if (slot != 0) {
          put(slot);
        }
      }
    }
  }
  // Of a key that is not there yet.
  void put(uint64_t slot) {
    size_t i = position(slot >> 32);
    while (slots_[i] != 0) {
      i = (i + 1) & (slots_.size() - 1);
    }
    slots_[i] = slot;
  }

  Column<K> keys_;
  Buffer<uint64_t> slots_;
  // How far a hash is moved so that its upper bits are the number of a slot.
  int shift_ = 0;
  // Instead of slots, for numbers that lie close together: the number of each key and 1, at its distance from the base.
  Buffer<uint32_t> places_;
  uint64_t base_ = 0;
};

// ------------------------------------------------------------------------------------------------------------ overflow

// Rows of pairs that did not fit in memory, divided by the hashes of their keys. All rows of a key are in the same
// part, and each part is handled later as if it were a partition of its own, one level deeper.
inline constexpr size_t overflow_parts = 16;
inline constexpr int deepest_overflow = 6;

inline int overflow_part(uint64_t hash, int level) {
  return static_cast<int>(mix(hash + static_cast<uint64_t>(level) * 0x9E3779B97F4A7C15U) % overflow_parts);
}

// The part that does not depend on the types of the rows.
class OverflowSpills {
 public:
  explicit OverflowSpills(Task& task) : task_(&task) {}

  // Whether there are rows.
  bool begun() const { return !spills_.empty(); }
  HEAPSPAN_ONCE void begin(int level);

 protected:
  HEAPSPAN_ONCE ~OverflowSpills();
  HEAPSPAN_ONCE void write(size_t part, const BatchMemory& batch);

  Task* task_;
  int level_ = 0;
  std::vector<std::optional<Spill>> spills_;
};

template <class K, class V>
class Overflow : public OverflowSpills {
 public:
  using OverflowSpills::OverflowSpills;
  [[gnu::noinline]] ~Overflow() {}  // NOLINT: one function for all places that end one

  template <class Key, class Value>
  [[gnu::noinline]] void push(uint64_t hash, const Key& key, const Value& value) {
    auto part = static_cast<size_t>(overflow_part(hash, level_));
    rows_[part].push_pair(key, value);
    if (rows_[part].bytes() >= block_bytes) [[unlikely]] {
      write_rows(part);
    }
  }
  // Moves the parts out.
  [[gnu::noinline]] std::vector<std::optional<Spill>> finish() {
    for (size_t part = 0; part < overflow_parts; part++) {
      write_rows(part);
      renew(rows_[part]);
    }
    return std::exchange(spills_, {});
  }

 private:
  static constexpr size_t block_bytes = 256 << 10;

  [[gnu::noinline]] void write_rows(size_t part) {
    if (rows_[part].size() != 0) {
      write(part, write_batch(rows_[part]));
      rows_[part].clear();
    }
  }

  std::array<Column<std::pair<K, V>>, overflow_parts> rows_;
};

// A part that waits for its turn: the rows of one source, or of two.
struct PendingPart {
  std::array<std::optional<Spill>, 2> spills;
  int level = 0;
};

class PendingParts {
 public:
  HEAPSPAN_ONCE PendingParts();
  HEAPSPAN_ONCE ~PendingParts();
  // Adds the parts that have rows, of one source or of two.
  HEAPSPAN_ONCE void add(std::vector<std::optional<Spill>> first, std::vector<std::optional<Spill>> second, int level);
  bool empty() const { return parts_.empty(); }
  // The last one that was added.
  HEAPSPAN_ONCE PendingPart take();

 private:
  std::vector<PendingPart> parts_;
};

}  // namespace heapspan::detail
