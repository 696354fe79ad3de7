// The native program of NativeProgramIT. The first argument says what to do; results are text files.

#include <heapspan/rdd.hpp>

#include <atomic>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using heapspan::Arguments;
using heapspan::Context;
using heapspan::Rdd;
using heapspan::StorageLevel;

auto words_of(Context& context, std::string_view path) {
  return context.text_file(path, 4)
      .flat_map([](std::string_view line) { return heapspan::split(line); })
      .map_to_pair([](std::string_view word) { return std::pair(word, int64_t{1}); });
}

// words IN OUT: how often each word comes, ordered by word.
void count_words(Context& context, Arguments args) {
  words_of(context, args[2])
      .reduce_by_key([](int64_t a, int64_t b) { return a + b; })
      .sort_by_key()
      .save_as_text_file(args[3]);
}

// ranks IN OUT ITERATIONS: PageRank over lines "from to", with links that stay in memory.
void rank_pages(Context& context, Arguments args) {
  auto links = context.text_file(args[2])
                   .map_to_pair([](std::string_view line) {
                     auto space = line.find(' ');
                     return std::pair(std::string(line.substr(0, space)), std::string(line.substr(space + 1)));
                   })
                   .distinct()
                   .group_by_key(3)
                   .persist(StorageLevel::memory_and_disk);
  Rdd<std::pair<std::string, double>> ranks = links.map_values([](const auto&) { return 1.0; });
  for (int i = heapspan::parse<int>(args[4]); i > 0; i--) {
    ranks = links.join(ranks)
                .values()
                .flat_map([](const auto& pair) {
                  std::vector<std::pair<std::string, double>> shares;
                  for (const auto& target : pair.first) {
                    shares.emplace_back(std::string(target), pair.second / static_cast<double>(pair.first.size()));
                  }
                  return shares;
                })
                .reduce_by_key([](double a, double b) { return a + b; })
                .map_values([](double rank) { return 0.15 + 0.85 * rank; });
  }
  ranks.sort_by_key().save_as_text_file(args[3]);
  links.unpersist();
}

