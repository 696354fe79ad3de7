#include "operators_test.h"

#include <filesystem>
#include <limits>
#include <set>

// Operators on elements and whole Rdds, actions, and the types of elements.

using heapspan::Context;
using heapspan::testing::sorted_elements;

HEAPSPAN_MAIN(context, args) {}

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// A struct with a string and an array: it has a column for each field.
struct Person {
  std::string name;
  int age = 0;
  std::vector<double> scores;
  friend bool operator==(const Person&, const Person&) = default;
};

// A plain struct, copied as it is.
struct Point {
  double x = 0;
  double y = 0;
  friend bool operator==(const Point&, const Point&) = default;
};

// A struct whose fields are themselves made of parts.
struct Mixed {
  std::optional<std::string> note;
  std::pair<int, std::string> name;
  std::map<int, double> weights;
  Person person;
  friend bool operator==(const Mixed&, const Mixed&) = default;
};

// A class that names its fields.
class Account {
 public:
  Account() = default;
  Account(std::string owner, double balance) : owner_(std::move(owner)), balance_(balance) {}
  auto fields() { return std::tie(owner_, balance_); }
  auto fields() const { return std::tie(owner_, balance_); }
  friend bool operator==(const Account& a, const Account& b) { return a.fields() == b.fields(); }

 private:
  std::string owner_;
  double balance_ = 0;
};

enum class Color : unsigned char { red, green };

void element_by_element(Context& context) {
  auto numbers = context.parallelize(std::vector<int>{5, 1, 4, 2, 3}, 2);
  CHECK(numbers.map([](int x, int factor) { return x * factor; }, 10).collect() ==
        (std::vector<int>{50, 10, 40, 20, 30}));
  CHECK(numbers.filter([](const auto& x) { return x > 2; }).collect() == (std::vector<int>{5, 4, 3}));
  CHECK(numbers.flat_map([](int x) { return std::vector<std::string>(static_cast<size_t>(x % 3), std::to_string(x)); })
            .collect() == (std::vector<std::string>{"5", "5", "1", "4", "2", "2"}));
  // The iterators of std::vector<bool> show no references.
  auto bits = numbers.flat_map([](int x) { return std::vector<bool>{x > 2, true}; });
  CHECK(bits.collect() == (std::vector<bool>{true, true, false, true, true, true, false, true, true, true}));
  CHECK(bits.count_by_value() == (heapspan::Map<bool, int64_t>{{true, 8}, {false, 2}}));
  CHECK(numbers.map_partitions([](const auto& part) { return std::vector<bool>{part.size() > 2}; }).collect() ==
        (std::vector<bool>{false, true}));
  CHECK(numbers.map_to_pair([](int x) { return std::pair(x, x); })
            .flat_map_values([](int x) { return std::vector<bool>{x > 2}; })
            .lookup(5) == std::vector<bool>{true});
  CHECK(numbers.key_by([](int x) { return x % 2 == 0; }).collect() ==
        (std::vector<std::pair<bool, int>>{{false, 5}, {false, 1}, {true, 4}, {true, 2}, {false, 3}}));
  CHECK(numbers
            .map_partitions([](const auto& part) {
              long sum = 0;
              for (int x : part) {
                sum += x;
              }
              return std::vector<long>{sum, static_cast<long>(part.size())};
            })
            .collect() == (std::vector<long>{6, 2, 9, 3}));
  CHECK(numbers.zip_with_index().collect() ==
        (std::vector<std::pair<int, int64_t>>{{5, 0}, {1, 1}, {4, 2}, {2, 3}, {3, 4}}));

  // Views, owning values and what the next kernel takes.
  auto lines = context.parallelize(std::vector<std::string>{"a b", "", "c"}, 2);
  auto words = lines.flat_map([](const std::string& line) { return heapspan::split(line); })
                   .map([](std::string_view word) { return std::string(word) + "!"; })
                   .map([](const auto& word) { return std::pair(std::string_view(word).substr(0, 1), word); })
                   .map([](const std::pair<std::string, std::string>& pair) { return pair.first + pair.second; });
  CHECK(words.collect() == (std::vector<std::string>{"aa!", "bb!", "cc!"}));
  CHECK(lines.flat_map([](std::string_view line) { return heapspan::split(line, ' '); }).collect() ==
        (std::vector<std::string>{"a", "b", "", "c"}));

  // Captures of many kinds.
  std::vector<std::string> names{"zero", "one", "two"};
  std::map<int, std::string> more{{4, "four"}};
  CHECK(
      numbers
          .map(
              [](int x, const auto& small, const auto& large, std::string_view none) {
                auto found = large.find(x);
                return x < 3 ? small[static_cast<size_t>(x)] : found != large.end() ? found->second : std::string(none);
              },
              std::span<const std::string>(names), more, std::string_view("none"))
          .collect() == (std::vector<std::string>{"none", "one", "four", "two", "none"}));
}

