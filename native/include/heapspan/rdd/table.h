#pragma once

#include "hash.h"
#include "scan.h"

// Hash tables. The keys of a table lie in a compact column, in the order in which they came; a slot holds the upper
// half of the hash and the number of the key.

namespace heapspan::detail {

template <class K>
class KeyTable {
 public:
  static constexpr size_t most_keys = std::numeric_limits<uint32_t>::max() - 1;

  const Column<K>& keys() const { return keys_; }
  size_t size() const { return keys_.size(); }
  size_t allocated_bytes() const { return keys_.allocated_bytes() + slots_.allocated_bytes(); }
  void clear() {
    keys_ = Column<K>();
    slots_ = Buffer<uint64_t>();
  }
  void write(BatchWriter& writer) const {
    keys_.write(writer);
    writer.add(slots_);
  }
  // Checks the slots, so that damaged bytes lead to no key that is not there, and each search ends.
  void read(BatchReader& reader, size_t key_count) {
    keys_.read(reader, key_count);
    reader.take_any(slots_);
    size_t used = 0;
    bool known = true;
    for (uint64_t slot : std::as_const(slots_)) {
      used += slot != 0 ? 1 : 0;
      known &= static_cast<uint32_t>(slot) <= key_count && (slot == 0 || static_cast<uint32_t>(slot) != 0);
    }
    bool sized = slots_.empty() ? key_count == 0 : std::has_single_bit(slots_.size()) && slots_.size() >= 64;
    if (!known || !sized || used != key_count || used * 2 > slots_.size()) {
      fail("a batch is damaged: its hash table does not belong to its keys");
    }
    set_shift();
  }

  // The number of the key, and whether it is new.
  template <class View>
  std::pair<uint32_t, bool> insert(uint64_t hash, const View& key) {
    if (keys_.size() * 2 >= slots_.size()) [[unlikely]] {
      grow();
    }
    uint64_t wanted = table_hash(hash);
    for (size_t i = position(wanted);; i = (i + 1) & (slots_.size() - 1)) {
      uint64_t slot = slots_[i];
      if (slot == 0) {
        slots_[i] = wanted << 32 | (keys_.size() + 1);
        keys_.push(key);
        return {static_cast<uint32_t>(keys_.size() - 1), true};
      }
      auto number = static_cast<uint32_t>(slot) - 1;
      if (slot >> 32 == wanted && same_key(keys_[number], key)) {
        return {number, false};
      }
    }
  }
  // The number of the key, or -1.
  template <class View>
  int64_t find(uint64_t hash, const View& key) const {
    if (slots_.empty()) {
      return -1;
    }
    uint64_t wanted = table_hash(hash);
    for (size_t i = position(wanted);; i = (i + 1) & (slots_.size() - 1)) {
      uint64_t slot = slots_[i];
      if (slot == 0) {
        return -1;
      }
      auto number = static_cast<uint32_t>(slot) - 1;
      if (slot >> 32 == wanted && same_key(keys_[number], key)) {
        return number;
      }
    }
  }

 private:
  size_t position(uint64_t hash) const { return shift_ >= 0 ? hash >> shift_ : hash << -shift_; }
  void set_shift() { shift_ = 32 - std::countr_zero(slots_.size()); }
  [[gnu::noinline]] void grow() {
    if (keys_.size() >= most_keys) {
      fail("a partition has more than 4 billion keys; use more partitions");
    }
    Buffer<uint64_t> old = std::move(slots_);
    size_t capacity = old.empty() ? 64 : old.size() * 2;
    slots_ = Buffer<uint64_t>();
    slots_.assign(capacity, 0);
    set_shift();
    for (uint64_t slot : old) {
      if (slot != 0) {
        size_t i = position(slot >> 32);
        while (slots_[i] != 0) {
          i = (i + 1) & (capacity - 1);
        }
        slots_[i] = slot;
      }
    }
  }

  Column<K> keys_;
  Buffer<uint64_t> slots_;
  // How far a hash is moved so that its upper bits are the number of a slot.
  int shift_ = 0;
};

// ------------------------------------------------------------------------------------------------------------ overflow

// Rows of pairs that did not fit in memory, divided by the hashes of their keys. All rows of a key are in the same
// part, and each part is handled later as if it were a partition of its own, one level deeper.
inline constexpr int overflow_parts = 16;
inline constexpr int deepest_overflow = 6;

inline int overflow_part(uint64_t hash, int level) {
  return static_cast<int>(mix(hash + static_cast<uint64_t>(level) * 0x9E3779B97F4A7C15U) % overflow_parts);
}

template <class K, class V>
class Overflow {
 public:
  Overflow(Task& task, int level) : task_(&task), level_(level), parts_(overflow_parts) {}

  template <class Key, class Value>
  void push(uint64_t hash, const Key& key, const Value& value) {
    Part& part = parts_[static_cast<size_t>(overflow_part(hash, level_))];
    part.rows.push_fields(key, value);
    if (part.rows.bytes() >= block_bytes) [[unlikely]] {
      write(part);
    }
  }
  // Ends the writing, and moves the parts out.
  std::vector<std::optional<Spill>> finish() {
    std::vector<std::optional<Spill>> spills;
    for (Part& part : parts_) {
      write(part);
      spills.push_back(std::move(part.spill));
    }
    return spills;
  }
  int level() const { return level_; }

 private:
  static constexpr size_t block_bytes = 256 << 10;
  struct Part {
    Column<std::pair<K, V>> rows;
    std::optional<Spill> spill;
  };

  [[gnu::noinline]] void write(Part& part) {
    if (part.rows.size() == 0) {
      return;
    }
    if (!part.spill) {
      part.spill.emplace(*task_);
    }
    part.spill->write(write_batch(part.rows));
    part.rows.clear();
  }

  Task* task_;
  int level_;
  std::vector<Part> parts_;
};

// Calls the visitor with the column of each batch of a spill.
template <class T, class Visitor>
void each_spilled_column(Task& task, Spill& spill, Visitor&& visitor) {
  BatchMemory memory;
  Column<T> column;
  while (spill.read(memory)) {
    task.fail_if_cancelled();
    read_batch(column, memory.data(), memory.size() * sizeof(uint64_t));
    visitor(std::as_const(column));
    column.clear();
  }
}

// A part that waits for its turn.
struct PendingPart {
  Spill spill;
  int level;
};

HEAPSPAN_ONCE void append_pending(std::vector<PendingPart>& pending, std::vector<std::optional<Spill>> spills,
                                  int level);

}  // namespace heapspan::detail
