// Runs a fuzz target where there is no libFuzzer: gcc has the instrumentation that tells which code an input reached,
// but no driver for it.
//
//   TARGET [-max_total_time=SECONDS] [-runs=N] [-seed=N] [-max_len=BYTES] [-exact_artifact_path=FILE]
//                    until the first limit there is, or a finding, which is kept in the file
//   TARGET FILE...   runs these inputs
//
// The options are libFuzzer's, so that a script need not know which of the two it starts.
// Keeps in memory the inputs that reached something new and changes them again and again. The same seed makes the same
// inputs in the same order. After a finding, the input is in FILE and the exit code is not 0.

#include <fcntl.h>
#include <sanitizer/common_interface_defs.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "fuzz_byte_mutation.h"
#include "fuzz_random.h"
#include "fuzz_target.h"

extern "C" {
// The beginning of the program in memory; from the linker.
extern const char __executable_start;

void __sanitizer_cov_trace_pc();

// How much memory that was freed stays unused; the default lets the search wait for fresh pages.
__attribute__((visibility("default"))) const char* __asan_default_options() { return "quarantine_size_mb=8"; }
}

namespace {

using heapspan::testing::RandomNumbers;
using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kSeedInputs = 256;
constexpr unsigned kHangSeconds = 60;
constexpr std::int64_t kReportSeconds = 60;
constexpr int kFindingExitCode = 77;

// --- what an input reached ----------------------------------------------------------------------

// Counts by edge, an edge being two basic blocks one after the other. The blocks' addresses are hashed, so that two
// edges may share a count; with some thousand of them that is rare.
constexpr std::size_t kEdges = 1 << 16;

struct Trace {
  std::uint8_t counts[kEdges];
  std::uint16_t touched[kEdges];
  std::size_t touched_count;
  std::uint64_t previous_block;
};
Trace trace = {};

class Coverage {
 public:
  // Forgets the trace; whether it has an edge that is new, or one that was never taken so often.
  bool add_trace() {
    bool found = false;
    for (std::size_t i = 0; i < trace.touched_count; i++) {
      const std::size_t edge = trace.touched[i];
      const std::uint8_t magnitude = magnitude_of(trace.counts[edge]);
      trace.counts[edge] = 0;
      if ((seen_[edge] & magnitude) == 0) {
        edges_ += seen_[edge] == 0;
        seen_[edge] |= magnitude;
        found = true;
      }
    }
    trace.touched_count = 0;
    trace.previous_block = 0;
    return found;
  }

  std::size_t edges() const { return edges_; }

 private:
  // One of eight bits: a loop that runs once more is no news, one that runs twice as often is.
  static std::uint8_t magnitude_of(std::uint8_t count) {
    return static_cast<std::uint8_t>(1 << (std::bit_width(count) - 1));
  }

