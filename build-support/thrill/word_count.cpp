// Counts words, as examples/word_count of Thrill does. Words are those of examples/native/word_count.cpp.
//   word_count INPUT OUTPUT

#include <algorithm>
#include <string>
#include <thrill/api/read_lines.hpp>
#include <thrill/api/reduce_by_key.hpp>
#include <thrill/api/write_lines.hpp>
#include <utility>

using Count = std::pair<std::string, size_t>;

// Calls a function with each word of a line, from a position on.
template <typename Function>
void each_word(const std::string& line, size_t position, Function function) {
  auto is_space = [](char c) { return static_cast<unsigned char>(c) <= ' '; };
  auto begin = line.begin() + static_cast<std::ptrdiff_t>(position);
  while (true) {
    begin = std::find_if_not(begin, line.end(), is_space);
    if (begin == line.end()) {
      return;
    }
    auto end = std::find_if(begin, line.end(), is_space);
    function(std::string(begin, end));
    begin = end;
  }
}

int main(int argc, char** argv) {
  if (argc != 3) {
    return 2;
  }
  std::string input = argv[1];
  std::string output = argv[2];
  return thrill::Run([&](thrill::Context& context) {
    context.enable_consume();
    const std::string mark = "\xEF\xBB\xBF";
    // The first worker has the first line. Spark leaves out a byte order mark at the beginning of a file.
    bool is_first_line = context.my_rank() == 0;
    thrill::ReadLines(context, input)
        .FlatMap<Count>([&](const std::string& line, auto emit) {
          bool is_marked = std::exchange(is_first_line, false) && line.compare(0, mark.size(), mark) == 0;
          each_word(line, is_marked ? mark.size() : 0, [&](std::string word) { emit(Count(std::move(word), 1)); });
        })
        .ReduceByKey([](const Count& count) -> std::string { return count.first; },
                     [](const Count& a, const Count& b) { return Count(a.first, a.second + b.second); })
        .Map([](const Count& count) { return "(" + count.first + "," + std::to_string(count.second) + ")"; })
        .WriteLines(output + "/part-@@@@@-#####");
  });
}
