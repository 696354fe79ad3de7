#include <heapspan/rdd.hpp>

#include <filesystem>
#include <fstream>
#include <set>

#include "../check.h"
#include "local_driver.h"

// Whole programs, from the first byte of their input to the last of their output, and what happens when something
// fails.

using heapspan::Context;
using heapspan::Rdd;
using heapspan::testing::LocalDriver;
using heapspan::testing::LocalOptions;

HEAPSPAN_MAIN(context, args) {
  context.text_file(args[1])
      .flat_map([](std::string_view line) { return heapspan::split(line); })
      .map_to_pair([](std::string_view word) { return std::pair(word, 1L); })
      .reduce_by_key([](long a, long b) { return a + b; })
      .save_as_text_file(args[2]);
}

namespace {

namespace files = std::filesystem;

// A folder that is gone at the end of the test.
class Folder {
 public:
  Folder() : path_(files::temp_directory_path() / ("heapspan-program-test-" + std::to_string(getpid()))) {
    files::remove_all(path_);
    files::create_directories(path_);
  }
  ~Folder() { files::remove_all(path_); }
  std::string operator/(const char* name) const { return (path_ / name).string(); }

 private:
  files::path path_;
};

std::vector<std::string> lines_of(const std::string& folder) {
  std::vector<std::string> lines;
  for (const auto& entry : files::directory_iterator(folder)) {
    std::ifstream in(entry.path());
    for (std::string line; std::getline(in, line);) {
      lines.push_back(line);
    }
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

void write(const std::string& path, std::string_view text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
}

heapspan_status run_main(LocalDriver& driver, std::vector<const char*> arguments, heapspan_error& error) {
  return heapspan_program_table()->main(driver.table(), static_cast<int32_t>(arguments.size()), arguments.data(),
                                        &error);
}

void word_count() {
  Folder folder;
  std::string text;
  std::map<std::string, long> expected;
  for (int i = 0; i < 20000; i++) {
    std::string word = "word" + std::to_string(i * i % 997);
    expected[word]++;
    text += word + (i % 7 == 6 ? (i % 2 == 0 ? "\r\n" : "\n") : "  \t");
  }
  write(folder / "input", text);
  for (uint64_t memory : {UINT64_MAX, uint64_t{0}}) {
    LocalDriver driver(heapspan_program_table(), {.memory_bytes = memory});
    heapspan_error error = {};
    std::string input = folder / "input";
    std::string output = folder / (memory == 0 ? "small" : "large");
    CHECK(run_main(driver, {"word-count", input.c_str(), output.c_str()}, error) == HEAPSPAN_OK);
    std::vector<std::string> expected_lines;
    for (const auto& [word, count] : expected) {
      expected_lines.push_back("(" + word + "," + std::to_string(count) + ")");
    }
    CHECK(lines_of(output) == expected_lines);
    CHECK(driver.counters().batches_lent == driver.counters().batches_released);
    CHECK(driver.counters().bytes_reserved == driver.counters().bytes_released);
    CHECK(driver.counters().nodes_made == driver.counters().nodes_released);
    // The narrow operators are fused to the map side.
    CHECK(driver.operators() == (std::vector<std::string>{"text_file, flat_map, map_to_pair, reduce_by_key",
                                                          "reduce_by_key, save_as_text_file"}));
  }
}

void page_rank() {
  // 40 pages; page i links to i / 2, to 3 i, and some to themselves.
  std::vector<std::pair<int, int>> edges;
  for (int i = 0; i < 40; i++) {
    edges.emplace_back(i, i / 2);
    edges.emplace_back(i, 3 * i % 40);
    if (i % 5 == 0) {
      edges.emplace_back(i, i);
    }
  }
  edges.push_back(edges[3]);
  std::map<int, std::set<int>> links;
  for (auto [from, to] : edges) {
    links[from].insert(to);
  }
  std::map<int, double> expected;
  for (const auto& [page, targets] : links) {
    expected[page] = 1.0;
  }
  for (int turn = 0; turn < 5; turn++) {
    std::map<int, double> sums;
    for (const auto& [page, targets] : links) {
      if (expected.count(page) != 0) {
        for (int target : targets) {
          sums[target] += expected[page] / static_cast<double>(targets.size());
        }
      }
    }
    expected.clear();
    for (auto [page, sum] : sums) {
      expected[page] = 0.15 + 0.85 * sum;
    }
  }

  LocalDriver driver(heapspan_program_table(), {});
  Context context(driver.table());
  auto adjacency = context.parallelize(edges, 4).distinct().group_by_key(3).persist();
  Rdd<std::pair<int, double>> ranks = adjacency.map_values([](const auto&) { return 1.0; });
  for (int turn = 0; turn < 5; turn++) {
    ranks = adjacency.join(ranks)
                .flat_map([](const auto& page) {
                  const auto& [targets, rank] = page.second;
                  std::vector<std::pair<int, double>> parts;
                  for (int target : targets) {
                    parts.emplace_back(target, rank / static_cast<double>(targets.size()));
                  }
                  return parts;
                })
                .reduce_by_key([](double a, double b) { return a + b; })
                .map_values([](double sum) { return 0.15 + 0.85 * sum; });
  }
  auto actual = ranks.collect_as_map();
  CHECK(actual.size() == expected.size());
  for (auto [page, rank] : expected) {
    CHECK(std::abs(actual.at(page) - rank) < 1e-12);
  }
  // The graph is divided by key once, and then each turn shuffles the contributions alone.
  long shuffles = 0;
  for (const std::string& operators : driver.operators()) {
    shuffles += operators.find("partition_by") != std::string::npos;
  }
  CHECK(shuffles == 1);
}

// Five narrow operators in a row take as many calls into the program, and as many batches, as one.
void narrow_operators_are_one_loop() {
  std::vector<int64_t> numbers(5000);
  std::iota(numbers.begin(), numbers.end(), 0);
  LocalDriver driver(heapspan_program_table(), {});
  Context context(driver.table());
  auto source = context.parallelize(numbers, 1);
  std::vector<int64_t> kept = source.filter([](int64_t x) { return x % 3 != 0; }).collect();
  LocalDriver::Counters one = driver.counters();
  auto pairs = source.filter([](int64_t x) { return x % 3 != 0; })
                   .map([](int64_t x) { return x + 1; })
                   .flat_map([](int64_t x) { return std::array<int64_t, 2>{x, -x}; })
                   .map_to_pair([](int64_t x) { return std::pair(x % 7, x); })
                   .map_values([](int64_t x) { return 2 * x; })
                   .collect();
  LocalDriver::Counters five = driver.counters();
  CHECK(one.stages == 1 && five.stages == 2);
  CHECK(one.batches_lent == 1 && five.batches_lent == 2);
  CHECK(one.batches_emitted == 1 && five.batches_emitted == 2);
  CHECK(one.advances == 1 && five.advances == 2);
  CHECK(driver.operators().back() == "filter, map, flat_map, map_to_pair, map_values");
  CHECK(pairs.size() == 2 * kept.size());
  for (size_t i = 0; i < pairs.size(); i++) {
    int64_t x = (i % 2 == 0 ? 1 : -1) * (kept[i / 2] + 1);
    CHECK(pairs[i] == std::pair(x % 7, 2 * x));
  }
}

template <class Body>
std::string failure_of(Body&& body) {
  try {
    body();
  } catch (const heapspan::detail::HostFailed&) {
    return "host failed";
  } catch (const std::exception& failure) {
    return failure.what();
  }
  return "";
}

// Words, and pairs of two elements, end with a sentinel.
void helpers_take_any_range() {
  LocalDriver driver(heapspan_program_table(), {});
  Context context(driver.table());
  auto lines = context.parallelize(std::vector<std::string>{"1 2 3", "", "4", "5 6"}, 2);
  auto sums = lines.flat_map([](std::string_view line) {
    return heapspan::each(heapspan::each_two(heapspan::split(line)), [](const auto& two) {
      return heapspan::parse<int>(two.first) + heapspan::parse<int>(two.second);
    });
  });
  CHECK(sums.collect() == (std::vector<int>{3, 4, 5, 11}));
}

void failures_name_the_operator() {
  LocalDriver driver(heapspan_program_table(), {});
  Context context(driver.table());
  auto numbers = context.parallelize(std::vector<int>{1, 2, 3, 4});
  auto failing = numbers.map([](int x) { return x * 2; }).filter([](int x) -> bool {
    if (x == 6) {
      throw std::runtime_error("six");
    }
    return true;
  });
  CHECK(failure_of([&] { failing.count(); }) == "host failed");
  CHECK(driver.stage_error().operator_name == std::string("filter"));
  CHECK(driver.stage_error().message == std::string("six"));

  CHECK(failure_of([&] { numbers.foreach([](int) { throw 3; }); }) == "host failed");
  CHECK(driver.stage_error().operator_name == std::string("foreach"));
  CHECK(driver.stage_error().message == std::string("the kernel threw something that is not a std::exception"));

  auto lines = context.parallelize(std::vector<std::string>{"1", "x"});
  CHECK(failure_of([&] { lines.map([](std::string_view text) { return heapspan::parse<int>(text); }).collect(); }) ==
        "host failed");
  CHECK(driver.stage_error().message == std::string("not a number of the expected kind: 'x'"));

  // A range that makes its elements while it is read fails where they are read.
  auto texts = context.parallelize(std::vector<std::pair<int, std::string>>{{1, "2 3"}, {2, "4 y"}});
  auto numbers_of = [](std::string_view text) {
    return heapspan::each(heapspan::split(text), [](std::string_view word) { return heapspan::parse<int>(word); });
  };
  CHECK(failure_of([&] { texts.values().flat_map(numbers_of).count(); }) == "host failed");
  CHECK(driver.stage_error().operator_name == std::string("flat_map"));
  CHECK(driver.stage_error().message == std::string("not a number of the expected kind: 'y'"));
  CHECK(failure_of([&] { texts.flat_map_values(numbers_of).count(); }) == "host failed");
  CHECK(driver.stage_error().operator_name == std::string("flat_map_values"));
  CHECK(failure_of([&] {
          texts.values()
              .map_partitions([](const auto& part) {
                return heapspan::each(part, [](std::string_view text) { return heapspan::parse<int>(text); });
              })
              .count();
        }) == "host failed");
  CHECK(driver.stage_error().operator_name == std::string("map_partitions"));
  // What comes after it does not.
  CHECK(failure_of([&] {
          numbers.flat_map([](int x) { return std::vector<int>{x}; }).filter([](int) -> bool { throw 3; }).count();
        }) == "host failed");
  CHECK(driver.stage_error().operator_name == std::string("filter"));

  CHECK(failure_of([&] { numbers.filter([](int x) { return x > 9; }).first(); }) == "first of an Rdd without elements");
  // A sample of infinitely many elements would have no end.
  for (double fraction : {-0.5, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    CHECK(failure_of([&] { numbers.sample(true, fraction); }) ==
          "sample: the fraction must be finite and at least 0, and without replacement at most 1");
  }
  CHECK(failure_of([&] { numbers.zip(numbers.repartition(7)).count(); }) ==
        "zip needs two Rdds with the same number of partitions, not 3 and 7");
  CHECK(failure_of([&] { numbers.zip(numbers.filter([](int x) { return x != 2; })).count(); }) == "host failed");
  CHECK(driver.stage_error().message == std::string("two partitions have different numbers of elements"));
}

void late_uses_are_errors() {
  LocalDriver driver(heapspan_program_table(), {});
  Rdd<int> kept;
  CHECK(failure_of([&] { kept.count(); }) == "an Rdd was used before anything was assigned to it");
  heapspan::Broadcast<int> broadcast;
  heapspan::Accumulator<int64_t> accumulator;
  {
    Context context(driver.table());
    kept = context.parallelize(std::vector<int>{1, 2});
    broadcast = context.broadcast(3);
    accumulator = context.accumulator<int64_t>("some");
  }
  const std::string message = "an Rdd, a broadcast or an accumulator was used after its Context ended";
  CHECK(failure_of([&] { kept.count(); }) == message);
  CHECK(failure_of([&] { kept.map([](int x) { return x; }).collect(); }) == message);
  CHECK(failure_of([&] { broadcast.destroy(); }) == message);
  CHECK(failure_of([&] { accumulator.value(); }) == message);
  CHECK(failure_of([&] { accumulator.add(1); }) ==
        "an accumulator is only added to by kernels that got it as a capture");

  LocalDriver other(heapspan_program_table(), {});
  Context first(driver.table());
  Context second(other.table());
  auto one = first.parallelize(std::vector<int>{1});
  auto two = second.parallelize(std::vector<int>{1});
  CHECK(failure_of([&] { one.union_with(two); }) == "two Rdds of different Contexts cannot be combined");
}

// Counts how many of it there are.
class Counted {
 public:
  explicit Counted(int number = 0) : number_(number) { alive++; }
  Counted(const Counted& other) : number_(other.number_) { alive++; }
  Counted& operator=(const Counted&) = default;
  ~Counted() { alive--; }
  auto fields() { return std::tie(number_); }
  auto fields() const { return std::tie(number_); }
  static inline int alive = 0;

 private:
  int number_;
};

// A process decodes each broadcast once, and frees it when the broadcast is destroyed. Those that a program does not
// use any more, it gives back.
void use_broadcasts(LocalDriver& driver) {
  Context context(driver.table());
  auto numbers = context.parallelize(std::vector<int>{1, 2, 3}, 3);
  auto use = [&](const heapspan::Broadcast<Counted>& broadcast) {
    return numbers.filter(
        [](int, const auto& counted) {
          static_cast<void>(*counted);
          return true;
        },
        broadcast);
  };
  std::vector<heapspan::Broadcast<Counted>> many;
  for (int i = 0; i < 20; i++) {
    many.push_back(context.broadcast(Counted(i)));
  }
  CHECK(Counted::alive == 20);
  for (int turn = 0; turn < 2; turn++) {
    for (const auto& each : many) {
      CHECK(use(each).count() == 3);
    }
  }
  CHECK(driver.counters().broadcasts_read == 20);
  CHECK(Counted::alive == 40);
  many[3].destroy();
  CHECK(Counted::alive == 38);

  int64_t before = driver.counters().broadcasts_released;
  auto chain = use(many[4]);
  many.erase(many.begin() + 4);
  // It may be used in further plans.
  CHECK(driver.counters().broadcasts_released == before);
  CHECK(chain.count() == 3);
  chain = use(many[0]);
  CHECK(driver.counters().broadcasts_released == before + 1);
}
void broadcasts_are_freed() {
  {
    LocalDriver driver(heapspan_program_table(), {});
    use_broadcasts(driver);
    CHECK(driver.counters().broadcasts_released == 20);
    CHECK(Counted::alive == 19);
  }
  CHECK(Counted::alive == 0);
}

// A host that fails at any of its reads, or cancels at any time, gets everything back that it lent.
void host_failures_unwind() {
  std::vector<std::pair<int, std::string>> rows;
  for (int i = 0; i < 12000; i++) {
    rows.emplace_back(i % 9001, std::string(60, 'x') + std::to_string(i));
  }
  int failures = 0;
  for (int64_t place = 1; place < 60; place += 3) {
    for (bool cancel : {false, true}) {
      LocalOptions options;
      options.memory_bytes = 0;
      (cancel ? options.cancelled_after : options.failing_read) = place;
      LocalDriver driver(heapspan_program_table(), options);
      {
        Context context(driver.table());
        auto pairs = context.parallelize(rows, 2);
        std::string failure = failure_of([&] { pairs.join(pairs.group_by_key()).sort_by_key().count(); });
        CHECK(failure.empty() || failure == "host failed");
        failures += !failure.empty();
        CHECK(driver.stage_error().message[0] == 0);
      }
      CHECK(driver.counters().bytes_reserved == driver.counters().bytes_released);
      CHECK(driver.counters().batches_lent == driver.counters().batches_released);
      CHECK(driver.counters().nodes_made == driver.counters().nodes_released);
    }
  }
  CHECK(failures > 20);
}

// Where equal keys are together, one partition has all values of a key.
void lookup_reads_few_partitions() {
  LocalDriver driver(heapspan_program_table(), {});
  Context context(driver.table());
  std::vector<std::pair<int, int>> rows;
  for (int i = 0; i < 100; i++) {
    rows.emplace_back(i % 10, i);
  }
  auto pairs = context.parallelize(rows, 4);
  auto read_for = [&](const auto& rdd) {
    int64_t before = driver.counters().collected_partitions;
    CHECK(rdd.lookup(7).size() == 10);
    return driver.counters().collected_partitions - before;
  };
  CHECK(read_for(pairs) == 4);
  CHECK(read_for(pairs.partition_by(6)) == 1);
  CHECK(read_for(pairs.partition_by(6).filter([](const auto&) { return true; })) == 1);
}

// Offsets into the strings of a column have 32 bits.
void too_many_characters_are_an_error() {
  heapspan::detail::Offsets offsets;
  offsets.push_end(std::numeric_limits<uint32_t>::max());
  CHECK(offsets.last() == std::numeric_limits<uint32_t>::max());
  CHECK(failure_of([&] { offsets.push_end(size_t{1} << 32); }) ==
        "the strings or arrays of one partition or one operator need more than 4 GB; use more partitions");
}

// Few rows that are large: memory is looked at by bytes, not by rows.
void large_rows_are_spilled() {
  LocalDriver driver(heapspan_program_table(), {.memory_bytes = 0});
  Context context(driver.table());
  std::vector<std::pair<int, std::string>> rows;
  for (int i = 0; i < 60; i++) {
    rows.emplace_back(i * 7 % 60, std::string(100000, static_cast<char>('a' + i % 26)));
  }
  auto pairs = context.parallelize(rows, 1).persist();
  auto spills_of = [&](const auto& rdd) {
    int64_t before = driver.counters().spills;
    CHECK(rdd.count() == 60);
    return driver.counters().spills - before;
  };
  CHECK(spills_of(pairs.partition_by(2)) > 10);
  auto divided = pairs.partition_by(1).persist();
  divided.count();
  CHECK(spills_of(divided.sort_by_key(true, 1)) > 10);
  CHECK(spills_of(divided.group_by_key()) > 10);
  CHECK(spills_of(divided.join(divided)) > 10);
  CHECK(spills_of(divided.reduce_by_key([](std::string_view a, std::string_view) { return a; })) > 10);
}

// The host has a file open for each spill, so that a map side merges what it has spilled.
void few_spills_at_a_time() {
  LocalDriver driver(heapspan_program_table(), {.memory_bytes = 0});
  Context context(driver.table());
  std::vector<int> numbers(1200);
  std::iota(numbers.begin(), numbers.end(), 0);
  auto rows = context.parallelize(numbers, 1)
                  .map([](int i) {
                    return std::pair(i, std::string(50000, static_cast<char>('a' + i % 26)) + std::to_string(i));
                  })
                  .partition_by(3)
                  .map([](const auto& row) { return std::pair(row.first, std::string(row.second.substr(49999))); });
  auto found = rows.collect();
  CHECK(driver.counters().spills > 150);
  CHECK(driver.counters().most_spills < 80);
  CHECK(found.size() == numbers.size());
  // The rows of each partition keep their order.
  std::map<int32_t, int> last;
  for (const auto& [number, text] : found) {
    CHECK(text == static_cast<char>('a' + number % 26) + std::to_string(number));
    int32_t partition = heapspan::detail::partition_of(heapspan::detail::hash_of(number), 3);
    CHECK(last.count(partition) == 0 || last[partition] < number);
    last[partition] = number;
  }
  CHECK(last.size() == 3);
}

// What main throws is an error of the program, and the host's own failure stays the host's.
void main_catches_everything() {
  LocalDriver driver(heapspan_program_table(), {});
  heapspan_error error = {};
  CHECK(run_main(driver, {"word-count", "/no/such/file", "out"}, error) == HEAPSPAN_HOST_FAILED);
  heapspan_driver wrong = *driver.table();
  wrong.boundary_version = 77;
  std::vector<const char*> arguments = {"word-count", "in", "out"};
  CHECK(heapspan_program_table()->main(&wrong, 3, arguments.data(), &error) == HEAPSPAN_PROGRAM_FAILED);
  CHECK(std::string(error.message).find("another version of the boundary") != std::string::npos);
}

// What the application gives and gets has a type; the program reads what it has given.
void values_of_the_application() {
  struct Person {
    std::string name;
    std::optional<int32_t> age;
  };
  struct Account {
    int16_t number;
    std::string owner;
  };
  using Row = std::tuple<bool, int8_t, int64_t, float, std::vector<std::byte>, std::map<std::string, double>>;
  LocalDriver driver(heapspan_program_table(), {});
  Context context(driver.table());
  auto people = context.parallelize(std::vector<Person>{{"Ada", 36}, {"Bob", {}}}, 3);
  people.output("people");
  CHECK(driver.output_type("people") == "(string,int32?)");
  auto read = context.input<Person>("people").collect();
  CHECK(read.size() == 2 && read[0].name == "Ada" && read[0].age == 36 && !read[1].age);
  people.map([](const auto& person) { return Account{7, std::string(person.name)}; }).output("accounts");
  CHECK(driver.output_type("accounts") == "(int16,string)");
  context.parallelize(std::vector<Row>{Row()}).output("rows");
  CHECK(driver.output_type("rows") == "(bool,int8,int64,float32,[int8],[(string,float64)])");
  context.parallelize(std::vector<double>{0.5}).output("numbers");
  CHECK(driver.output_type("numbers") == "float64");
  CHECK(context.input<double>("numbers").sum() == 0.5);
  CHECK(failure_of([&] { context.input<float>("numbers"); }) == "host failed");
  // The application would get lines, and bytes are not lines.
  CHECK(failure_of([&] { context.input<double>("numbers").save_as_binary("rdd:numbers"); }) ==
        "save_as_binary needs a folder, not 'rdd:numbers'; give the application elements with output(name)");
}

// Plain structs are exchanged by their fields.
void tables_have_columns() {
  struct Flight {
    int16_t delay;
    bool cancelled;
    double distance;
  };
  LocalDriver driver(heapspan_program_table(), {});
  Context context(driver.table());
  context.parallelize(std::vector<Flight>{{5, false, 0.5}, {-1, true, 2}}, 2)
      .save_as_parquet("flights", {"delay", "cancelled", "distance"});
  CHECK(driver.output_type("flights delay cancelled distance") == "(int16,bool,float64)");
  auto flights = context.parquet_file<Flight>("flights", {"delay", "cancelled", "distance"});
  CHECK(
      flights.map([](const Flight& flight) { return flight.distance + (flight.cancelled ? flight.delay : 0); }).sum() ==
      1.5);
  CHECK(flights.collect().size() == 2);
  flights.output("flights");
  CHECK(context.input<Flight>("flights").collect()[1].delay == -1);
  context.parallelize(std::vector<std::string>{"a"}).save_as_parquet("words", {"word"});
  CHECK(context.parquet_file<std::string>("words", {"word"}).first() == "a");
  CHECK(failure_of([&] { context.parquet_file<std::string>("words"); }) == "host failed");
}

// Damaged batches and captures are errors.
void damaged_bytes_are_errors() {
  using heapspan::detail::Column;
  using Row = std::pair<std::string, std::vector<std::optional<int>>>;
  Column<Row> column;
  for (int i = 0; i < 20; i++) {
    column.push(Row(std::string(static_cast<size_t>(i), 'x'), {i, std::nullopt}));
  }
  auto memory = heapspan::detail::write_batch(column);
  size_t bytes = memory.size() * sizeof(uint64_t);
  int refused = 0;
  int accepted = 0;
  for (size_t byte = 0; byte < bytes; byte++) {
    for (int bit = 0; bit < 8; bit += 3) {
      std::vector<uint64_t> copy(memory.begin(), memory.end());
      reinterpret_cast<unsigned char*>(copy.data())[byte] ^= static_cast<unsigned char>(1 << bit);
      Column<Row> damaged;
      try {
        heapspan::detail::read_batch(damaged, copy.data(), bytes);
        // What is accepted can be read.
        size_t length = 0;
        for (size_t i = 0; i < damaged.size(); i++) {
          auto [text, numbers] = damaged[i];
          length += text.size();
          for (auto number : numbers) {
            length += number ? 1 : 0;
          }
        }
        accepted += length > 0;
      } catch (const heapspan::Error&) {
        refused++;
      }
    }
  }
  CHECK(refused > 300);
  CHECK(accepted > 300);
  for (size_t words = 0; words < memory.size(); words++) {
    std::vector<uint64_t> copy(memory.begin(), memory.begin() + static_cast<ptrdiff_t>(words));
    Column<Row> cut;
    CHECK(failure_of([&] {
            heapspan::detail::read_batch(cut, copy.data(), words * sizeof(uint64_t));
          }).find("a batch is damaged") == 0);
  }
}

std::vector<std::string> parts(const heapspan::Split& split) {
  std::vector<std::string> parts;
  for (std::string_view part : split) {
    parts.emplace_back(part);
  }
  return parts;
}

void text() {
  using Texts = std::vector<std::string>;
  CHECK(parts(heapspan::split(" to\tbe  ")) == (Texts{"to", "be"}));
  CHECK(parts(heapspan::split("")).empty() && parts(heapspan::split(std::string_view())).empty());
  CHECK(parts(heapspan::split("\xC3\xA4 x")) == (Texts{"\xC3\xA4", "x"}));
  CHECK(parts(heapspan::split("a,,b,", ',')) == (Texts{"a", "", "b", ""}));
  CHECK(parts(heapspan::split("", ',')) == Texts{""} && parts(heapspan::split(std::string_view(), ',')) == Texts{""});
  auto field = heapspan::split("one").begin();
  CHECK(*field++ == "one" && (*field).empty());
  ++field;
  CHECK((*field).empty() && field == std::default_sentinel);
  CHECK(heapspan::parse<int>(" -5 ") == -5 && heapspan::parse<double>("1e3") == 1000);
  for (const char* wrong : {"", " ", "1x", "1 2", "99999999999"}) {
    CHECK(failure_of([&] { heapspan::parse<int>(wrong); }).find("not a number of the expected kind") == 0);
  }
  using Row = std::pair<int, std::array<double, 2>>;
  CHECK(heapspan::parse<Row>(" 1 2\t3e0 ") == Row(1, {2, 3}));
  for (const char* wrong : {"", "1 2", "1 2 3 4"}) {
    CHECK(failure_of([&] { heapspan::parse<Row>(wrong); }) ==
          "not as many words as expected: '" + std::string(wrong) + "'");
  }
  CHECK(failure_of([&] { heapspan::parse<Row>("1 2 x"); }) == "not a number of the expected kind: 'x'");
}

void each_two() {
  auto pairs_of = [](std::vector<int> elements) {
    std::vector<std::pair<int, int>> pairs;
    for (auto pair : heapspan::each_two(elements)) {
      pairs.push_back(pair);
    }
    return pairs;
  };
  CHECK(pairs_of({}).empty() && pairs_of({1}).empty());
  CHECK(pairs_of({3, 1, 2}) == (std::vector<std::pair<int, int>>{{3, 1}, {3, 2}, {1, 2}}));
}

void vectors() {
  using Vector = heapspan::Vector<2>;
  Vector a{1, 2};
  Vector b{3, 5};
  CHECK(a + b == (Vector{4, 7}) && b - a == (Vector{2, 3}));
  CHECK(2 * a == (Vector{2, 4}) && a * 2 == 2 * a && b / 2 == (Vector{1.5, 2.5}));
  CHECK(heapspan::dot(a, b) == 13 && heapspan::squared_distance(a, b) == 13);
  LocalDriver driver(heapspan_program_table(), {});
  Context context(driver.table());
  auto sums = context.parallelize(std::vector<std::pair<int, Vector>>{{1, a}, {2, b}, {1, b}}, 2)
                  .reduce_by_key(std::plus())
                  .collect_as_map();
  CHECK(sums.size() == 2 && sums.at(1) == a + b && sums.at(2) == b);
}

// The same in all builds and processes, for views and owning values; even in all of its parts.
void hashes() {
  CHECK(heapspan::hash(1L) == 0x4179b061e0c0e0d0U);
  CHECK(heapspan::hash("native") == 0xa8de97c5c9f7b957U);
  CHECK(heapspan::hash(std::string("a longer text than one word")) ==
        heapspan::hash(std::string_view("a longer text than one word")));
  CHECK(heapspan::hash(std::pair(std::string("x"), 2)) == heapspan::hash(std::tuple(std::string_view("x"), 2)));
  CHECK(heapspan::hash(std::vector<int>{1, 2}) == heapspan::hash(std::array{1, 2}));
  std::vector<int> of_partition(8);
  std::set<uint32_t> slots;
  for (int64_t key = 0; key < 80000; key++) {
    uint64_t hash = heapspan::hash(key);
    auto partition = heapspan::detail::partition_of(hash, 8);
    of_partition[static_cast<size_t>(partition)]++;
    if (partition == 3) {
      slots.insert(heapspan::detail::table_hash(hash) >> 22);
    }
  }
  CHECK(*std::min_element(of_partition.begin(), of_partition.end()) > 9500);
  CHECK(slots.size() > 1020);
}

}  // namespace

int main() {
  hashes();
  text();
  each_two();
  vectors();
  word_count();
  page_rank();
  narrow_operators_are_one_loop();
  helpers_take_any_range();
  failures_name_the_operator();
  late_uses_are_errors();
  broadcasts_are_freed();
  host_failures_unwind();
  lookup_reads_few_partitions();
  too_many_characters_are_an_error();
  large_rows_are_spilled();
  few_spills_at_a_time();
  main_catches_everything();
  values_of_the_application();
  tables_have_columns();
  damaged_bytes_are_errors();
  return heapspan::testing::check_result("program_test");
}
