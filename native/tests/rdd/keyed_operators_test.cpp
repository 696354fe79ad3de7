#include <cmath>
#include <limits>
#include <numeric>

#include "operators_test.h"

// Operators that bring equal keys together, joins and sorts.

using heapspan::Context;
using heapspan::testing::LocalDriver;
using heapspan::testing::LocalOptions;
using heapspan::testing::sorted;
using heapspan::testing::sorted_elements;

HEAPSPAN_MAIN(context, args) {}

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

void by_key(Context& context) {
  std::vector<std::pair<std::string, int>> rows;
  std::map<std::string, std::vector<int>> groups;
  std::map<std::string, int> sums;
  for (int i = 0; i < 30000; i++) {
    std::string key = "key " + std::to_string(i % 4999);
    rows.emplace_back(key, i);
    groups[key].push_back(i);
    sums[key] += i;
  }
  auto pairs = context.parallelize(rows, 4);
  std::vector<std::pair<std::string, int>> expected(sums.begin(), sums.end());
  auto plus = [](int a, int b) { return a + b; };
  CHECK(sorted_elements(pairs.reduce_by_key(plus)) == expected);
  CHECK(sorted_elements(pairs.reduce_by_key(plus, 1)) == expected);
  CHECK(sorted_elements(pairs.fold_by_key(0, plus, 7)) == expected);
  // Divided already: no second shuffle, the same result.
  auto divided = pairs.partition_by(5);
  CHECK(divided.partition_count() == 5);
  // 0 is as for the other operators: the partitions of the input, which are left as they are if they are divided.
  CHECK(pairs.partition_by(0).partition_count() == 4 && divided.partition_by(0).partition_count() == 5);
  CHECK(sorted_elements(pairs.partition_by(0).reduce_by_key(plus)) == expected);
  CHECK(sorted_elements(divided.reduce_by_key(plus)) == expected);
  // Aggregates of another type, one that owns memory.
  auto texts = pairs.aggregate_by_key(
      std::string(), [](const std::string& text, int value) { return text + std::to_string(value % 10); },
      [](const std::string& a, const std::string& b) { return a + b; });
  int64_t digits = 0;
  for (const auto& [key, text] : texts.collect()) {
    digits += static_cast<int64_t>(text.size());
    CHECK(text.size() == groups[key].size());
  }
  CHECK(digits == 30000);
  auto means = pairs.combine_by_key(
      [](int value) { return std::pair(1L, static_cast<double>(value)); },
      [](const auto& mean, int value) { return std::pair(mean.first + 1, mean.second + value); },
      [](const auto& a, const auto& b) { return std::pair(a.first + b.first, a.second + b.second); });
  for (const auto& [key, mean] : means.collect()) {
    CHECK(mean.second == sums[key] && mean.first == static_cast<long>(groups[key].size()));
  }

  auto grouped = pairs.group_by_key().collect();
  CHECK(grouped.size() == groups.size());
  for (const auto& [key, values] : grouped) {
    CHECK(sorted(values) == groups[key]);
  }
  CHECK(pairs.distinct().count() == 30000);
  CHECK(sorted_elements(pairs.keys().distinct(2)).size() == 4999);
  CHECK(sorted_elements(context.parallelize(std::vector<int>{3, 1, 3, 2, 1}).distinct()) ==
        (std::vector<int>{1, 2, 3}));
  CHECK(pairs.values().map([](int x) { return static_cast<long>(x); }).sum() == 30000L * 29999 / 2);
  CHECK(pairs.count_by_key().at("key 7") == static_cast<int64_t>(groups["key 7"].size()));
  CHECK(sorted(pairs.lookup("key 7")) == groups["key 7"]);
  CHECK(sorted(divided.lookup(std::string("key 7"))) == groups["key 7"]);
  CHECK(pairs.lookup("none").empty());
  auto flat = pairs.filter([](const auto& pair) { return pair.second < 3; }).flat_map_values([](int value) {
    return std::vector<int>(static_cast<size_t>(value), value);
  });
  CHECK(flat.collect() == (std::vector<std::pair<std::string, int>>{{"key 1", 1}, {"key 2", 2}, {"key 2", 2}}));
}

