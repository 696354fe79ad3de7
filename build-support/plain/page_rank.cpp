// Ranks pages by the links between them. Pages are indexes of arrays. Only pages that others link to have a rank in the
// end, as in examples/native/page_rank.cpp.
//   page_rank INPUT OUTPUT ITERATIONS

#include <algorithm>
#include <string>
#include <vector>

#include "edges.h"

int main(int argc, char** argv) {
  return run(argc, argv, 3, "page_rank INPUT OUTPUT ITERATIONS", [&] {
    Graph links(read_edges(argv[1]));
    // A page that no page links to has no rank, which is 0 here.
    std::vector<double> ranks(links.vertices(), 1.0);
    std::vector<double> sums(links.vertices());
    for (int i = std::stoi(argv[3]); i > 0; i--) {
      std::fill(sums.begin(), sums.end(), 0.0);
      for (size_t page = 0; page < links.vertices(); page++) {
        double part = ranks[page] / static_cast<double>(links.degree(page));
        if (ranks[page] != 0) {
          std::for_each(links.begin(page), links.end(page), [&](uint32_t target) { sums[target] += part; });
        }
      }
      std::transform(sums.begin(), sums.end(), ranks.begin(),
                     [](double sum) { return sum == 0 ? 0 : 0.15 + 0.85 * sum; });
    }
    ResultFile result(argv[2]);
    for (size_t page = 0; page < ranks.size(); page++) {
      if (ranks[page] != 0) {
        result << "(" << std::to_string(page) << "," << text_of(ranks[page]) << ")\n";
      }
    }
    result.end();
  });
}
