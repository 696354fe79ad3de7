#include <heapspan/rdd.hpp>

#include <cinttypes>

#include "../check.h"
#include "local_driver.h"

// Random chains of operators against a model that keeps all rows in a vector. The argument, if any, is the number of
// chains; the seeds are 0, 1, 2 and so on.

using heapspan::Context;
using heapspan::Rdd;
using heapspan::detail::Random;
using heapspan::testing::LocalDriver;

HEAPSPAN_MAIN(context, args) {}

namespace {

using Row = std::pair<int64_t, std::string>;
using Rows = std::vector<Row>;

std::map<int64_t, std::vector<std::string>> grouped(const Rows& rows) {
  std::map<int64_t, std::vector<std::string>> groups;
  for (const auto& [key, value] : rows) {
    groups[key].push_back(value);
  }
  return groups;
}

// The same operator on the Rdd and on the model.
struct Chain {
  Rdd<Row> rdd;
  Rows rows;
  std::string name;
};

Chain random_source(Context& context, Random& random) {
  Rows rows(random.next_below(1500));
  for (auto& [key, value] : rows) {
    key = static_cast<int64_t>(random.next_below(1 + random.next_below(400))) - 20;
    value = std::string(random.next_below(300), static_cast<char>('a' + random.next_below(26)));
  }
  return {context.parallelize(rows, static_cast<int32_t>(1 + random.next_below(5))), rows, "source"};
}

Chain next(const Chain& chain, const Chain& other, Random& random) {
  const Rdd<Row>& rdd = chain.rdd;
  const Rows& rows = chain.rows;
  auto partitions = static_cast<int32_t>(random.next_below(5));
  Chain result;
  switch (random.next_below(18)) {
    case 0: {
      auto by = static_cast<int64_t>(random.next_below(7)) + 1;
      result = {rdd.map([](const Row& row, int64_t b) { return Row(row.first / b, row.second); }, by), rows, "map"};
      for (auto& row : result.rows) {
        row.first /= by;
      }
      break;
    }
    case 1:
      result = {rdd.filter([](const auto& row) { return row.first % 3 != 0; }), rows, "filter"};
      std::erase_if(result.rows, [](const Row& row) { return row.first % 3 == 0; });
      break;
    case 2:
      result = {rdd.flat_map([](const auto& row) {
                  return std::vector<Row>(static_cast<size_t>(row.first & 1) * 2, Row(row.first, row.second));
                }),
                {},
                "flat_map"};
      for (const auto& row : rows) {
        result.rows.insert(result.rows.end(), static_cast<size_t>(row.first & 1) * 2, row);
      }
      break;
    case 3:
      result = {rdd.map_values([](std::string_view value) { return std::string(value) + "+"; }), rows, "map_values"};
      for (auto& row : result.rows) {
        row.second += "+";
      }
      break;
    case 4:
      result = {
          rdd.reduce_by_key([](const std::string& a, const std::string& b) { return std::max(a, b); }, partitions),
          {},
          "reduce_by_key"};
      for (const auto& [key, values] : grouped(rows)) {
        result.rows.emplace_back(key, *std::max_element(values.begin(), values.end()));
      }
      break;
    case 5:
      result = {
          rdd.group_by_key(partitions).map_values([](const auto& values) { return std::to_string(values.size()); }),
          {},
          "group_by_key"};
      for (const auto& [key, values] : grouped(rows)) {
        result.rows.emplace_back(key, std::to_string(values.size()));
      }
      break;
    case 6: {
      result = {rdd.distinct(partitions), rows, "distinct"};
      std::sort(result.rows.begin(), result.rows.end());
      result.rows.erase(std::unique(result.rows.begin(), result.rows.end()), result.rows.end());
      break;
    }
    case 7:
      result = {rdd.union_with(other.rdd), rows, "union_with"};
      result.rows.insert(result.rows.end(), other.rows.begin(), other.rows.end());
      break;
    case 8: {
      result = {rdd.join(other.rdd, partitions).map_values([](const auto& both) {
                  return std::string(both.first.substr(0, 2)) + std::string(both.second);
                }),
                {},
                "join"};
      auto groups = grouped(other.rows);
      for (const auto& [key, value] : rows) {
        for (const auto& second : groups[key]) {
          result.rows.emplace_back(key, value.substr(0, 2) + second);
        }
      }
      break;
    }
    case 9: {
      result = {rdd.full_outer_join(other.rdd, partitions).map_values([](const auto& both) {
                  return both.first && both.second ? "both" : both.first ? "left" : "right";
                }),
                {},
                "full_outer_join"};
      auto left = grouped(rows);
      auto right = grouped(other.rows);
      for (const auto& [key, value] : rows) {
        result.rows.insert(result.rows.end(), std::max<size_t>(right[key].size(), 1),
                           Row(key, right[key].empty() ? "left" : "both"));
      }
      for (const auto& [key, value] : other.rows) {
        if (left[key].empty()) {
          result.rows.emplace_back(key, "right");
        }
      }
      break;
    }
    case 10: {
      result = {rdd.subtract_by_key(other.rdd, partitions), rows, "subtract_by_key"};
      auto right = grouped(other.rows);
      std::erase_if(result.rows, [&](const Row& row) { return right.count(row.first) != 0; });
      break;
    }
    case 11: {
      result = {rdd.cogroup(other.rdd, partitions).map_values([](const auto& both) {
                  return std::to_string(both.first.size()) + "/" + std::to_string(both.second.size());
                }),
                {},
                "cogroup"};
      auto left = grouped(rows);
      auto right = grouped(other.rows);
      for (const auto& [key, values] : right) {
        left[key];
      }
      for (const auto& [key, values] : left) {
        result.rows.emplace_back(key, std::to_string(values.size()) + "/" + std::to_string(right[key].size()));
      }
      break;
    }
    case 12:
      result = {rdd.sort_by_key(random.next_below(2) == 0, partitions), rows, "sort_by_key"};
      break;
    case 13:
      result = {rdd.repartition(partitions + 1), rows, "repartition"};
      break;
    case 14:
      result = {rdd.coalesce(partitions + 1), rows, "coalesce"};
      break;
    case 15:
      result = {rdd.partition_by(partitions + 1), rows, "partition_by"};
      break;
    case 16:
      result = {rdd.persist(), rows, "persist"};
      break;
    default:
      result = {rdd.combine_by_key(
                       [](std::string_view value) { return static_cast<int64_t>(value.size()); },
                       [](int64_t sum, std::string_view value) { return sum + static_cast<int64_t>(value.size()); },
                       [](int64_t a, int64_t b) { return a + b; }, partitions)
                    .map_values([](int64_t sum) { return std::to_string(sum); }),
                {},
                "combine_by_key"};
      for (const auto& [key, values] : grouped(rows)) {
        size_t sum = 0;
        for (const auto& value : values) {
          sum += value.size();
        }
        result.rows.emplace_back(key, std::to_string(sum));
      }
      break;
  }
  result.name = chain.name + ", " + result.name + "(" + std::to_string(partitions) + ")";
  return result;
}

void run_chain(uint64_t seed) {
  Random random(seed);
  uint64_t memories[] = {UINT64_MAX, 0, 400 << 10, 2 << 20};
  LocalDriver driver(heapspan_program_table(), {.default_parallelism = 2, .memory_bytes = memories[seed % 4]});
  {
    Context context(driver.table());
    std::vector<Chain> chains{random_source(context, random), random_source(context, random)};
    uint64_t length = 1 + random.next_below(6);
    for (uint64_t i = 0; i < length; i++) {
      const Chain& one = chains[random.next_below(chains.size())];
      const Chain& other = chains[random.next_below(chains.size())];
      Chain result = next(one, other, random);
      Rows actual = result.rdd.collect();
      Rows expected = result.rows;
      bool same_order = actual == expected;
      std::sort(actual.begin(), actual.end());
      std::sort(expected.begin(), expected.end());
      if (!same_order && actual != expected) {
        std::fprintf(stderr, "seed %" PRIu64 ": %s: %zu rows, expected %zu\n", seed, result.name.c_str(), actual.size(),
                     expected.size());
      }
      CHECK(actual == expected);
      if (result.rows.size() < 20000) {
        chains.push_back(result);
      }
    }
  }
  CHECK(driver.counters().batches_lent == driver.counters().batches_released);
  CHECK(driver.counters().bytes_reserved == driver.counters().bytes_released);
  CHECK(driver.counters().nodes_made == driver.counters().nodes_released);
}

}  // namespace

int main(int argument_count, char** arguments) {
  uint64_t chains = argument_count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 60;
  for (uint64_t seed = 0; seed < chains; seed++) {
    run_chain(seed);
  }
  return heapspan::testing::check_result("random_chains_test");
}