void joins(Context& context) {
  std::vector<std::pair<int, std::string>> left;
  std::vector<std::pair<int, double>> right;
  for (int i = 0; i < 12000; i++) {
    left.emplace_back(i % 5000, "left " + std::to_string(i));
    right.emplace_back(2500 + i % 4000, i * 0.5);
  }
  using Left = std::optional<std::string>;
  using Right = std::optional<double>;
  std::vector<std::pair<int, std::pair<Left, Right>>> full;
  std::vector<std::pair<int, std::string>> alone;
  std::map<int, std::vector<std::string>> left_of;
  std::map<int, std::vector<double>> right_of;
  for (const auto& [key, value] : left) {
    left_of[key].push_back(value);
  }
  for (const auto& [key, value] : right) {
    right_of[key].push_back(value);
  }
  for (int key = 0; key < 7000; key++) {
    for (const auto& value : left_of[key]) {
      for (double other : right_of[key]) {
        full.push_back({key, {value, other}});
      }
      if (right_of[key].empty()) {
        full.push_back({key, {value, std::nullopt}});
        alone.emplace_back(key, value);
      }
    }
    if (left_of[key].empty()) {
      for (double other : right_of[key]) {
        full.push_back({key, {std::nullopt, other}});
      }
    }
  }
  full = sorted(full);
  auto expected = [&](bool keep_left, bool keep_right) {
    auto rows = full;
    std::erase_if(rows, [&](const auto& row) {
      return (!keep_left && !row.second.second) || (!keep_right && !row.second.first);
    });
    return rows;
  };
  auto a = context.parallelize(left, 3);
  auto b = context.parallelize(right, 5);
  CHECK(sorted_elements(a.join(b).map([](const auto& row) {
          return std::pair<int, std::pair<Left, Right>>(row.first, {std::string(row.second.first), row.second.second});
        })) == expected(false, false));
  auto count = [&](const auto& rdd) { return static_cast<size_t>(rdd.count()); };
  auto left_outer = a.left_outer_join(b, 4);
  CHECK(count(left_outer) == expected(true, false).size());
  CHECK(left_outer.filter([](const auto& row) { return !row.second.second; }).count() ==
        static_cast<int64_t>(alone.size()));
  auto right_outer = a.right_outer_join(b);
  CHECK(count(right_outer) == expected(false, true).size());
  CHECK(sorted_elements(a.full_outer_join(b)) == full);
  CHECK(sorted_elements(a.subtract_by_key(b)) == sorted(alone));
  CHECK(count(b.subtract_by_key(a)) + expected(false, false).size() ==
        static_cast<size_t>(a.right_outer_join(b, 1).count()));

  size_t keys = 0;
  for (const auto& [key, groups] : a.cogroup(b).collect()) {
    keys++;
    CHECK(sorted(groups.first) == sorted(left_of[key]));
    CHECK(sorted(groups.second) == sorted(right_of[key]));
  }
  CHECK(keys == 6500);
  // Divided in the same way: the join shuffles neither side.
  auto together = a.partition_by(4).join(b.partition_by(4));
  CHECK(together.partition_count() == 4 && count(together) == expected(false, false).size());
}

// The second join keeps the table, and the third one reads it. All give what the first one gives.
void kept_tables(Context& context) {
  std::vector<std::pair<std::string, int>> rows;
  std::vector<std::pair<std::string, double>> others;
  for (int i = 0; i < 9000; i++) {
    rows.emplace_back("key " + std::to_string(i % 4000), i);
    others.emplace_back("key " + std::to_string(2000 + i % 5000), i * 0.5);
  }
  auto fresh = context.parallelize(rows, 3).partition_by(2);
  auto kept = fresh.persist();
  auto streamed = context.parallelize(others, 2).partition_by(2);
  for (int turn = 0; turn < 3; turn++) {
    CHECK(kept.join(streamed).collect() == fresh.join(streamed).collect());
    CHECK(kept.left_outer_join(streamed).collect() == fresh.left_outer_join(streamed).collect());
    CHECK(kept.right_outer_join(streamed).collect() == fresh.right_outer_join(streamed).collect());
    CHECK(kept.full_outer_join(streamed).collect() == fresh.full_outer_join(streamed).collect());
  }
  auto empty = kept.filter([](const auto&) { return false; }).partition_by(2).persist();
  for (int turn = 0; turn < 3; turn++) {
    CHECK(empty.join(streamed).count() == 0);
    CHECK(empty.right_outer_join(streamed).count() == 9000);
  }
}

