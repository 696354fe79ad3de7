// Finds connected components as examples/native/connected_components.cpp does: each vertex takes the smallest label
// around it, until none changes.
//   connected_components INPUT OUTPUT

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "edges.h"

int main(int argc, char** argv) {
  return run(argc, argv, 2, "connected_components INPUT OUTPUT", [&] {
    std::vector<Edge> edges = read_edges(argv[1]);
    edges.reserve(2 * edges.size());
    for (size_t i = 0, count = edges.size(); i < count; i++) {
      edges.emplace_back(edges[i].to(), edges[i].from());
    }
    Graph neighbors(std::move(edges));
    std::vector<uint32_t> labels(neighbors.vertices());
    std::iota(labels.begin(), labels.end(), 0U);
    std::vector<uint32_t> former;
    do {
      former = labels;
      for (size_t vertex = 0; vertex < labels.size(); vertex++) {
        uint32_t label = former[vertex];
        std::for_each(neighbors.begin(vertex), neighbors.end(vertex),
                      [&](uint32_t other) { label = std::min(label, former[other]); });
        labels[vertex] = label;
      }
    } while (labels != former);
    ResultFile result(argv[2]);
    for (size_t vertex = 0; vertex < labels.size(); vertex++) {
      if (neighbors.degree(vertex) != 0) {
        result << "(" << std::to_string(vertex) << "," << std::to_string(labels[vertex]) << ")\n";
      }
    }
    result.end();
  });
}
