#include <heapspan/rdd.hpp>

// Counts the triangles of a graph whose edges are the lines of the input. Writes their number.
//   triangle_count INPUT OUTPUT

HEAPSPAN_MAIN(context, args) {
  if (args.size() != 3) {
    throw heapspan::Error("usage: triangle_count INPUT OUTPUT");
  }
  // Each edge once, from the smaller vertex to the larger.
  auto edges = context.text_file(args[1])
                   .filter([](std::string_view line) { return !line.starts_with('#'); })
                   .map_to_pair([](std::string_view line) {
                     auto fields = heapspan::split(line).begin();
                     auto a = heapspan::parse<unsigned>(*fields++);
                     auto b = heapspan::parse<unsigned>(*fields);
                     return std::pair(std::min(a, b), std::max(a, b));
                   })
                   .filter([](const auto& edge) { return edge.first != edge.second; })
                   .distinct()
                   .persist();
  // Two edges from one vertex are a triangle if their ends are an edge.
  auto corners = edges.group_by_key().flat_map([](const auto& vertex) {
    std::vector<std::pair<std::pair<unsigned, unsigned>, heapspan::Nothing>> ends;
    for (unsigned a : vertex.second) {
      for (unsigned b : vertex.second) {
        if (a < b) {
          ends.push_back({{a, b}, {}});
        }
      }
    }
    return ends;
  });
  auto sides = edges.map_to_pair([](const auto& edge) { return std::pair(edge, heapspan::Nothing()); });
  int64_t triangles = sides.join(corners).count();
  context.parallelize(std::array{triangles}, 1).save_as_text_file(args[2]);
}