// What joins of a persisted side read after the second one.
void what_later_joins_read(const LocalOptions& options, bool keeps) {
  LocalDriver driver(heapspan_program_table(), options);
  Context context(driver.table());
  std::vector<std::pair<int, int>> rows;
  for (int i = 0; i < 30000; i++) {
    rows.emplace_back(i, -i);
  }
  auto counter = context.accumulator<int64_t>("rows");
  heapspan::Rdd<std::pair<int, int>> kept = context.parallelize(rows, 2)
                                                .partition_by(2)
                                                .map_values(
                                                    [](int value, const auto& rows_counter) {
                                                      rows_counter.add(1);
                                                      return value;
                                                    },
                                                    counter)
                                                .persist();
  auto forget_rows = [&] {
    // As if Spark had dropped them: they are computed again if something reads them.
    int64_t handle = kept.plan().nodes[0]->handle();
    CHECK(driver.table()->unpersist(driver.table()->self, handle) == HEAPSPAN_OK);
    CHECK(driver.table()->persist(driver.table()->self, handle, HEAPSPAN_MEMORY) == HEAPSPAN_OK);
  };
  auto tables = [&] { return std::count(driver.operators().begin(), driver.operators().end(), "join table"); };
  auto other = context.parallelize(rows, 3).partition_by(2);
  auto rows_of_a_build = [&] {
    forget_rows();
    int64_t before = counter.value();
    CHECK(kept.join(other).count() == 30000);
    return counter.value() - before;
  };
  CHECK(rows_of_a_build() == 30000 && tables() == 0);
  CHECK(rows_of_a_build() == 30000 && tables() == 1);
  CHECK(rows_of_a_build() == (keeps ? 0 : 30000) && tables() == 1);
  kept.unpersist();
  CHECK(kept.join(other).count() == 30000 && kept.join(other).count() == 30000 && tables() == 1);
  kept = kept.persist();
  CHECK(rows_of_a_build() == 30000 && rows_of_a_build() == 30000 && tables() == 2);
}

// No damaged table leads outside of its memory, or goes on without end.
void damaged_tables() {
  using Table = heapspan::detail::JoinTable<std::string, int>;
  Table table;
  for (int i = 0; i < 40; i++) {
    std::string key = "key " + std::to_string(i % 17);
    table.push(heapspan::detail::hash_of(key), key, i);
  }
  heapspan::detail::BatchMemory good = heapspan::detail::write_batch(table);
  int refused = 0;
  for (size_t word = 0; word < good.size(); word++) {
    for (uint64_t change : {uint64_t{1}, uint64_t{1} << 32, ~uint64_t{0}}) {
      heapspan::detail::BatchMemory damaged;
      damaged.append(good.data(), good.size());
      damaged[word] ^= change;
      try {
        Table read;
        heapspan::detail::read_batch(read, damaged.data(), damaged.size() * sizeof(uint64_t));
        size_t seen = 0;
        read.each_row([&](std::string_view key, int) { seen += key.size(); });
        CHECK(seen < 100000);
        for (int i = 0; i < 20; i++) {
          std::string key = "key " + std::to_string(i);
          int64_t number = read.find(heapspan::detail::hash_of(key), key);
          CHECK(number < 17);
        }
      } catch (const std::exception&) {
        refused++;
      }
    }
  }
  CHECK(refused > 100);
}