  std::uint8_t seen_[kEdges] = {};
  std::size_t edges_ = 0;
};

// --- findings -----------------------------------------------------------------------------------

// The input that runs; null between inputs, so that what fails there is not blamed on one.
const std::uint8_t* volatile current_data = nullptr;
volatile std::size_t current_size = 0;
const char* finding_file = "fuzz-finding.bin";

void say(const char* text) {
  // Nothing can be done if it fails.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text, std::strlen(text));
}

// Called where a sanitizer or a signal ends the process: system calls only.
void keep_input() {
  if (current_data == nullptr) {
    return;
  }
  const int file = open(finding_file, O_CREAT | O_WRONLY | O_TRUNC, 0644);
  const ssize_t written = file < 0 ? -1 : write(file, current_data, current_size);
  const bool is_kept = written >= 0 && static_cast<std::size_t>(written) == current_size;
  say(is_kept ? "fuzz: FINDING; input written to " : "fuzz: FINDING; input could not be written to ");
  say(finding_file);
  say("; this program repeats it with that file as its argument\n");
  current_data = nullptr;
}

void on_abort(int) {
  keep_input();
  _exit(kFindingExitCode);
}

volatile std::uint64_t executions = 0;
volatile std::uint64_t executions_at_alarm = 0;

void on_alarm(int) {
  if (executions == executions_at_alarm) {
    say("fuzz: one input runs longer than a minute\n");
    on_abort(0);
  }
  executions_at_alarm = executions;
  alarm(kHangSeconds);
}

void watch() {
  __sanitizer_set_death_callback(keep_input);
  struct sigaction action = {};
  action.sa_handler = on_abort;
  sigaction(SIGABRT, &action, nullptr);
  action.sa_handler = on_alarm;
  sigaction(SIGALRM, &action, nullptr);
  alarm(kHangSeconds);
}

void execute(const Bytes& input) {
  // A copy of its own, so that AddressSanitizer sees what goes beyond.
  std::uint8_t* const data = static_cast<std::uint8_t*>(std::malloc(std::max<std::size_t>(input.size(), 1)));
  std::copy(input.begin(), input.end(), data);
  current_size = input.size();
  current_data = data;
  LLVMFuzzerTestOneInput(data, input.size());
  current_data = nullptr;
  executions = executions + 1;
  std::free(data);
}

// --- the search ---------------------------------------------------------------------------------

struct Options {
  std::uint64_t seconds = ~0ULL;
  std::uint64_t runs = ~0ULL;
  std::uint64_t seed = 0;
  std::uint64_t max_input_bytes = 4096;
};

class Search {
 public:
  explicit Search(const Options& options)
      : options_(options), numbers_(options.seed), scratch_(options.max_input_bytes) {}

  void run() {
    heapspan::testing::seed_byte_mutations(numbers_.next());
    for (std::size_t i = 0; i < kSeedInputs && !is_over(); i++) {
      try_input(mutated({}, 1));
    }
    while (!is_over()) {
      if (executions % 1024 == 0) {
        report_now_and_then();
      }
      try_input(next_input());
    }
    report();
  }

 private:
  using Clock = std::chrono::steady_clock;

  std::int64_t elapsed_seconds() const {
    return std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begin_).count();
  }

  bool is_over() {
    return executions >= options_.runs || static_cast<std::uint64_t>(elapsed_seconds()) >= options_.seconds;
  }

  void report_now_and_then() {
    if (elapsed_seconds() >= reported_seconds_ + kReportSeconds) {
      reported_seconds_ = elapsed_seconds();
      report();
    }
  }

  void report() const {
    std::size_t bytes = 0;
    for (const Bytes& each : corpus_) {
      bytes += each.size();
    }
    std::printf("fuzz: %llu executions in %lld s, %zu edges, corpus of %zu inputs with %zu bytes, seed %llu\n",
                static_cast<unsigned long long>(executions), static_cast<long long>(elapsed_seconds()),
                coverage_.edges(), corpus_.size(), bytes, static_cast<unsigned long long>(options_.seed));
    std::fflush(stdout);
  }

  void try_input(Bytes input) {
    coverage_.add_trace();  // what ran since the last input is not this one's
    execute(input);
    if (coverage_.add_trace()) {
      corpus_.push_back(std::move(input));
    }
  }

  // Half of the time one of the latest: they are the least explored.
  const Bytes& any_input() {
    const std::size_t latest = std::min<std::size_t>(corpus_.size(), 32);
    const std::size_t choice =
        numbers_.one_in(2) ? corpus_.size() - 1 - numbers_.below(latest) : numbers_.below(corpus_.size());
    return corpus_[choice];
  }

  Bytes next_input() {
    return mutated(numbers_.one_in(10) ? spliced(any_input(), any_input()) : any_input(), 1ULL << numbers_.below(3));
  }

  Bytes mutated(const Bytes& input, std::uint64_t times) {
    std::copy(input.begin(), input.end(), scratch_.begin());
    std::size_t size = input.size();
    for (std::uint64_t i = 0; i < times; i++) {
      size =
          LLVMFuzzerCustomMutator(scratch_.data(), size, scratch_.size(), static_cast<unsigned int>(numbers_.next()));
    }
    return {scratch_.begin(), scratch_.begin() + static_cast<std::ptrdiff_t>(size)};
  }

