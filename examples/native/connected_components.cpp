#include <heapspan/rdd.hpp>

// Finds the connected components of a graph whose edges are the lines of the input. The label of a component is the
// smallest number in it. Writes (vertex,label).
//   connected_components INPUT OUTPUT

HEAPSPAN_MAIN(context, args) {
  if (args.size() != 3) {
    throw heapspan::Error("usage: connected_components INPUT OUTPUT");
  }
  using Labels = heapspan::Rdd<std::pair<unsigned, unsigned>>;
  auto neighbors = context.text_file(args[1])
                       .filter([](std::string_view line) { return !line.starts_with('#'); })
                       .flat_map([](std::string_view line) {
                         auto fields = heapspan::split(line).begin();
                         auto a = heapspan::parse<unsigned>(*fields++);
                         auto b = heapspan::parse<unsigned>(*fields);
                         return std::array{std::pair(a, b), std::pair(b, a)};
                       })
                       .distinct()
                       .group_by_key()
                       .persist();

  Labels labels = neighbors.map([](const auto& vertex) { return std::pair(vertex.first, vertex.first); })
                      .partition_by(neighbors.partition_count())
                      .persist();
  for (int64_t changed = 1; changed != 0;) {
    Labels next = neighbors.join(labels)
                      .flat_map([](const auto& vertex) {
                        const auto& [others, label] = vertex.second;
                        std::vector<std::pair<unsigned, unsigned>> offers{{vertex.first, label}};
                        for (unsigned other : others) {
                          offers.emplace_back(other, label);
                        }
                        return offers;
                      })
                      .reduce_by_key([](unsigned a, unsigned b) { return std::min(a, b); })
                      .persist();
    changed = next.join(labels)
                  .filter([](const auto& vertex) { return vertex.second.first != vertex.second.second; })
                  .count();
    labels.unpersist();
    labels = next;
  }
  labels.save_as_text_file(args[2]);
}