void sorting(Context& context) {
  std::vector<std::pair<std::string, int>> rows;
  for (int i = 0; i < 20000; i++) {
    rows.emplace_back("common prefix " + std::to_string(i * 7919 % 6007), i);
  }
  auto pairs = context.parallelize(rows, 5);
  auto by_key = [](const auto& a, const auto& b) { return a.first < b.first; };
  auto ascending = pairs.sort_by_key().collect();
  CHECK(std::is_sorted(ascending.begin(), ascending.end(), by_key));
  CHECK(sorted(ascending) == sorted(rows));
  auto descending = pairs.sort_by_key(false, 3).collect();
  CHECK(std::is_sorted(descending.rbegin(), descending.rend(), by_key));
  CHECK(sorted(descending) == sorted(rows));
  // Several partitions have a share of the rows.
  auto sizes = pairs.sort_by_key(true, 4)
                   .map_partitions([](const auto& part) { return std::vector<size_t>{part.size()}; })
                   .collect();
  CHECK(sizes.size() == 4 && *std::min_element(sizes.begin(), sizes.end()) > 2000);

  auto doubles =
      context.parallelize(std::vector<double>{3, nan, -0.0, -1, 0.0, std::numeric_limits<double>::infinity(), -nan}, 2);
  auto ordered = doubles.sort_by([](double x) { return x; }).collect();
  CHECK(ordered.size() == 7 && ordered[0] == -1 && std::signbit(ordered[1]) && ordered[1] == 0 &&
        !std::signbit(ordered[2]) && ordered[3] == 3 && std::isinf(ordered[4]) && std::isnan(ordered[5]) &&
        std::isnan(ordered[6]));
  CHECK(context.parallelize(std::vector<int>{2, -3, 1}, 2).sort_by_descending([](int x) { return x; }).collect() ==
        (std::vector<int>{2, 1, -3}));
  using Bytes = std::array<unsigned char, 10>;
  std::vector<std::pair<Bytes, int>> records;
  for (int i = 0; i < 500; i++) {
    Bytes bytes = {};
    bytes[static_cast<size_t>(i % 10)] = static_cast<unsigned char>(i * 31);
    records.emplace_back(bytes, i);
  }
  auto sorted_records = context.parallelize(records, 3).sort_by_key().keys().collect();
  CHECK(std::is_sorted(sorted_records.begin(), sorted_records.end()));
  CHECK(context.parallelize(std::vector<std::pair<int, int>>(), 3).sort_by_key().count() == 0);
}

// What aggregates own is counted, also within what they own, so that they are spilled before memory is short.
void memory_of_aggregates() {
  using heapspan::detail::heap_bytes;
  std::string text(1000, 'x');
  CHECK(heap_bytes(7) == 0 && heap_bytes(std::pair(1, 2.0)) == 0 && heap_bytes(std::string("x")) == 0);
  CHECK(heap_bytes(text) >= 1000 && heap_bytes(text) < 1100);
  for (size_t count : {3, 8, 15, 1000}) {
    auto is_all = [&](size_t bytes) { return bytes >= count * 1000 && bytes < count * 1300; };
    std::map<int, std::string> map;
    for (size_t i = 0; i < count; i++) {
      map.emplace(static_cast<int>(i), text);
    }
    CHECK(is_all(heap_bytes(std::vector<std::string>(count, text))));
    CHECK(is_all(heap_bytes(map)));
    CHECK(is_all(heap_bytes(std::vector<std::vector<char>>(count, std::vector<char>(1000)))));
    CHECK(is_all(heap_bytes(std::optional(std::pair(1, std::vector<std::string>(count, text))))));
  }
  CHECK(heap_bytes(std::map<int, int>{{1, 1}, {2, 2}}) < 200);
  CHECK(heap_bytes(std::array<std::string, 2>{text, text}) >= 2000);

  // 2000 texts of 1000 bytes, in 20 lists.
  std::vector<std::pair<int, int>> rows;
  for (int i = 0; i < 2000; i++) {
    rows.emplace_back(i % 20, i);
  }
  LocalDriver driver(heapspan_program_table(), {.memory_bytes = 1 << 20});
  Context context(driver.table());
  auto lists = context.parallelize(rows, 1)
                   .combine_by_key(
                       [](int value) {
                         return std::vector<std::string>{std::string(1000, static_cast<char>('a' + value % 26))};
                       },
                       [](std::vector<std::string> list, int value) {
                         list.emplace_back(1000, static_cast<char>('a' + value % 26));
                         return list;
                       },
                       [](std::vector<std::string> list, const std::vector<std::string>& other) {
                         list.insert(list.end(), other.begin(), other.end());
                         return list;
                       },
                       1)
                   .map([](const auto& pair) { return pair.second.size(); })
                   .collect();
  CHECK(lists == std::vector<size_t>(20, 100));
  CHECK(driver.counters().refusals > 0);
}

