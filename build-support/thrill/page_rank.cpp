// Ranks pages by the links between them, as examples/page_rank of Thrill does: pages are indexes of arrays. Only pages
// that others link to have a rank in the end, as in examples/native/page_rank.cpp.
//   page_rank INPUT OUTPUT ITERATIONS

#include <algorithm>
#include <cstdint>
#include <string>
#include <thrill/api/cache.hpp>
#include <thrill/api/collapse.hpp>
#include <thrill/api/generate.hpp>
#include <thrill/api/group_to_index.hpp>
#include <thrill/api/max.hpp>
#include <thrill/api/read_lines.hpp>
#include <thrill/api/reduce_to_index.hpp>
#include <thrill/api/write_lines.hpp>
#include <thrill/api/zip.hpp>
#include <thrill/api/zip_with_index.hpp>
#include <utility>
#include <vector>

#include "numbers.h"

using Page = uint32_t;
using Targets = std::vector<Page>;

struct Link {
  Page source;
  Page target;
};

struct Part {
  Page page;
  double rank;
} __attribute__((packed));

int main(int argc, char** argv) {
  if (argc != 4) {
    return 2;
  }
  std::string input = argv[1];
  std::string output = argv[2];
  int iterations = std::stoi(argv[3]);
  return thrill::Run([&](thrill::Context& context) {
    context.enable_consume();
    auto edges = thrill::ReadLines(context, input)
                     .Filter([](const std::string& line) { return line.empty() || line[0] != '#'; })
                     .Map([](const std::string& line) {
                       Numbers numbers(line);
                       Page source = numbers.next<Page>();
                       return Link{source, numbers.next<Page>()};
                     });
    size_t pages =
        edges.Keep().Map([](const Link& link) { return std::max(link.source, link.target); }).Max() + size_t{1};
    auto links = edges
                     .GroupToIndex<Targets>([](const Link& link) -> size_t { return link.source; },
                                            [](auto& group, size_t) {
                                              Targets targets;
                                              while (group.HasNext()) {
                                                targets.push_back(group.Next().target);
                                              }
                                              std::sort(targets.begin(), targets.end());
                                              targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
                                              return targets;
                                            },
                                            pages)
                     .Cache();
    thrill::DIA<double> ranks = thrill::Generate(context, pages, [](size_t) { return 1.0; }).Collapse();
    for (int i = 0; i < iterations; i++) {
      ranks = links.Keep()
                  .Zip(ranks, [](const Targets& targets, double rank) { return std::make_pair(targets, rank); })
                  .FlatMap<Part>([](const std::pair<Targets, double>& page, auto emit) {
                    // A page that no page links to has no rank, which is 0 here.
                    if (page.second == 0) {
                      return;
                    }
                    double part = page.second / static_cast<double>(page.first.size());
                    for (Page target : page.first) {
                      emit(Part{target, part});
                    }
                  })
                  // Parts are not added up before they are sent: the table for that is made for indexes that fill the
                  // memory, and takes a hundred times as long for these.
                  .ReduceToIndex(
                      thrill::SkipPreReducePhaseTag, [](const Part& part) -> size_t { return part.page; },
                      [](const Part& a, const Part& b) { return Part{a.page, a.rank + b.rank}; }, pages)
                  .Map([](const Part& sum) { return sum.rank == 0 ? 0 : 0.15 + 0.85 * sum.rank; })
                  .Collapse();
    }
    ranks.ZipWithIndex([](double rank, size_t page) { return std::make_pair(page, rank); })
        .Filter([](const std::pair<size_t, double>& page) { return page.second != 0; })
        .Map([](const std::pair<size_t, double>& page) {
          return "(" + std::to_string(page.first) + "," + text_of(page.second) + ")";
        })
        .WriteLines(output + "/part-@@@@@-#####");
  });
}
