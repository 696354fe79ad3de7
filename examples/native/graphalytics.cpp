#include <heapspan/rdd.hpp>

#include <cmath>

// The algorithms of the benchmark LDBC Graphalytics. VERTICES has a number in each line. EDGES has two numbers, and
// perhaps a weight; graphs that are not directed have each edge once.
//   graphalytics ALGORITHM directed|undirected VERTICES EDGES OUTPUT [PARAMETER]
// The parameter is a number of iterations (pr, cdlp) or the vertex from which paths begin (bfs, sssp).

namespace {

using heapspan::Nothing;
using heapspan::Rdd;
using Vertex = int64_t;

using Labels = Rdd<std::pair<Vertex, Vertex>>;

struct Graph {
  Rdd<std::pair<Vertex, Nothing>> vertices;
  // From a vertex to others, with weights. A graph that is not directed has each edge in both directions.
  Rdd<std::pair<Vertex, std::pair<Vertex, double>>> edges;
  bool directed = false;
};

Graph read_graph(heapspan::Context& context, heapspan::Arguments args) {
  Graph graph;
  graph.directed = args[2] == "directed";
  graph.vertices =
      context.text_file(args[3])
          .map_to_pair([](std::string_view line) { return std::pair(heapspan::parse<Vertex>(line), Nothing()); })
          .persist();
  graph.edges = context.text_file(args[4])
                    .flat_map(
                        [](std::string_view line, bool one_way, bool weighted) {
                          std::vector<std::string_view> fields;
                          for (std::string_view field : heapspan::split(line)) {
                            fields.push_back(field);
                          }
                          if (fields.size() < 2) {
                            throw std::runtime_error("no edge: '" + std::string(line) + "'");
                          }
                          auto a = heapspan::parse<Vertex>(fields[0]);
                          auto b = heapspan::parse<Vertex>(fields[1]);
                          double weight = weighted && fields.size() > 2 ? heapspan::parse<double>(fields[2]) : 1;
                          std::vector<std::pair<Vertex, std::pair<Vertex, double>>> ways{{a, {b, weight}}};
                          if (!one_way) {
                            ways.push_back({b, {a, weight}});
                          }
                          return ways;
                        },
                        graph.directed, args[1] == "sssp")
                    .persist();
  return graph;
}

// What each vertex is linked to, in either direction; twice if a directed graph has both.
auto neighbors(const Graph& graph) {
  return graph.edges.flat_map(
      [](const auto& edge, bool both) {
        std::vector<std::pair<Vertex, Vertex>> ways{{edge.first, edge.second.first}};
        if (both) {
          ways.emplace_back(edge.second.first, edge.first);
        }
        return ways;
      },
      graph.directed);
}

Labels own_labels(const Graph& graph) {
  return graph.vertices.map_to_pair([](const auto& vertex) { return std::pair(vertex.first, vertex.first); });
}

// Ranks add up to 1: that of vertices without links is shared by all.
void rank_pages(const Graph& graph, int iterations, std::string_view output) {
  auto links =
      graph.vertices.left_outer_join(graph.edges.map_values([](const auto& edge) { return edge.first; }).group_by_key())
          .map_values([](const auto& vertex) {
            std::vector<Vertex> targets;
            if (vertex.second) {
              targets.assign(vertex.second->begin(), vertex.second->end());
            }
            return targets;
          })
          .persist();
  auto count = static_cast<double>(links.count());
  Rdd<std::pair<Vertex, double>> ranks = links.map_values([](const auto&, double part) { return part; }, 1 / count);
  for (int i = 0; i < iterations; i++) {
    double lost = links.join(ranks)
                      .map([](const auto& page) { return page.second.first.empty() ? page.second.second : 0.0; })
                      .sum();
    ranks = links.join(ranks)
                .flat_map([](const auto& page) {
                  const auto& [targets, rank] = page.second;
                  std::vector<std::pair<Vertex, double>> parts{{page.first, 0}};
                  for (Vertex target : targets) {
                    parts.emplace_back(target, rank / static_cast<double>(targets.size()));
                  }
                  return parts;
                })
                .reduce_by_key([](double a, double b) { return a + b; })
                .map_values([](double sum, double base) { return base + 0.85 * sum; }, (0.15 + 0.85 * lost) / count);
  }
  ranks.save_as_text_file(output);
}

// The label of a component is its smallest vertex.
void find_components(const Graph& graph, std::string_view output) {
  auto others = neighbors(graph).group_by_key().persist();
  Labels labels = own_labels(graph).persist();
  int64_t before = 0;
  int64_t sum = labels.values().sum();
  do {
    Labels next =
        others.join(labels)
            .flat_map([](const auto& vertex) {
              const auto& [targets, label] = vertex.second;
              return heapspan::each(
                  targets, [](Vertex target, Vertex its_label) { return std::pair(target, its_label); }, label);
            })
            .union_with(labels)
            .reduce_by_key([](Vertex a, Vertex b) { return std::min(a, b); })
            .persist();
    before = std::exchange(sum, next.values().sum());
    labels.unpersist();
    labels = next;
  } while (sum != before);
  labels.save_as_text_file(output);
}

// Each vertex takes the label that most of its neighbors have, and the smallest of several.
void propagate_labels(const Graph& graph, int iterations, std::string_view output) {
  auto others = neighbors(graph).group_by_key().persist();
  Labels labels = own_labels(graph);
  for (int i = 0; i < iterations; i++) {
    labels =
        labels
            .left_outer_join(
                others.join(labels)
                    .flat_map([](const auto& vertex) {
                      const auto& [targets, label] = vertex.second;
                      return heapspan::each(
                          targets, [](Vertex target, Vertex its_label) { return std::pair(target, its_label); }, label);
                    })
                    .group_by_key())
            .map_values([](const auto& vertex) {
              std::map<Vertex, int64_t> votes;
              if (vertex.second) {
                for (Vertex label : *vertex.second) {
                  votes[label]++;
                }
              }
              auto most = std::max_element(votes.begin(), votes.end(),
                                           [](const auto& a, const auto& b) { return a.second < b.second; });
              return most == votes.end() ? vertex.first : most->first;
            });
  }
  labels.save_as_text_file(output);
}

// The length of the shortest path from one vertex to each.
auto find_paths(const Graph& graph, Vertex source) {
  using Distances = Rdd<std::pair<Vertex, double>>;
  constexpr double none = std::numeric_limits<double>::infinity();
  auto edges = graph.edges.group_by_key().persist();
  Distances distances =
      graph.vertices
          .map_to_pair([](const auto& vertex,
                          Vertex first) { return std::pair(vertex.first, vertex.first == first ? 0 : none); },
                       source)
          .persist();
  for (int64_t changed = 1; changed != 0;) {
    Distances next =
        edges.join(distances)
            .flat_map([](const auto& vertex) {
              const auto& [targets, distance] = vertex.second;
              return heapspan::each(
                  targets, [](const auto& edge, double begin) { return std::pair(edge.first, begin + edge.second); },
                  distance);
            })
            .union_with(distances)
            .reduce_by_key([](double a, double b) { return std::min(a, b); })
            .persist();
    changed = next.join(distances)
                  .filter([](const auto& vertex) { return vertex.second.first != vertex.second.second; })
                  .count();
    distances.unpersist();
    distances = next;
  }
  return distances;
}

// Which part of the edges that the neighbors of a vertex could have among themselves there is.
void find_clusters(const Graph& graph, std::string_view output) {
  using Edge = std::pair<Vertex, Vertex>;
  auto around = neighbors(graph).distinct().group_by_key().persist();
  auto wanted = around.flat_map([](const auto& vertex) {
    std::vector<std::pair<Edge, Vertex>> edges;
    for (Vertex a : vertex.second) {
      for (Vertex b : vertex.second) {
        if (a != b) {
          edges.push_back({{a, b}, vertex.first});
        }
      }
    }
    return edges;
  });
  auto counts =
      graph.edges
          .map_to_pair([](const auto& edge) { return std::pair(Edge(edge.first, edge.second.first), Nothing()); })
          .distinct()
          .join(wanted)
          .map_to_pair([](const auto& edge) { return std::pair(edge.second.second, 1.0); })
          .reduce_by_key([](double a, double b) { return a + b; });
  graph.vertices.left_outer_join(counts.join(around.map_values([](const auto& others) { return others.size(); })))
      .map_values([](const auto& vertex) {
        if (!vertex.second) {
          return 0.0;
        }
        auto [count, degree] = *vertex.second;
        return count / static_cast<double>(degree * (degree - 1));
      })
      .save_as_text_file(output);
}

}  // namespace