// A sort has memory for a part of its rows, so that each of its runs has several blocks.
void long_runs() {
  LocalDriver driver(heapspan_program_table(), {.memory_bytes = 1 << 20});
  Context context(driver.table());
  std::vector<std::pair<int, std::string>> rows;
  for (int i = 0; i < 6000; i++) {
    rows.emplace_back(i * 7919 % 6000, std::string(500, 'x'));
  }
  std::vector<int> expected(6000);
  std::iota(expected.begin(), expected.end(), 0);
  auto sorted_rows = context.parallelize(rows, 1).sort_by_key(true, 1);
  int64_t before = driver.counters().spills;
  CHECK(sorted_rows.keys().collect() == expected);
  CHECK(driver.counters().spills > before + 1);
}

void all(Context& context) {
  by_key(context);
  joins(context);
  kept_tables(context);
  sorting(context);
}

// Nobody takes what a stage emits before its call ends, so a call may not emit without bound.
void emits_in_parts() {
  constexpr uint64_t most_bytes = 8 << 20;
  LocalDriver driver(heapspan_program_table(), {});
  {
    Context context(driver.table());
    std::vector<std::pair<int, double>> of_one_key(1000, {1, 2.0});
    auto one = context.parallelize(of_one_key, 1);
    CHECK(one.join(one, 1).collect().size() == 1'000'000);

    // Within the rows of one key, too: one streamed row matches all of them, or none does.
    using Numbers = std::array<int64_t, 8>;
    constexpr size_t count = 200'000;
    std::vector<std::pair<int, Numbers>> numbered(count);
    for (size_t i = 0; i < count; i++) {
      numbered[i] = {1, {static_cast<int64_t>(i)}};
    }
    auto built = context.parallelize(numbered, 1);
    auto streamed = context.parallelize(std::vector<std::pair<int, int>>{{2, 0}, {1, 1}, {1, 2}}, 1);
    auto matches = built.right_outer_join(streamed, 1).collect();
    CHECK(matches.size() == 1 + 2 * count && !matches[0].second.first);
    for (size_t i = 1; i < matches.size(); i++) {
      CHECK((*matches[i].second.first)[0] == static_cast<int64_t>((i - 1) % count));
      CHECK(matches[i].second.second == (i <= count ? 1 : 2));
    }
    auto alone = built.left_outer_join(streamed.filter([](const auto& row) { return row.first == 2; }), 1).collect();
    CHECK(alone.size() == count);
    for (size_t i = 0; i < alone.size(); i++) {
      CHECK(alone[i].second.first[0] == static_cast<int64_t>(i) && !alone[i].second.second);
    }

    std::vector<std::pair<int, double>> of_many_keys;
    for (int i = 0; i < 600'000; i++) {
      of_many_keys.emplace_back(i, 1.0);
    }
    auto many = context.parallelize(of_many_keys, 1);
    auto unmatched = many.left_outer_join(context.parallelize(std::vector<std::pair<int, double>>{{7, 7.0}}, 1), 1);
    CHECK(unmatched.collect().size() == 600'000);

    auto texts = context.parallelize(of_many_keys, 1).map([](const auto& pair) {
      return std::pair(pair.first % 10'000, std::string(20, 'x'));
    });
    CHECK(texts.group_by_key(1).collect().size() == 10'000);
    auto merged = texts.reduce_by_key([](const std::string& a, const std::string& b) { return a + b; }, 1);
    CHECK(merged.collect().size() == 10'000);

    // The stage that merges what was divided before, without a shuffle.
    auto divided = many.partition_by(1);
    auto merge = [](const Numbers& a, const Numbers& b) { return Numbers{a[0] + b[0]}; };
    auto sums = divided.aggregate_by_key(
        Numbers(), [](const Numbers& sum, double x) { return Numbers{sum[0] + static_cast<int64_t>(x)}; }, merge);
    CHECK(sums.filter([](const auto& sum) { return sum.second[0] == 1; }).count() == 600'000);
    auto large = context.parallelize(of_many_keys, 1)
                     .filter([](const auto& pair) { return pair.first < 16'000; })
                     .map_values([](double) { return std::string(1000, 'x'); });
    CHECK(large.sort_by_key(true, 1).persist().count() == 16'000);
    // The first rows with some others: a row that is large is emitted a thousand times.
    of_many_keys.resize(1000);
    auto few = large.filter([](const auto& pair) { return pair.first < 30; });
    int number = 0;
    for (const auto& [left, right] : few.cartesian(context.parallelize(of_many_keys, 1)).collect()) {
      CHECK(left.first == number / 1000 && right.first == number % 1000);
      number++;
    }
    CHECK(number == 30'000);
  }
  CHECK(driver.counters().most_bytes_emitted > most_bytes / 4);
  CHECK(driver.counters().most_bytes_emitted < most_bytes);
}

// Operators with tables give out their keys in another order where memory is refused; the host must know.
void orders_that_depend_on_memory() {
  constexpr int32_t reads = HEAPSPAN_READS_ORDER;
  constexpr int32_t varies = HEAPSPAN_VARIES_ORDER;
  constexpr int32_t reads_varied = HEAPSPAN_READS_VARIED_ORDER;
  LocalDriver driver(heapspan_program_table(), {});
  Context context(driver.table());
  auto divided = context.parallelize(std::vector<std::pair<int, int>>{{1, 2}, {3, 4}}, 2).partition_by(2);
  auto order_of = [&](const auto& rdd) {
    rdd.collect();
    return driver.orders().back();
  };
  auto plus = [](int a, int b) { return a + b; };
  CHECK(order_of(divided.map_values([](int x) { return x; })) == 0);
  CHECK(order_of(divided.sort_by_key(true, 1)) == 0);
  CHECK(order_of(divided.reduce_by_key(plus)) == varies);
  CHECK(order_of(divided.group_by_key()) == varies);
  CHECK(order_of(divided.cogroup(divided)) == varies);
  CHECK(order_of(divided.join(divided).keys()) == varies);
  CHECK(order_of(divided.sample(false, 0.5)) == reads);
  CHECK(order_of(divided.reduce_by_key(plus).sample(false, 0.5)) == (reads | varies | reads_varied));
  CHECK(order_of(divided.join(divided).zip_with_index()) == (reads | varies | reads_varied));
  divided.reduce_by_key(plus).repartition(3);
  CHECK(driver.orders().back() == (reads | varies | reads_varied));
  // The stage that combines reads the order before it makes another one, and what reads its result does not read that.
  divided.sample(false, 0.5).reduce_by_key(plus).collect();
  CHECK(driver.orders().size() > 2 && driver.orders().end()[-2] == (reads | varies) &&
        driver.orders().back() == varies);
  // zip reads its inputs as they are.
  CHECK(order_of(divided.group_by_key().zip(divided.group_by_key())) == reads);
}

}  // namespace

int main() {
  heapspan::testing::run_with_and_without_memory(&all, 30);
  what_later_joins_read({}, true);
  what_later_joins_read({.memory_bytes = 0}, false);
  what_later_joins_read({.free_storage_bytes = 100000}, false);
  damaged_tables();
  memory_of_aggregates();
  long_runs();
  emits_in_parts();
  orders_that_depend_on_memory();
  return heapspan::testing::check_result("keyed_operators_test");
}
