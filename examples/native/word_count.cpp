#include <heapspan/rdd.hpp>

// Counts words.
//   word_count INPUT OUTPUT

HEAPSPAN_MAIN(context, args) {
  if (args.size() != 3) {
    throw heapspan::Error("usage: word_count INPUT OUTPUT");
  }
  auto words = context.text_file(args[1]).flat_map([](std::string_view line) { return heapspan::split(line); });
  auto counts = words.map_to_pair([](std::string_view word) { return std::pair(word, 1L); }).reduce_by_key(std::plus());
  counts.save_as_text_file(args[2]);
}