// shared IN OUT: one line each for what actions, broadcasts, accumulators and storage levels give.
void share_values(Context& context, Arguments args) {
  std::vector<std::string> results;
  auto lines = context.text_file(args[2], 5);
  auto seen = context.accumulator<int64_t>("lines");
  auto limit = context.broadcast(std::vector<int64_t>{3, 5});
  std::string large(200'000, 'x');
  for (StorageLevel level : {StorageLevel::memory, StorageLevel::memory_and_disk, StorageLevel::disk}) {
    auto lengths = lines
                       .map(
                           [](std::string_view line, auto& sum, auto& bounds, std::string_view text) {
                             sum.add(1);
                             return static_cast<int64_t>(line.size()) + bounds->at(0) + static_cast<int64_t>(text.size());
                           },
                           seen, limit, large)
                       .persist(level);
    int64_t first = lengths.sum();
    int64_t second = lengths.coalesce(2).union_with(lengths).sum();
    results.push_back("sum " + std::to_string(first) + " " + std::to_string(second));
    lengths.unpersist();
  }
  // Each level computed the lengths once.
  results.push_back("seen " + std::to_string(seen.value()));
  limit.destroy();
  std::vector<int64_t> numbers;
  for (int64_t i = 0; i < 100; i++) {
    numbers.push_back(i);
  }
  auto made = context.parallelize(numbers, 7);
  results.push_back("cartesian " + std::to_string(made.cartesian(made.coalesce(2)).count()));
  results.push_back("zip " + std::to_string(made.zip(made).map([](const auto& pair) { return pair.first * pair.second; }).sum()));
  // The second sum reads what the first has written.
  auto squares = made.map([](int64_t number) { return number * number; }).checkpoint();
  int64_t computed = squares.sum();
  results.push_back("checkpoint " + std::to_string(computed) + " " + std::to_string(squares.sum()));
  std::string taken;
  for (int64_t number : made.take(12)) {
    taken += std::to_string(number) + ",";
  }
  results.push_back("take " + taken);
  context.parallelize(results, 1).save_as_text_file(args[3]);
}

// Counts how many of it are in a process.
class Counted {
 public:
  Counted() { alive++; }
  Counted(const Counted& other) : number_(other.number_) { alive++; }
  Counted& operator=(const Counted&) = default;
  ~Counted() { alive--; }
  auto fields() { return std::tie(number_); }
  auto fields() const { return std::tie(number_); }
  static inline std::atomic<int64_t> alive = 0;

 private:
  int64_t number_ = 0;
};

auto made_everywhere(Context& context) { return context.parallelize(std::vector<int64_t>(16, 1), 16); }

// broadcasts: makes some that are destroyed, and some that are not used any more.
void make_broadcasts(Context& context) {
  for (int64_t i = 0; i < 10; i++) {
    auto counted = context.broadcast(Counted());
    made_everywhere(context).foreach([](int64_t, const auto& value) { static_cast<void>(*value); }, counted);
    if (i % 2 == 0) {
      counted.destroy();
    }
  }
}

// decoded OUT: how many of them executors have.
void count_broadcasts(Context& context, Arguments args) {
  made_everywhere(context).map([](int64_t) { return Counted::alive.load(); }).save_as_text_file(args[2]);
}

// groups COUNT OUT: groups COUNT numbers by a key of 64 bytes, which takes more memory than a task may have.
void group_much(Context& context, Arguments args) {
  int64_t count = std::stoll(std::string(args[2]));
  std::vector<int64_t> parts;
  for (int64_t i = 0; i < 4; i++) {
    parts.push_back(i);
  }
  context.parallelize(parts, 4)
      .flat_map(
          [](int64_t part, int64_t total) {
            std::vector<std::pair<std::string, int64_t>> pairs;
            for (int64_t i = part; i < total; i += 4) {
              std::string key = std::to_string(i * 7919 % (total / 3 + 1));
              key.resize(64, '.');
              pairs.emplace_back(std::move(key), i);
            }
            return pairs;
          },
          count)
      .group_by_key(4)
      .map([](const auto& group) {
        int64_t sum = 0;
        for (int64_t value : group.second) {
          sum += value;
        }
        return std::pair(static_cast<int64_t>(group.second.size()), sum);
      })
      .reduce_by_key([](int64_t a, int64_t b) { return a + b; })
      .sort_by_key()
      .save_as_text_file(args[3]);
}

// endless: a job that nobody waits for, with a table and the output of a shuffle in memory.
void count_pairs(Context& context) {
  auto numbers = context.parallelize(std::vector<int64_t>{0, 1, 2, 3}, 2).flat_map([](int64_t part) {
    std::vector<int64_t> made;
    for (int64_t i = 0; i < 50'000; i++) {
      made.push_back(part * 50'000 + i);
    }
    return made;
  });
  numbers.cartesian(numbers)
      .map_to_pair([](const auto& pair) { return std::pair((pair.first * 31 + pair.second) % 50'000, int64_t{1}); })
      .reduce_by_key([](int64_t a, int64_t b) { return a + b; })
      .count();
}

// deep COUNT OUT: so many stages that feed each other.
void chain_stages(Context& context, Arguments args) {
  Rdd<int64_t> numbers = context.parallelize(std::vector<int64_t>{0, 1}, 1);
  int64_t count = std::stoll(std::string(args[2]));
  for (int64_t i = 0; i < count; i++) {
    numbers = numbers.map([](int64_t number) { return number + 1; });
  }
  numbers.save_as_text_file(args[3]);
}

// values: gives back the rows of the application, its numbers plus one, and the sums of its pairs.
void exchange_values(Context& context) {
  using Row = std::tuple<bool, int8_t, int16_t, int32_t, int64_t, float, double, std::string, std::vector<std::byte>,
                         std::vector<double>, std::optional<std::string>>;
  context.input<Row>("rows").filter([](const auto& row) { return std::get<3>(row) >= 0; }).output("rows");
  context.input<int64_t>("numbers").map([](int64_t number) { return number + 1; }).output("numbers");
  context.input<std::pair<std::string, int64_t>>("pairs")
      .reduce_by_key([](int64_t a, int64_t b) { return a + b; })
      .output("sums");
}

// sum_by_key FACTOR: what an application calls by this name, with its pairs.
void sum_by_key(Context& context, Arguments args) {
  context.input<std::pair<std::string, int64_t>>("input")
      .map_values([](int64_t value, int64_t factor) { return value * factor; }, heapspan::parse<int64_t>(args[2]))
      .reduce_by_key([](int64_t a, int64_t b) { return a + b; })
      .output("output");
}

// echo and increment: what an application calls by these names, with tuples of many types and with numbers.
void echo(Context& context) {
  using Row = std::tuple<bool, int32_t, int64_t, double, std::string, std::vector<std::byte>, std::vector<double>,
                         std::optional<std::string>, std::pair<int8_t, std::string>>;
  context.input<Row>("input").output("output");
}

void increment(Context& context) {
  context.input<int64_t>("input").map([](int64_t number) { return number + 1; }).output("output");
}

// table IN OUT: copies the rows of a table that have a ratio, with columns in another order.
void copy_table(Context& context, Arguments args) {
  using Row = std::tuple<std::string, std::optional<double>, int32_t, int64_t, std::vector<int64_t>>;
  const std::vector<std::string> columns{"name", "ratio", "day", "small", "list"};
  context.parquet_file<Row>(args[2], columns)
      .filter([](const auto& row) { return std::get<1>(row).has_value(); })
      .save_as_parquet(args[3], columns);
}

// delays IN OUT: the sums of delays and distances of flights, by airport.
void sum_delays(Context& context, Arguments args) {
  context.parquet_file<std::tuple<std::string, int32_t, int32_t>>(args[2], {"origin", "delay", "distance"})
      .map_to_pair([](const auto& flight) {
        const auto& [origin, delay, distance] = flight;
        return std::pair(origin, std::pair(int64_t{delay}, int64_t{distance}));
      })
      .reduce_by_key([](const auto& a, const auto& b) { return std::pair(a.first + b.first, a.second + b.second); })
      .sort_by_key()
      .save_as_text_file(args[3]);
}

// fail IN: a kernel throws.
void fail(Context& context, Arguments args) {
  context.text_file(args[2])
      .filter([](std::string_view line) { return !line.empty(); })
      .map([](std::string_view line) -> int64_t {
        if (line.size() > 3) {
          throw std::runtime_error("no number in " + std::string(line.substr(0, 4)));
        }
        return 1;
      })
      .count();
}

// crash map|reduce IN: a kernel writes to where no memory is, on the map side of a shuffle or behind it.
void crash(Context& context, Arguments args) {
  auto write = [](const auto& pair, bool crashes) {
    if (crashes && pair.first == "w7") {
      *reinterpret_cast<volatile char*>(static_cast<uintptr_t>(pair.second)) = 1;
    }
    return true;
  };
  bool in_map = args[2] == "map";
  words_of(context, args[3])
      .filter(write, in_map)
      .reduce_by_key([](int64_t a, int64_t b) { return a + b; })
      .filter(write, !in_map)
      .count();
}

}  // namespace

HEAPSPAN_MAIN(context, args) {
  std::string_view what = args[1];
  if (what == "words") {
    count_words(context, args);
  } else if (what == "ranks") {
    rank_pages(context, args);
  } else if (what == "shared") {
    share_values(context, args);
  } else if (what == "broadcasts") {
    make_broadcasts(context);
  } else if (what == "decoded") {
    count_broadcasts(context, args);
  } else if (what == "groups") {
    group_much(context, args);
  } else if (what == "endless") {
    count_pairs(context);
  } else if (what == "deep") {
    chain_stages(context, args);
  } else if (what == "values") {
    exchange_values(context);
  } else if (what == "sum_by_key") {
    sum_by_key(context, args);
  } else if (what == "echo") {
    echo(context);
  } else if (what == "increment") {
    increment(context);
  } else if (what == "table") {
    copy_table(context, args);
  } else if (what == "delays") {
    sum_delays(context, args);
  } else if (what == "crash") {
    crash(context, args);
  } else if (what == "fail") {
    fail(context, args);
  } else {
    throw std::invalid_argument("unknown check " + std::string(what));
  }
}
