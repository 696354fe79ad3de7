#include <heapspan/rdd.hpp>

// Sorts records of 100 bytes by their first 10, as Hadoop's TeraSort does, whose records are the same.
//   terasort generate RECORDS OUTPUT
//   terasort sort INPUT OUTPUT
//   terasort validate OUTPUT RECORDS

using Key = std::array<unsigned char, 10>;

struct Record {
  Key key = {};
  std::array<unsigned char, 90> rest = {};
};

// The random numbers of Hadoop's generator: the next is this one times a multiplier, plus an increment, modulo 2 to the
// power of 128.
__extension__ using Number = unsigned __int128;
constexpr Number number(uint64_t high, uint64_t low) { return Number{high} << 64 | low; }
constexpr Number multiplier = number(0x2360ed051fc65da4, 0x4385df649fccf645);
constexpr Number increment = number(0x4a696d4772617952, 0x4950202020202001);

// The number after so many steps from 0.
Number random_after(uint64_t steps) {
  Number result = 0;
  Number factor = multiplier;
  Number summand = increment;
  for (; steps != 0; steps /= 2) {
    if (steps % 2 != 0) {
      result = result * factor + summand;
    }
    summand = summand * factor + summand;
    factor = factor * factor;
  }
  return result;
}

unsigned char hex_digit(Number value, unsigned position) {
  return static_cast<unsigned char>("0123456789ABCDEF"[static_cast<unsigned>(value >> (4 * (31 - position))) & 15]);
}

Record make_record(uint64_t row, Number random) {
  Record record;
  for (unsigned i = 0; i < 10; i++) {
    record.key[i] = static_cast<unsigned char>(random >> (8 * (15 - i)));
  }
  auto& rest = record.rest;
  rest[1] = 0x11;
  for (unsigned i = 0; i < 32; i++) {
    rest[2 + i] = hex_digit(row, i);
  }
  const unsigned char marks[] = {0x88, 0x99, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF};
  std::copy(marks, marks + 4, rest.begin() + 34);
  for (unsigned i = 0; i < 48; i++) {
    rest[38 + i] = hex_digit(random, 20 + i / 4);
  }
  std::copy(marks + 4, marks + 8, rest.begin() + 86);
  return record;
}

// The rows of one task, made while they are read.
class Rows {
 public:
  class Iterator {
   public:
    explicit Iterator(uint64_t row) : row_(row), random_(random_after(row)) {}
    Record operator*() const { return make_record(row_, random_ * multiplier + increment); }
    Iterator& operator++() {
      row_++;
      random_ = random_ * multiplier + increment;
      return *this;
    }
    bool operator!=(uint64_t end) const { return row_ != end; }

   private:
    uint64_t row_;
    Number random_;
  };
  Rows(uint64_t begin, uint64_t end) : begin_(begin), end_(end) {}
  Iterator begin() const { return Iterator(begin_); }
  uint64_t end() const { return end_; }

 private:
  uint64_t begin_;
  uint64_t end_;
};

// What validation knows of a range of records.
struct Summary {
  Key first = {};
  Key last = {};
  uint64_t records = 0;
  // The sum over all records of a hash of their bytes: the same for all orders.
  uint64_t checksum = 0;
  bool ordered = true;
};

uint64_t checksum(const Record& record) { return heapspan::hash(record); }

void generate(heapspan::Context& context, uint64_t records, std::string_view output) {
  auto tasks = static_cast<uint64_t>(context.default_parallelism());
  std::vector<std::pair<uint64_t, uint64_t>> ranges;
  for (uint64_t i = 0; i < tasks; i++) {
    ranges.emplace_back(records * i / tasks, records * (i + 1) / tasks);
  }
  context.parallelize(ranges, static_cast<int>(tasks))
      .flat_map([](const auto& range) { return Rows(range.first, range.second); })
      .save_as_binary(output);
}

void sort(heapspan::Context& context, std::string_view input, std::string_view output) {
  context.binary_records<Record>(input)
      .map_to_pair([](const Record& record) { return std::pair(record.key, record.rest); })
      .sort_by_key()
      .map([](const auto& pair) { return Record{pair.first, pair.second}; })
      .save_as_binary(output);
}

Summary summarize(heapspan::Context& context, std::string_view input) {
  auto parts = context.binary_records<Record>(input)
                   .map_partitions([](const auto& records) {
                     std::vector<Summary> summaries;
                     if (!records.empty()) {
                       Summary summary{.first = records.front().key, .last = records.front().key};
                       for (const Record& record : records) {
                         summary.ordered &= !(record.key < summary.last);
                         summary.last = record.key;
                         summary.records++;
                         summary.checksum += checksum(record);
                       }
                       summaries.push_back(summary);
                     }
                     return summaries;
                   })
                   .collect();
  Summary whole;
  for (const Summary& part : parts) {
    whole.ordered &= part.ordered && !(part.first < whole.last);
    whole.last = part.last;
    whole.records += part.records;
    whole.checksum += part.checksum;
  }
  return whole;
}

void validate(heapspan::Context& context, std::string_view output, uint64_t records) {
  Summary summary = summarize(context, output);
  if (!summary.ordered) {
    throw heapspan::Error("the records are not in order");
  }
  if (summary.records != records) {
    throw heapspan::Error("there are " + std::to_string(summary.records) + " records, not " + std::to_string(records));
  }
  uint64_t expected = 0;
  for (const Record& record : Rows(0, records)) {
    expected += checksum(record);
  }
  if (summary.checksum != expected) {
    throw heapspan::Error("the records are not those that were generated");
  }
}

HEAPSPAN_MAIN(context, args) {
  if (args.size() == 4 && args[1] == "generate") {
    generate(context, heapspan::parse<uint64_t>(args[2]), args[3]);
  } else if (args.size() == 4 && args[1] == "sort") {
    sort(context, args[2], args[3]);
  } else if (args.size() == 4 && args[1] == "validate") {
    validate(context, args[2], heapspan::parse<uint64_t>(args[3]));
  } else {
    throw heapspan::Error("usage: terasort generate RECORDS OUTPUT | sort INPUT OUTPUT | validate OUTPUT RECORDS");
  }
}
