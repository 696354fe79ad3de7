#include <heapspan/rdd.hpp>

// Ranks pages by the links between them. A line of the input has the numbers of two pages, the second of which the
// first links to.
//   page_rank INPUT OUTPUT ITERATIONS

HEAPSPAN_MAIN(context, args) {
  if (args.size() != 4) {
    throw heapspan::Error("usage: page_rank INPUT OUTPUT ITERATIONS");
  }
  auto edges = context.text_file(args[1])
                   .filter([](std::string_view line) { return !line.starts_with('#'); })
                   .map([](std::string_view line) { return heapspan::parse<std::pair<unsigned, unsigned>>(line); });
  auto links = edges.distinct().group_by_key().persist();
  heapspan::Rdd<std::pair<unsigned, double>> ranks = links.map_values([](const auto&) { return 1.0; });
  int iterations = heapspan::parse<int>(args[3]);
  for (int i = 0; i < iterations; i++) {
    auto received = links.join(ranks).values().flat_map([](const auto& page) {
      const auto& [targets, rank] = page;
      return heapspan::each(
          targets, [](unsigned target, double part) { return std::pair(target, part); },
          rank / static_cast<double>(targets.size()));
    });
    ranks = received.reduce_by_key(std::plus()).map_values([](double sum) { return 0.15 + 0.85 * sum; });
  }
  ranks.save_as_text_file(args[2]);
}
