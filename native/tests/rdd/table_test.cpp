#include <heapspan/rdd.hpp>

#include <climits>
#include <map>
#include <numeric>
#include <random>

#include "../check.h"

// Tables of keys, compared with std::map: keys that lie close together have places in an array, others have slots.

using heapspan::detail::BatchMemory;
using heapspan::detail::BatchReader;
using heapspan::detail::Buffer;
using heapspan::detail::Column;
using heapspan::detail::hash_of;
using heapspan::detail::KeyTable;

namespace {

using Random = std::mt19937_64;

template <class K>
bool has_slots(const KeyTable<K>& table) {
  BatchMemory memory = heapspan::detail::write_batch(table);
  BatchReader reader(memory.data(), memory.size() * sizeof(uint64_t));
  Column<K> keys;
  keys.read(reader, table.size());
  Buffer<uint64_t> slots;
  reader.take_any(slots);
  return !slots.empty();
}

template <class K>
class Model {
 public:
  void insert(const K& key) {
    auto [known, is_new] = numbers_.emplace(key, static_cast<uint32_t>(numbers_.size()));
    agrees_ &= table_.insert(hash_of(key), key) == std::pair(known->second, is_new);
  }
  void find(const K& key) { agrees_ &= finds(table_, key); }
  // The table, and the same table read from a batch.
  bool agrees() const {
    BatchMemory memory = heapspan::detail::write_batch(table_);
    KeyTable<K> copy;
    heapspan::detail::read_batch(copy, memory.data(), memory.size() * sizeof(uint64_t));
    bool all = agrees_ && table_.size() == numbers_.size() && copy.size() == numbers_.size();
    for (const auto& [key, number] : numbers_) {
      all &= finds(table_, key) && finds(copy, key) && table_.keys()[number] == key;
    }
    size_t next = 0;
    table_.each_hashed(table_.keys(),
                       [&](size_t row, uint64_t hash) { all &= row == next++ && hash == hash_of(table_.keys()[row]); });
    return all && next == table_.size() && has_positions();
  }
  const KeyTable<K>& table() const { return table_; }

 private:
  // Whether each key is at one position; those of an array in their order, the others in that in which they came.
  bool has_positions() const {
    std::vector<int64_t> found;
    for (size_t i = 0; i < table_.positions(); i++) {
      if (int64_t number = table_.number_at(i); number >= 0) {
        found.push_back(number);
      }
    }
    std::vector<int64_t> expected;
    if (has_slots(table_)) {
      expected.resize(numbers_.size());
      std::iota(expected.begin(), expected.end(), 0);
    } else {
      for (const auto& [key, number] : numbers_) {
        expected.push_back(number);
      }
    }
    return found == expected;
  }
  bool finds(const KeyTable<K>& table, const K& key) const {
    auto known = numbers_.find(key);
    return table.find(hash_of(key), key) == (known == numbers_.end() ? -1 : static_cast<int64_t>(known->second));
  }

