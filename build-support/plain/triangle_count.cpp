// Counts the triangles of a graph. Writes their number.
//   triangle_count INPUT OUTPUT

#include <algorithm>
#include <string>
#include <vector>

#include "edges.h"

int main(int argc, char** argv) {
  return run(argc, argv, 2, "triangle_count INPUT OUTPUT", [&] {
    std::vector<Edge> edges = read_edges(argv[1]);
    std::erase_if(edges, [](const Edge& edge) { return edge.from() == edge.to(); });
    for (Edge& edge : edges) {
      edge = {std::min(edge.from(), edge.to()), std::max(edge.from(), edge.to())};
    }
    Graph larger(std::move(edges));
    int64_t triangles = 0;
    std::vector<char> is_neighbor(larger.vertices());
    for (size_t vertex = 0; vertex < larger.vertices(); vertex++) {
      auto mark = [&](bool value) {
        std::for_each(larger.begin(vertex), larger.end(vertex), [&](uint32_t other) { is_neighbor[other] = value; });
      };
      mark(true);
      std::for_each(larger.begin(vertex), larger.end(vertex), [&](uint32_t other) {
        triangles += std::count_if(larger.begin(other), larger.end(other),
                                   [&](uint32_t third) { return is_neighbor[third] != 0; });
      });
      mark(false);
    }
    ResultFile result(argv[2]);
    result << std::to_string(triangles) << "\n";
    result.end();
  });
}
