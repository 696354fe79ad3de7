#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>

#include "example_run.h"

// The program examples/native/graphalytics on the graphs and outputs that the authors of LDBC Graphalytics publish to
// validate an implementation. The arguments are the folder of the program and the archive of the graphs.

namespace {

using namespace heapspan::testing;

constexpr double tolerance = 1e-4;
constexpr int skipped = 77;

using Values = std::map<int64_t, double>;

std::string text_of(const files::path& file) {
  std::ifstream in(file);
  CHECK(in.good());
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// Lines "vertex value", or "(vertex,value)".
Values parse(std::string text) {
  for (char& c : text) {
    c = c == '(' || c == ')' || c == ',' ? ' ' : c;
  }
  std::istringstream in(text);
  Values values;
  std::string value;
  for (int64_t vertex = 0; in >> vertex >> value;) {
    values[vertex] = value == "Infinity" ? INFINITY : std::stod(value);
  }
  return values;
}

bool same(const Values& expected, const Values& found) {
  return expected.size() == found.size() &&
         std::equal(expected.begin(), expected.end(), found.begin(), [](const auto& a, const auto& b) {
           return a.first == b.first &&
                  (a.second == b.second || std::abs(a.second - b.second) <= tolerance * std::abs(a.second));
         });
}

// Which number stands for a component does not matter.
std::set<std::set<int64_t>> components(const Values& labels) {
  std::map<double, std::set<int64_t>> parts;
  for (auto [vertex, label] : labels) {
    parts[label].insert(vertex);
  }
  std::set<std::set<int64_t>> all;
  for (const auto& part : parts) {
    all.insert(part.second);
  }
  return all;
}

struct Test {
  files::path programs;
  const Folder* folder;
  int runs = 0;

  // `vertices` and `edges` are files.
  void check(const std::string& algorithm, bool directed, const std::string& vertices, const std::string& edges,
             const std::string& parameter, const files::path& expected_file) {
    std::string output = *folder / ("output" + std::to_string(++runs));
    std::vector<std::string> arguments{algorithm, directed ? "directed" : "undirected", vertices, edges, output};
    if (!parameter.empty()) {
      arguments.push_back(parameter);
    }
    std::string failure = run_example(programs, "graphalytics", arguments);
    std::string text;
    if (failure.empty()) {
      for (const std::string& line : lines_of(output)) {
        text += line + "\n";
      }
    }
    Values expected = parse(text_of(expected_file));
    Values found = parse(text);
    bool right = algorithm == "wcc" ? expected.size() == found.size() && components(expected) == components(found)
                                    : same(expected, found);
    if (!failure.empty() || expected.empty() || !right) {
      std::fprintf(stderr, "%s, %s: %s\nfound\n%s", algorithm.c_str(), expected_file.c_str(), failure.c_str(),
                   text.c_str());
    }
    CHECK(failure.empty() && !expected.empty() && right);
  }

  // A graph whose lines have a vertex and its neighbors; if it is not directed, each edge at both ends.
  void check_adjacency(const std::string& algorithm, bool directed, const std::string& parameter,
                       const files::path& graphs) {
    std::string prefix = directed ? "dir" : "undir";
    std::istringstream lines(text_of(graphs / algorithm / (prefix + "-input")));
    std::string vertices;
    std::string edges;
    for (std::string line; std::getline(lines, line);) {
      std::istringstream numbers(line);
      int64_t from = 0;
      if (numbers >> from) {
        vertices += std::to_string(from) + "\n";
      }
      for (int64_t to = 0; numbers >> to;) {
        if (directed || from < to) {
          edges += std::to_string(from) + " " + std::to_string(to) + "\n";
        }
      }
    }
    check(algorithm, directed, folder->write("vertices", vertices), folder->write("edges", edges), parameter,
          graphs / algorithm / (prefix + "-output"));
  }
};

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count != 3) {
    std::fprintf(stderr, "usage: graphalytics_test PROGRAMS ARCHIVE\n");
    return 2;
  }
  const char* data = std::getenv("HEAPSPAN_DATA");
  files::path archive =
      files::path(data != nullptr ? data : arguments[2]) / "ldbc-graphalytics-validation-graphs.tar.gz";
  if (!files::exists(archive)) {
    std::fprintf(stderr, "skipped, because there is no file %s\n", archive.c_str());
    return skipped;
  }
  Folder folder("graphalytics-test");
  std::string unpack = "tar -xzf '" + archive.string() + "' -C '" + (folder / "").string() + "'";
  CHECK(std::system(unpack.c_str()) == 0);
  files::path graphs = folder / "graphalytics-validation/src/main/resources/validation-graphs";
  Test test{arguments[1], &folder};
  for (bool directed : {true, false}) {
    test.check_adjacency("bfs", directed, "1", graphs);
    test.check_adjacency("cdlp", directed, "5", graphs);
    test.check_adjacency("lcc", directed, "", graphs);
    test.check_adjacency("pr", directed, directed ? "14" : "26", graphs);
    test.check_adjacency("wcc", directed, "", graphs);
    std::string paths = graphs / "sssp" / (directed ? "dir" : "undir");
    test.check("sssp", directed, paths + "-input.v", paths + "-input.e", "1", paths + "-output");

    std::string example = graphs / "example" / (directed ? "example-directed" : "example-undirected");
    const std::string source = directed ? "1" : "2";
    const std::array<std::array<std::string, 3>, 6> algorithms{{{"bfs", "BFS", source},
                                                                {"cdlp", "CDLP", "2"},
                                                                {"lcc", "LCC", ""},
                                                                {"pr", "PR", "2"},
                                                                {"sssp", "SSSP", source},
                                                                {"wcc", "WCC", ""}}};
    for (const auto& [algorithm, suffix, parameter] : algorithms) {
      test.check(algorithm, directed, example + ".v", example + ".e", parameter, example + "-" + suffix);
    }
  }
  return check_result("graphalytics_test");
}
