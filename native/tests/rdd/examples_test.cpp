#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "example_run.h"

// The programs of examples/native on small inputs. The argument is the folder of their shared objects.

namespace {

using namespace heapspan::testing;
using Edges = std::vector<std::pair<unsigned, unsigned>>;

files::path programs;
const Folder folder("examples-test");

std::string run(const char* name, const std::vector<std::string>& arguments) {
  return run_example(programs, name, arguments);
}

std::string write(const char* name, const std::string& text) { return folder.write(name, text); }

Edges graph() {
  // Three circles of different lengths, with chords.
  Edges edges;
  unsigned begin = 0;
  for (unsigned length : {5U, 11U, 20U}) {
    for (unsigned i = 0; i < length; i++) {
      edges.emplace_back(begin + i, begin + (i + 1) % length);
      edges.emplace_back(begin + i, begin + i * i % length);
    }
    begin += length;
  }
  return edges;
}

std::string text_of(const Edges& edges) {
  std::string text;
  for (auto [a, b] : edges) {
    text += std::to_string(a) + "\t" + std::to_string(b) + "\n";
  }
  return text;
}

void word_count() {
  std::string input = write("words", "to be or not\nto be\n");
  std::string output = folder / "word_count";
  CHECK(run("word_count", {input, output}).empty());
  CHECK(lines_of(output) == (std::vector<std::string>{"(be,2)", "(not,1)", "(or,1)", "(to,2)"}));
  CHECK(run("word_count", {input}) == "usage: word_count INPUT OUTPUT");
}

void page_rank() {
  std::string input = write("links", text_of(graph()));
  std::string output = folder / "page_rank";
  CHECK(run("page_rank", {input, output, "10"}).empty());
  double sum = 0;
  std::vector<std::string> lines = lines_of(output);
  for (const std::string& line : lines) {
    sum += std::stod(line.substr(line.find(',') + 1));
  }
  // No page is without links, so that the ranks keep their sum.
  CHECK(lines.size() == 36 && std::abs(sum - 36) < 1e-9);
  CHECK(run("page_rank", {write("damaged", "1 2\n3 x\n"), folder / "nothing", "1"}) ==
        "not a number of the expected kind: 'x'");
}

void connected_components() {
  std::string output = folder / "components";
  CHECK(run("connected_components", {write("edges", text_of(graph())), output}).empty());
  std::vector<std::string> expected;
  for (unsigned i = 0; i < 36; i++) {
    unsigned label = i < 5 ? 0 : i < 16 ? 5 : 16;
    expected.push_back("(" + std::to_string(i) + "," + std::to_string(label) + ")");
  }
  std::sort(expected.begin(), expected.end());
  CHECK(lines_of(output) == expected);
}

void triangle_count() {
  std::set<std::pair<unsigned, unsigned>> edges;
  for (auto [a, b] : graph()) {
    edges.emplace(std::min(a, b), std::max(a, b));
  }
  int expected = 0;
  for (unsigned a = 0; a < 36; a++) {
    for (unsigned b = a + 1; b < 36; b++) {
      for (unsigned c = b + 1; c < 36; c++) {
        expected += edges.count({a, b}) != 0 && edges.count({b, c}) != 0 && edges.count({a, c}) != 0;
      }
    }
  }
  std::string output = folder / "triangles";
  CHECK(run("triangle_count", {write("edges", text_of(graph())), output}).empty());
  CHECK(expected > 3 && lines_of(output) == std::vector<std::string>{std::to_string(expected)});
}

void kmeans() {
  std::string text;
  for (int i = 0; i < 300; i++) {
    int center = i % 3 * 100;
    text += std::to_string(center + i % 7 - 3) + " " + std::to_string(center) + " " + std::to_string(i % 3) + "\n";
  }
  std::string output = folder / "clusters";
  CHECK(run("kmeans", {write("points", text), output, "3", "8"}).empty());
  CHECK(lines_of(output).size() == 3);
}

void logistic_regression() {
  std::string text;
  for (int i = 0; i < 200; i++) {
    int label = i % 2 == 0 ? 1 : -1;
    text += std::to_string(label);
    for (int d = 0; d < 10; d++) {
      text += " " + std::to_string(d == 4 ? label * (1 + i % 3) : (i * (d + 3)) % 5 - 2);
    }
    text += "\n";
  }
  std::string output = folder / "weights";
  CHECK(run("logistic_regression", {write("samples", text), output, "20"}).empty());
  std::ifstream in(folder / "weights" / "part-00000");
  std::vector<double> weights;
  for (double weight; in >> weight;) {
    weights.push_back(weight);
  }
  CHECK(weights.size() == 10 && std::max_element(weights.begin(), weights.end()) - weights.begin() == 4);
}

std::string bytes_at(const files::path& file, std::streamoff offset, size_t count) {
  std::ifstream in(file, std::ios::binary);
  in.seekg(offset);
  std::string bytes(count, 0);
  in.read(bytes.data(), static_cast<std::streamsize>(count));
  return bytes;
}

void terasort() {
  std::string generated = folder / "generated";
  std::string ordered = folder / "ordered";
  CHECK(run("terasort", {"generate", "3000", generated}).empty());
  std::string first = bytes_at(files::path(generated) / "part-00000", 0, 100);
  // The first record of Hadoop's generator, and of gensort.
  CHECK(first.substr(0, 10) == "JimGrayRIP");
  CHECK(first.substr(12, 32) == std::string(32, '0'));
  CHECK(first.substr(48, 4) == "2222" && first.substr(96) == "\xCC\xDD\xEE\xFF");
  // Hadoop's Random16 and gensort's rand16.c list the numbers after 2, 4, 8 and so on steps, for jumps. They begin with
  // the keys of these rows. A part has 1000 rows.
  for (const auto& [row, key] : std::map<int, std::string>{{1, "\x95\xe0\xe4\x82\x62\xb3\xed\xfe\x04\x47"},
                                                           {3, "\x88\x2a\x02\xc3\x15\x36\x2b\x60\x76\x5f"},
                                                           {7, "\x5e\xfc\x4a\xbf\xac\xa2\x3e\x8c\xa8\xed"},
                                                           {1023, "\x99\x19\x65\x32\x9d\xcc\xb2\x8d\x58\x11"},
                                                           {2047, "\xe1\xa8\x70\x5b\x63\xad\x5b\x8c\xd6\xc3"}}) {
    auto part = files::path(generated) / ("part-0000" + std::to_string(row / 1000));
    CHECK(bytes_at(part, row % 1000 * 100, 10) == key);
  }
  CHECK(run("terasort", {"sort", generated, ordered}).empty());
  CHECK(run("terasort", {"validate", ordered, "3000"}).empty());
  CHECK(run("terasort", {"validate", generated, "3000"}) == "the records are not in order");
  CHECK(run("terasort", {"validate", ordered, "2999"}) == "there are 3000 records, not 2999");
  auto part = files::path(ordered) / "part-00001";
  std::fstream change(part, std::ios::binary | std::ios::in | std::ios::out);
  change.seekp(250);
  change.put('!');
  change.close();
  CHECK(run("terasort", {"validate", ordered, "3000"}) == "the records are not those that were generated");
}

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count != 2) {
    std::fprintf(stderr, "usage: examples_test FOLDER\n");
    return 2;
  }
  programs = arguments[1];
  word_count();
  page_rank();
  connected_components();
  triangle_count();
  kmeans();
  logistic_regression();
  terasort();
  return check_result("examples_test");
}