  std::map<K, uint32_t> numbers_;
  KeyTable<K> table_;
  bool agrees_ = true;
};

// Keys around a middle, then others far from it, then many around it again.
template <class K>
void numbers(uint64_t seed, K middle) {
  Random random(seed);
  auto any = [&] { return static_cast<K>(random()); };
  auto near = [&](uint64_t width) {
    return static_cast<K>(static_cast<uint64_t>(middle) + random() % width - width / 2);
  };
  // Otherwise some keys are the least numbers there are, and others the largest.
  auto distance = [](K a, K b) { return static_cast<uint64_t>(a) - static_cast<uint64_t>(b); };
  bool in_one_place = distance(middle, std::numeric_limits<K>::min()) > 100000 &&
                      distance(std::numeric_limits<K>::max(), middle) > 100000;
  Model<K> model;
  auto add = [&](int count, auto&& next) {
    for (int i = 0; i < count; i++) {
      model.insert(next());
      model.find(next());
      model.find(any());
    }
  };
  add(20, [&] { return near(60); });
  CHECK(!has_slots(model.table()) || !in_one_place);
  add(3000, [&] { return near(2000); });
  CHECK(model.agrees());
  CHECK(!has_slots(model.table()) || !in_one_place);
  add(20000, [&] { return near(20000); });
  CHECK(model.agrees());
  CHECK(!has_slots(model.table()) || !in_one_place);
  add(100, any);
  CHECK(model.agrees());
  CHECK(has_slots(model.table()) || !in_one_place);
  add(50000, [&] { return near(100000); });
  model.insert(std::numeric_limits<K>::min());
  model.insert(std::numeric_limits<K>::max());
  model.find(std::numeric_limits<K>::min());
  CHECK(model.agrees());
}

template <class K>
void small_numbers() {
  Random random(1);
  Model<K> model;
  for (int i = 0; i < 3000; i++) {
    model.insert(static_cast<K>(random()));
    model.find(static_cast<K>(random()));
  }
  CHECK(model.table().size() == 256);
  CHECK(model.agrees());
}

// Rising and falling keys find room on their side again and again.
void sequences() {
  for (int step : {1, 3, 6, -1, -3, -6}) {
    Model<int32_t> model;
    for (int i = 0; i < 50000; i++) {
      model.insert(i * step);
      model.find(i * step + 1);
      model.find((i + 1) * step);
    }
    CHECK(!has_slots(model.table()));
    CHECK(model.agrees());
  }
  Model<int32_t> far;
  for (int i = 0; i < 50000; i++) {
    far.insert(i * 64);
  }
  CHECK(has_slots(far.table()));
  CHECK(far.agrees());
}

void other_keys() {
  Random random(3);
  Model<std::string> texts;
  Model<std::pair<int, int>> pairs;
  for (int i = 0; i < 20000; i++) {
    auto next = [&] { return static_cast<int>(random() % 6000); };
    texts.insert(std::to_string(next()));
    texts.find(std::to_string(next()));
    pairs.insert({next() % 80, next() % 80});
    pairs.find({next() % 80, next() % 80});
  }
  CHECK(texts.agrees());
  CHECK(pairs.agrees());
}

// Of damaged bytes, a table is refused, or has no other keys than those that it says, and each search ends.
template <class K>
void damaged(const std::vector<K>& keys) {
  KeyTable<K> table;
  for (const K& key : keys) {
    table.insert(hash_of(key), key);
  }
  BatchMemory memory = heapspan::detail::write_batch(table);
  size_t bytes = memory.size() * sizeof(uint64_t);
  int refused = 0;
  int accepted = 0;
  for (size_t byte = 0; byte < bytes; byte++) {
    for (int bit = 0; bit < 8; bit++) {
      std::vector<uint64_t> copy(memory.begin(), memory.end());
      reinterpret_cast<unsigned char*>(copy.data())[byte] ^= static_cast<unsigned char>(1 << bit);
      KeyTable<K> read;
      try {
        heapspan::detail::read_batch(read, copy.data(), bytes);
      } catch (const heapspan::Error&) {
        refused++;
        continue;
      }
      accepted++;
      for (const K& key : keys) {
        CHECK(read.find(hash_of(key), key) < static_cast<int64_t>(read.size()));
      }
    }
  }
  CHECK(refused > 100);
  CHECK(accepted > 100);
}

// A slot has 32 bits for the number of a key and 1.
void largest_table() {
  using Table = KeyTable<std::string>;
  CHECK(Table::is_full(0, 0) && !Table::is_full(0, 64) && Table::is_full(32, 64));
  CHECK(!Table::is_full(Table::most_keys - 1, Table::most_slots));
  CHECK(Table::is_full(Table::most_keys, Table::most_slots));
}

}  // namespace

int main() {
  largest_table();
  numbers<uint32_t>(1, 1 << 20);
  numbers<uint32_t>(2, 0);
  numbers<uint32_t>(3, UINT32_MAX);
  numbers<int32_t>(4, 0);
  numbers<int32_t>(5, INT32_MIN);
  numbers<int64_t>(6, -7);
  numbers<int64_t>(7, INT64_MAX);
  numbers<uint64_t>(8, uint64_t{1} << 63);
  numbers<uint16_t>(9, 30000);
  small_numbers<int8_t>();
  small_numbers<unsigned char>();
  sequences();
  other_keys();
  std::vector<uint32_t> close;
  std::vector<uint32_t> far;
  for (uint32_t i = 0; i < 60; i++) {
    close.push_back(100 + i * 2);
    far.push_back(i * 10007);
  }
  damaged(close);
  damaged(far);
  return heapspan::testing::check_result("table_test");
}