// All types at once, because each chain of its own takes the compiler a second.
void types(Context& context) {
  using Strings = std::vector<std::string>;
  using Numbers = std::tuple<bool, Color, Point, std::array<float, 3>, std::vector<std::vector<bool>>,
                             std::optional<std::vector<int>>>;
  using Everything = std::tuple<std::string, Person, Mixed, Strings, std::optional<std::string>, heapspan::Nothing,
                                std::pair<bool, double>, Numbers, Account>;
  Everything full("text", {"Ada", 36, {1, 2}}, {"x", {1, "one"}, {{1, 0.5}, {2, 1}}, {"Grace", 85, {3}}},
                  {"a", "", "bc"}, "y", {}, {true, -0.5},
                  {true, Color::green, {1, 2}, {3, 4, 5}, {{true, false}, {}, {true}}, std::vector<int>{1}},
                  {"Grace", 0.5});
  Everything other = full;
  std::get<0>(other) = std::string("\0z", 2) + std::string(1000, 'z');
  std::get<Numbers>(other) = {false, Color::red, {-1, 0.25}, {}, {}, std::vector<int>{}};
  std::vector<Everything> values{full, Everything(), other, full, Everything()};
  CHECK(context.parallelize(values, 3).map([](const auto& value) { return value; }).collect() == values);
  auto pairs = context.parallelize(std::vector<std::pair<heapspan::Nothing, long>>{{{}, 1}, {{}, 2}});
  CHECK(pairs.keys().count() == 2 && pairs.values().sum() == 3);
  std::vector<bool> flags;
  for (int i = 0; i < 1000; i++) {
    flags.push_back(i % 3 == 0);
  }
  CHECK(context.parallelize(flags, 3).collect() == flags);
}

// Keys follow Double.equals: all NaN are one key, 0.0 and -0.0 are two.
void floating_point_keys(Context& context) {
  auto pairs = context.parallelize(
      std::vector<std::pair<double, int>>{{nan, 1}, {-nan, 2}, {0.0, 4}, {-0.0, 8}, {1.5, 16}, {0.0, 32}}, 3);
  auto sums = pairs.reduce_by_key([](int a, int b) { return a + b; }).collect_as_map();
  CHECK(sums.size() == 4 && sums.at(nan) == 3 && sums.at(0.0) == 36 && sums.at(-0.0) == 8 && sums.at(1.5) == 16);
  CHECK(pairs.keys().distinct().count() == 4);
  CHECK(pairs.join(pairs).count() == 4 + 4 + 1 + 1);
  CHECK(pairs.lookup(nan) == (std::vector<int>{1, 2}));
  // Structs are keys by their fields.
  auto points = context.parallelize(std::vector<Point>{{1, nan}, {1, nan}, {1, 2}});
  CHECK(points.distinct().count() == 2);
  CHECK(context.parallelize(std::vector<Person>{{"a", 1, {2}}, {"a", 1, {2}}, {"a", 1, {3}}}).distinct().count() == 2);
  CHECK(context.parallelize(std::vector<Account>{{"a", 1}, {"a", 1}, {"a", nan}}).distinct().count() == 2);
}