  // The beginning of one and the end of the other.
  Bytes spliced(const Bytes& first, const Bytes& second) {
    Bytes result(first.begin(), first.begin() + offset_in(first));
    result.insert(result.end(), second.begin() + offset_in(second), second.end());
    result.resize(std::min(result.size(), scratch_.size()));
    return result;
  }

  std::ptrdiff_t offset_in(const Bytes& input) { return static_cast<std::ptrdiff_t>(numbers_.below(input.size() + 1)); }

  const Options options_;
  RandomNumbers numbers_;
  Coverage coverage_;
  std::vector<Bytes> corpus_;
  Bytes scratch_;
  const Clock::time_point begin_ = Clock::now();
  std::int64_t reported_seconds_ = 0;
};

// --- the command line ---------------------------------------------------------------------------

bool starts_with(const char* text, const char* prefix) { return std::strncmp(text, prefix, std::strlen(prefix)) == 0; }

// Whether `argument` is an option with a number, which is then stored.
bool read_number(const char* argument, const char* name, std::uint64_t& number) {
  if (!starts_with(argument, name)) {
    return false;
  }
  char* end = nullptr;
  const char* const digits = argument + std::strlen(name);
  number = std::strtoull(digits, &end, 10);
  if (end == digits || *end != '\0') {
    std::fprintf(stderr, "fuzz: expected a number behind %s, found '%s'\n", name, digits);
    std::exit(2);
  }
  return true;
}

Bytes contents_of(const char* path) {
  std::FILE* const file = std::fopen(path, "rb");
  if (file == nullptr) {
    std::fprintf(stderr, "fuzz: cannot read %s: %s\n", path, std::strerror(errno));
    std::exit(2);
  }
  Bytes contents;
  for (int byte = std::fgetc(file); byte != EOF; byte = std::fgetc(file)) {
    contents.push_back(static_cast<std::uint8_t>(byte));
  }
  std::fclose(file);
  return contents;
}

}  // namespace

// Called at the beginning of each basic block of what is instrumented.
__attribute__((no_sanitize("address", "undefined"))) void __sanitizer_cov_trace_pc() {
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  const std::uint64_t offset = here - reinterpret_cast<std::uintptr_t>(&__executable_start);
  const std::uint64_t block = offset * 0x9e3779b97f4a7c15ULL >> 48;
  const std::uint64_t edge = (block ^ trace.previous_block) % kEdges;
  trace.previous_block = block >> 1;
  if (trace.counts[edge] == 0) {
    trace.touched[trace.touched_count++] = static_cast<std::uint16_t>(edge);
  }
  trace.counts[edge] = static_cast<std::uint8_t>(trace.counts[edge] + (trace.counts[edge] != 255));
}

int main(int argc, char** argv) {
  Options options;
  options.seed = static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  std::vector<const char*> files;
  for (int i = 1; i < argc; i++) {
    if (starts_with(argv[i], "-exact_artifact_path=")) {
      finding_file = argv[i] + std::strlen("-exact_artifact_path=");
    } else if (argv[i][0] != '-') {
      files.push_back(argv[i]);
    } else if (!read_number(argv[i], "-max_total_time=", options.seconds) &&
               !read_number(argv[i], "-runs=", options.runs) && !read_number(argv[i], "-seed=", options.seed) &&
               !read_number(argv[i], "-max_len=", options.max_input_bytes)) {
      std::fprintf(stderr,
                   "fuzz: no option '%s'; there are -max_total_time=, -runs=, -seed=, -max_len=, "
                   "-exact_artifact_path= and files\n",
                   argv[i]);
      return 2;
    }
  }
  LLVMFuzzerInitialize(&argc, &argv);
  if (!files.empty()) {
    for (const char* file : files) {
      execute(contents_of(file));
      std::printf("fuzz: nothing found in %s\n", file);
    }
    return 0;
  }
  watch();
  static Search search(options);
  search.run();
  return 0;
}
