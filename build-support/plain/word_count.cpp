// Counts words. Words are those of examples/native/word_count.cpp.
//   word_count INPUT OUTPUT

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "files.h"

// A hash table of words with open addressing. It keeps copies of the words, which are denser than the text.
class Counts {
 public:
  struct Entry {
    std::string_view word;
    size_t hash = 0;
    int64_t count = 0;
  };

  void add(std::string_view word) {
    size_t hash = std::hash<std::string_view>()(word);
    Entry& entry = find(hash, word);
    if (entry.count++ == 0) {
      entry.word = copy(word);
      entry.hash = hash;
      if (++used_ > entries_.size() / 3 * 2) {
        grow();
      }
    }
  }

  const std::vector<Entry>& entries() const { return entries_; }

 private:
  static constexpr size_t kBlockBytes = 1 << 20;

  // Where a word is, or where it would be.
  Entry& find(size_t hash, std::string_view word) {
    size_t mask = entries_.size() - 1;
    size_t i = hash & mask;
    while (entries_[i].count != 0 && (entries_[i].hash != hash || entries_[i].word != word)) {
      i = (i + 1) & mask;
    }
    return entries_[i];
  }

  std::string_view copy(std::string_view word) {
    if (word.size() > left_) {
      left_ = std::max(kBlockBytes, word.size());
      next_ = blocks_.emplace_back(std::make_unique<char[]>(left_)).get();
    }
    char* begin = next_;
    std::copy(word.begin(), word.end(), begin);
    next_ += word.size();
    left_ -= word.size();
    return {begin, word.size()};
  }

  void grow() {
    std::vector<Entry> smaller(2 * entries_.size());
    entries_.swap(smaller);
    for (const Entry& entry : smaller) {
      if (entry.count != 0) {
        find(entry.hash, entry.word) = entry;
      }
    }
  }

  std::vector<Entry> entries_ = std::vector<Entry>(1 << 16);
  size_t used_ = 0;
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* next_ = nullptr;
  size_t left_ = 0;
};

int main(int argc, char** argv) {
  return run(argc, argv, 2, "word_count INPUT OUTPUT", [&] {
    std::string_view text = mapped(argv[1]);
    Counts counts;
    auto is_space = [](char c) { return static_cast<unsigned char>(c) <= ' '; };
    for (const char *at = text.data(), *end = at + text.size(); at != end;) {
      if (is_space(*at)) {
        at++;
        continue;
      }
      const char* word = at;
      while (at != end && !is_space(*at)) {
        at++;
      }
      counts.add({word, static_cast<size_t>(at - word)});
    }
    ResultFile result(argv[2]);
    for (const auto& [word, hash, count] : counts.entries()) {
      if (count != 0) {
        result << "(" << word << "," << std::to_string(count) << ")\n";
      }
    }
    result.end();
  });
}
