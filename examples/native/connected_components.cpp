#include <heapspan/rdd.hpp>

// Finds the connected components of a graph whose edges are the lines of the input. The label of a component is the
// smallest number in it. Writes (vertex,label).
//   connected_components INPUT OUTPUT

using Edge = std::pair<unsigned, unsigned>;

HEAPSPAN_MAIN(context, args) {
  if (args.size() != 3) {
    throw heapspan::Error("usage: connected_components INPUT OUTPUT");
  }
  auto edges = context.text_file(args[1])
                   .filter([](std::string_view line) { return !line.starts_with('#'); })
                   .flat_map([](std::string_view line) {
                     auto [a, b] = heapspan::parse<Edge>(line);
                     return std::array{Edge(a, b), Edge(b, a)};
                   });
  auto neighbors = edges.distinct().group_by_key().persist();
  auto own_labels = neighbors.keys().map_to_pair([](unsigned vertex) { return std::pair(vertex, vertex); });
  heapspan::Rdd<std::pair<unsigned, unsigned>> labels = own_labels.partition_by(neighbors.partition_count()).persist();
  for (int64_t changed = 1; changed != 0;) {
    auto former = labels;
    auto offers = neighbors.join(former).flat_map([](const auto& vertex) {
      const auto& [others, label] = vertex.second;
      std::vector<std::pair<unsigned, unsigned>> made{{vertex.first, label}};
      for (unsigned other : others) {
        made.emplace_back(other, label);
      }
      return made;
    });
    labels = offers.reduce_by_key(std::ranges::min).persist();
    changed =
        labels.join(former).values().filter([](const auto& label) { return label.first != label.second; }).count();
    former.unpersist();
  }
  labels.save_as_text_file(args[2]);
}
