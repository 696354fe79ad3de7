// Chains of operators that NativeChains draws and compares with the same chains of Java's RDDs. Each argument is a chain: its
// steps, parted by semicolons. A step is "operator,one,other,partitions,number": what it works on are the numbers of the sources,
// which come first, and of earlier steps. The rows of the last step of all chains are the result, each with the number of its
// chain.

#include <heapspan/rdd.hpp>

#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using heapspan::Context;
using heapspan::Rdd;
using heapspan::StorageLevel;
using Row = std::pair<int64_t, std::string>;
using Rows = Rdd<Row>;

struct Step {
  Rows one;
  Rows other;
  int32_t partitions;
  int64_t number;
};

constexpr auto last = [](const std::string& a, const std::string& b) { return std::max(a, b); };

// What is persisted is an Rdd of its own: one can have only one storage level.
constexpr auto same = [](std::string_view value) { return value; };

std::string start(std::string_view text) { return std::string(text.substr(0, 2)); }

// The place of each row in an order.
auto places(const auto& sorted) {
  return sorted.zip_with_index().map([](const auto& pair) {
    const auto& [row, place] = pair;
    return Row(static_cast<int64_t>(place), std::string(row.second) + std::to_string(row.first));
  });
}

using Operator = std::function<Rows(const Step&)>;

const std::map<std::string, Operator, std::less<>>& narrow_operators() {
  static const std::map<std::string, Operator, std::less<>> operators{
      {"map",
       [](const Step& s) {
         return s.one.map([](const Row& row, int64_t by) { return Row(row.first / by, row.second); }, s.number);
       }},
      {"filter",
       [](const Step& s) {
         return s.one.filter([](const auto& row, int64_t by) { return row.first % by != 0; }, s.number + 1);
       }},
      {"flat_map",
       [](const Step& s) {
         return s.one.flat_map(
             [](const Row& row) { return std::vector<Row>(static_cast<size_t>(row.first & 1) * 2, row); });
       }},
      {"map_values",
       [](const Step& s) {
         return s.one.map_values([](std::string_view value) { return std::string(value) + "+"; });
       }},
      {"flat_map_values",
       [](const Step& s) {
         return s.one.flat_map_values([](std::string_view value) {
           return std::vector<std::string>{start(value), std::to_string(value.size())};
         });
       }},
      {"map_partitions",
       [](const Step& s) {
         return s.one.map_partitions([](const auto& part) {
           std::vector<Row> rows;
           for (const auto& row : part) {
             rows.emplace_back(row.first, std::string(row.second) + "p");
           }
           return rows;
         });
       }},
      {"key_by",
       [](const Step& s) {
         return s.one.key_by([](const auto& row) { return row.first % 7; }).map([](const auto& pair) {
           return Row(pair.first, std::to_string(pair.second.first) + std::string(pair.second.second));
         });
       }},
      {"sample",
       [](const Step& s) { return s.one.sample(false, s.number % 2 == 0 ? 1.0 : 0.0, 42); }},
      {"persist",
       [](const Step& s) {
         return s.one.map_values(same).persist(s.number == 1   ? StorageLevel::memory
                              : s.number == 2 ? StorageLevel::memory_and_disk
                                              : StorageLevel::disk);
       }},
      {"union_with", [](const Step& s) { return s.one.union_with(s.other); }},
      {"repartition", [](const Step& s) { return s.one.repartition(s.partitions); }},
      {"coalesce", [](const Step& s) { return s.one.coalesce(s.partitions); }},
      {"zip",
       [](const Step& s) {
         auto kept = s.one.map_values(same).persist(StorageLevel::memory_and_disk);
         return kept.zip(kept.map([](const auto& row) { return row.second.size(); })).map([](const auto& both) {
           return Row(both.first.first, std::string(both.first.second) + std::to_string(both.second));
         });
       }},
      {"cartesian",
       [](const Step& s) {
         auto some = [](const auto& row) { return row.first % 4 == 0; };
         return s.one.filter(some).cartesian(s.other.filter(some)).map([](const auto& both) {
           return Row(both.first.first * 1000 + both.second.first,
                      start(both.first.second) + start(both.second.second));
         });
       }},
      {"sort_by",
       [](const Step& s) {
         return Rows(places(s.one.sort_by([](const Row& row) { return std::pair(row.second, row.first); })));
       }},
      {"sort_by_key",
       [](const Step& s) {
         return Rows(places(s.one.reduce_by_key(last).sort_by_key(s.number % 2 == 0, s.partitions)));
       }},
  };
  return operators;
}

