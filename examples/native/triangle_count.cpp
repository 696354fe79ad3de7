#include <heapspan/rdd.hpp>

// Counts the triangles of a graph whose edges are the lines of the input. Writes their number.
//   triangle_count INPUT OUTPUT

using Edge = std::pair<unsigned, unsigned>;

// An edge from the smaller vertex to the larger.
Edge ascending(Edge edge) { return std::minmax(edge.first, edge.second); }

HEAPSPAN_MAIN(context, args) {
  if (args.size() != 3) {
    throw heapspan::Error("usage: triangle_count INPUT OUTPUT");
  }
  // Each edge once.
  auto edges = context.text_file(args[1])
                   .filter([](std::string_view line) { return !line.starts_with('#'); })
                   .map([](std::string_view line) { return ascending(heapspan::parse<Edge>(line)); })
                   .filter([](Edge edge) { return edge.first != edge.second; })
                   .distinct()
                   .persist();
  // Two edges from one vertex are a triangle if their ends are an edge.
  auto corners = edges.group_by_key().values().flat_map([](const auto& ends) { return heapspan::each_two(ends); });
  auto wanted = corners.map_to_pair([](Edge ends) { return std::pair(ascending(ends), heapspan::Nothing()); });
  auto sides = edges.map_to_pair([](Edge edge) { return std::pair(edge, heapspan::Nothing()); });
  int64_t triangles = sides.join(wanted).count();
  context.parallelize(std::array{triangles}, 1).save_as_text_file(args[2]);
}