void whole(Context& context) {
  auto numbers = context.parallelize(std::vector<int>{1, 2, 3, 4, 5, 6, 7}, 3);
  auto texts = numbers.map([](int x) { return std::to_string(x); });
  CHECK(numbers.union_with(numbers.map([](int x) { return x + 10; })).collect() ==
        (std::vector<int>{1, 2, 3, 4, 5, 6, 7, 11, 12, 13, 14, 15, 16, 17}));
  CHECK(numbers.zip(texts)
            .filter([](const auto& pair) { return heapspan::parse<int>(pair.second) == pair.first; })
            .count() == 7);
  auto product = numbers.cartesian(texts);
  CHECK(product.count() == 49 && product.partition_count() == 9);
  CHECK(sorted_elements(product.filter([](const auto& pair) { return pair.second == "3"; }).keys()) ==
        (std::vector<int>{1, 2, 3, 4, 5, 6, 7}));
  // More rows than a chunk has, on both sides, and a cartesian product in another combination.
  std::vector<int> many(20000);
  CHECK(context.parallelize(many, 1).cartesian(context.parallelize(std::vector<int>(3), 1)).count() == 60000);
  CHECK(context.parallelize(std::vector<int>(3), 1).cartesian(context.parallelize(many, 1)).count() == 60000);
  CHECK(product.map_to_pair([](const auto& pair) { return pair; }).join(product).count() == 7 * 49);
  auto spread = numbers.repartition(5);
  CHECK(spread.partition_count() == 5 && sorted_elements(spread) == numbers.collect());
  auto fewer = numbers.coalesce(2);
  CHECK(fewer.partition_count() == 2 && sorted_elements(fewer) == numbers.collect());
  CHECK(numbers.coalesce(100).partition_count() == 3);

  auto kept = texts.persist(heapspan::StorageLevel::memory_and_disk);
  CHECK(kept.count() == 7 && kept.count() == 7);
  kept.unpersist();
  CHECK(kept.count() == 7 && texts.checkpoint().count() == 7);

  // The same seed, the same sample; about the right size.
  auto range = context.parallelize(many, 4).zip_with_index().values();
  auto sample = range.sample(false, 0.1, 42).collect();
  CHECK(sample.size() > 1700 && sample.size() < 2300 && sample == range.sample(false, 0.1, 42).collect());
  CHECK(sample != range.sample(false, 0.1, 43).collect());
  CHECK(std::set<int64_t>(sample.begin(), sample.end()).size() == sample.size());
  auto repeated = range.sample(true, 2.0, 1).count();
  CHECK(repeated > 39000 && repeated < 41000);
  auto often = numbers.sample(true, 2000.0, 1).count();
  CHECK(often > 13500 && often < 14500);
  CHECK(range.sample(false, 0).count() == 0 && range.sample(false, 1).count() == 20000);
}

void actions(Context& context) {
  auto numbers = context.parallelize(std::vector<int>{5, 1, 4, 2, 3}, 4);
  auto none = numbers.filter([](int) { return false; });
  auto plus = [](int a, int b) { return a + b; };
  CHECK(numbers.reduce(plus) == 15 && numbers.tree_reduce(plus) == 15 && numbers.fold(0, plus) == 15);
  CHECK(context.parallelize(std::vector<int>(500, 1), 100).tree_reduce(plus, 3) == 500);
  CHECK(none.fold(9, plus) == 9 && none.sum() == 0);
  // In each of the two partitions that have elements, and not in the driver.
  auto of_two = context.parallelize(std::vector<int>{1, 2, 3, 4}, 4).filter([](int x) { return x > 2; });
  CHECK(of_two.fold(100, plus) == 207 && of_two.aggregate(100, plus, plus) == 207);
  CHECK(numbers.aggregate(
            std::string(), [](const std::string& text, int x) { return text + std::to_string(x); },
            [](const std::string& a, const std::string& b) { return a + b; }) == "51423");
  CHECK(numbers.count() == 5 && !numbers.is_empty() && none.is_empty());
  CHECK(numbers.take(2) == (std::vector<int>{5, 1}) && numbers.take(0).empty() && numbers.take(9).size() == 5);
  CHECK(numbers.first() == 5 && numbers.max() == 5 && numbers.min() == 1 && numbers.sum() == 15);
  auto largest = context.parallelize(std::vector<int>(3, std::numeric_limits<int>::max()), 2);
  CHECK(largest.sum() == 6442450941);
  CHECK(context.parallelize(std::vector<int8_t>(1000, 127), 3).sum() == 127000);
  CHECK(context.parallelize(std::vector<uint32_t>{4294967295, 1}, 2).sum() == 4294967296);
  CHECK(context.parallelize(std::vector<float>{16777216, 1}, 2).sum() == 16777217);
  CHECK(context.parallelize(std::vector<bool>{true, false, true}, 2).sum() == 2);
  CHECK(numbers.top(2) == (std::vector<int>{5, 4}) && numbers.take_ordered(3) == (std::vector<int>{1, 2, 3}));
  CHECK(numbers.take_ordered(2, [](int a, int b) { return a % 3 < b % 3; }) == (std::vector<int>{3, 1}));
  CHECK(context.parallelize(std::vector<int>(5000, 7), 2).top(3) == (std::vector<int>{7, 7, 7}));
  CHECK(context.parallelize(std::vector<double>{1, nan, 2}).max() != 2);
  CHECK(context.parallelize(std::vector<std::string>{"b", "a"}).min() == "a");
  auto sample = numbers.take_sample(false, 3, 7);
  CHECK(sample.size() == 3 && std::set<int>(sample.begin(), sample.end()).size() == 3);
  CHECK(numbers.take_sample(false, 3, 7) == sample && numbers.take_sample(false, 10).size() == 5);
  CHECK(numbers.take_sample(true, 20, 1).size() == 20 && none.take_sample(true, 3).empty());
  auto counts = numbers.map([](int x) { return x % 2; }).count_by_value();
  CHECK(counts.at(0) == 2 && counts.at(1) == 3);
  CHECK(numbers.map_to_pair([](int x) { return std::pair(x, x * x); }).collect_as_map().at(4) == 16);
}