HEAPSPAN_MAIN(context, args) {
  std::string_view algorithm = args.size() < 6 ? "" : args[1];
  if (algorithm == "wcc" && args.size() == 6) {
    find_components(read_graph(context, args), args[5]);
  } else if (algorithm == "lcc" && args.size() == 6) {
    find_clusters(read_graph(context, args), args[5]);
  } else if (algorithm == "pr" && args.size() == 7) {
    rank_pages(read_graph(context, args), heapspan::parse<int>(args[6]), args[5]);
  } else if (algorithm == "cdlp" && args.size() == 7) {
    propagate_labels(read_graph(context, args), heapspan::parse<int>(args[6]), args[5]);
  } else if (algorithm == "sssp" && args.size() == 7) {
    find_paths(read_graph(context, args), heapspan::parse<Vertex>(args[6])).save_as_text_file(args[5]);
  } else if (algorithm == "bfs" && args.size() == 7) {
    find_paths(read_graph(context, args), heapspan::parse<Vertex>(args[6]))
        .map_values([](double edges) {
          return std::isinf(edges) ? std::numeric_limits<int64_t>::max() : static_cast<int64_t>(edges);
        })
        .save_as_text_file(args[5]);
  } else {
    throw heapspan::Error("usage: graphalytics ALGORITHM directed|undirected VERTICES EDGES OUTPUT [PARAMETER]");
  }
}