const std::map<std::string, Operator, std::less<>>& keyed_operators() {
  static const std::map<std::string, Operator, std::less<>> operators{
      {"distinct", [](const Step& s) { return s.one.distinct(s.partitions); }},
      {"partition_by", [](const Step& s) { return s.one.partition_by(s.partitions); }},
      {"reduce_by_key",
       [](const Step& s) { return s.one.reduce_by_key(last, s.partitions); }},
      {"fold_by_key",
       [](const Step& s) { return s.one.fold_by_key(std::string("m"), last, s.partitions); }},
      {"aggregate_by_key",
       [](const Step& s) {
         return s.one
             .aggregate_by_key(
                 int64_t{0},
                 [](int64_t sum, std::string_view value) { return sum + static_cast<int64_t>(value.size()); },
                 [](int64_t a, int64_t b) { return a + b; }, s.partitions)
             .map_values([](int64_t sum) { return std::to_string(sum); });
       }},
      {"combine_by_key",
       [](const Step& s) {
         return s.one
             .combine_by_key([](std::string_view) { return int64_t{1}; },
                             [](int64_t count, std::string_view) { return count + 1; },
                             [](int64_t a, int64_t b) { return a + b; }, s.partitions)
             .map_values([](int64_t count) { return std::to_string(count); });
       }},
      {"group_by_key",
       [](const Step& s) {
         return s.one.group_by_key(s.partitions).map_values([](const auto& values) {
           std::vector<std::string> sorted(values.begin(), values.end());
           std::sort(sorted.begin(), sorted.end());
           return sorted.front() + std::to_string(sorted.size()) + sorted.back();
         });
       }},
      {"cogroup",
       [](const Step& s) {
         return s.one.cogroup(s.other, s.partitions).map_values([](const auto& both) {
           return std::to_string(both.first.size()) + "/" + std::to_string(both.second.size());
         });
       }},
      {"join",
       [](const Step& s) {
         return s.one.join(s.other, s.partitions).map_values([](const auto& both) {
           return start(both.first) + std::string(both.second);
         });
       }},
      {"left_outer_join",
       [](const Step& s) {
         return s.one.left_outer_join(s.other, s.partitions).map_values([](const auto& both) {
           return std::string(both.first) + (both.second ? start(*both.second) : "-");
         });
       }},
      {"right_outer_join",
       [](const Step& s) {
         return s.one.right_outer_join(s.other, s.partitions).map_values([](const auto& both) {
           return (both.first ? start(*both.first) : "-") + std::string(both.second);
         });
       }},
      {"full_outer_join",
       [](const Step& s) {
         return s.one.full_outer_join(s.other, s.partitions).map_values([](const auto& both) {
           return (both.first ? start(*both.first) : "-") + (both.second ? start(*both.second) : "-");
         });
       }},
      {"subtract_by_key", [](const Step& s) { return s.one.subtract_by_key(s.other, s.partitions); }},
  };
  return operators;
}

Rows applied(std::string_view name, const Step& step) {
  for (const auto* operators : {&narrow_operators(), &keyed_operators()}) {
    if (auto found = operators->find(name); found != operators->end()) {
      return found->second(step);
    }
  }
  throw std::invalid_argument("unknown operator " + std::string(name));
}

Rows last_of(std::string_view chain, std::vector<Rows> made) {
  for (std::string_view text : heapspan::split(chain, ';')) {
    std::vector<std::string_view> fields;
    for (std::string_view field : heapspan::split(text, ',')) {
      fields.push_back(field);
    }
    auto number = [&](size_t i) { return heapspan::parse<int64_t>(fields.at(i)); };
    Step step{made.at(static_cast<size_t>(number(1))), made.at(static_cast<size_t>(number(2))),
              static_cast<int32_t>(number(3)), number(4)};
    made.push_back(applied(fields.at(0), step));
  }
  return made.back();
}

}  // namespace

HEAPSPAN_MAIN(context, args) {
  std::vector<Rows> sources;
  for (int i = 0; i < 3; i++) {
    sources.push_back(context.input<Row>("source-" + std::to_string(i)));
  }
  Rdd<std::pair<int64_t, Row>> all = context.parallelize(std::vector<std::pair<int64_t, Row>>());
  for (size_t i = 1; i < args.size(); i++) {
    all = all.union_with(last_of(args[i], sources).map(
        [](const Row& row, int64_t chain) { return std::pair(chain, row); }, static_cast<int64_t>(i - 1)));
  }
  all.output("rows");
}