void shared_values(Context& context) {
  auto table = context.broadcast(std::vector<std::string>{"zero", "one", "two"});
  auto found = context.accumulator<int64_t>("found");
  auto weight = context.accumulator<double>("weight");
  auto numbers = context.parallelize(std::vector<int>{2, 0, 9, 1}, 3);
  CHECK(numbers
            .flat_map(
                [](int x, const auto& names, const auto& counter) {
                  std::vector<std::string> result;
                  if (static_cast<size_t>(x) < names->size()) {
                    counter.add(1);
                    result.push_back((*names)[static_cast<size_t>(x)]);
                  }
                  return result;
                },
                table, found)
            .collect() == (std::vector<std::string>{"two", "zero", "one"}));
  CHECK(found.value() == 3);
  numbers.foreach([](int x, const auto& sum) { sum.add(x * 0.5); }, weight);
  numbers.foreach_partition([](const auto& part, const auto& sum) { sum.add(static_cast<double>(part.size())); },
                            weight);
  CHECK(weight.value() == 10);
  CHECK((*table)[1] == "one");
  table.destroy();
}

struct Record {
  std::array<char, 3> tag = {};
  unsigned char number = 0;
};

// A type that has a text of its own.
struct Temperature {
  int celsius = 0;
};

void append_text(std::string& out, const Temperature& value) { out += std::to_string(value.celsius) + " C"; }

void text_and_binary(Context& context) {
  auto folder = std::filesystem::temp_directory_path() / ("heapspan-operators-test-" + std::to_string(getpid()));
  std::filesystem::remove_all(folder);
  auto records = context.parallelize(std::vector<int>{1, 2, 3, 4, 5}, 2).map([](int x) {
    return Record{{'a', 'b', 'c'}, static_cast<unsigned char>(x)};
  });
  records.save_as_binary(folder.string());
  auto read = context.binary_records<Record>(folder.string());
  CHECK(sorted_elements(read.map([](const Record& record) {
          return static_cast<int>(record.number) + record.tag[2];
        })) == (std::vector<int>{'c' + 1, 'c' + 2, 'c' + 3, 'c' + 4, 'c' + 5}));
  std::filesystem::remove_all(folder);

  context
      .parallelize(
          std::vector<std::tuple<int, std::optional<std::string>, std::vector<double>>>{{1, "x", {0.5, 2}},
                                                                                        {-2, std::nullopt, {}}},
          1)
      .save_as_text_file(folder.string());
  CHECK(context.text_file(folder.string()).collect() == (std::vector<std::string>{"(1,x,[0.5,2])", "(-2,,[])"}));
  std::filesystem::remove_all(folder);

  context.parallelize(std::vector<std::pair<int, Temperature>>{{1, {20}}, {2, {-5}}}, 1)
      .save_as_text_file(folder.string());
  CHECK(context.text_file(folder.string()).collect() == (std::vector<std::string>{"(1,20 C)", "(2,-5 C)"}));
  std::filesystem::remove_all(folder);
}

void all(Context& context) {
  element_by_element(context);
  types(context);
  floating_point_keys(context);
  whole(context);
  actions(context);
  shared_values(context);
  text_and_binary(context);
}

}  // namespace

int main() {
  heapspan::testing::run_with_and_without_memory(&all, 0);
  return heapspan::testing::check_result("operators_test");
}
