#include <cmath>

#include <heapspan/rdd.hpp>

// Divides points into clusters, beginning with the first points as their centers. A line of the input has the
// coordinates of a point. Writes (cluster,[coordinates of its center]).
//   kmeans INPUT OUTPUT CLUSTERS ITERATIONS

constexpr size_t dimensions = 3;
using Point = std::array<double, dimensions>;

struct Cluster {
  Point sum = {};
  int64_t count = 0;
};

HEAPSPAN_MAIN(context, args) {
  if (args.size() != 5) {
    throw heapspan::Error("usage: kmeans INPUT OUTPUT CLUSTERS ITERATIONS");
  }
  auto points = context.text_file(args[1])
                    .map([](std::string_view line) {
                      Point point = {};
                      auto field = heapspan::split(line).begin();
                      for (double& coordinate : point) {
                        coordinate = heapspan::parse<double>(*field);
                        ++field;
                      }
                      return point;
                    })
                    .persist();
  std::vector<Point> centers = points.take(heapspan::parse<size_t>(args[3]));
  int iterations = heapspan::parse<int>(args[4]);
  for (int i = 0; i < iterations; i++) {
    auto clusters = points
                        .map_to_pair(
                            [](const Point& point, const std::vector<Point>& current) {
                              size_t nearest = 0;
                              double least = INFINITY;
                              for (size_t c = 0; c < current.size(); c++) {
                                double distance = 0;
                                for (size_t d = 0; d < dimensions; d++) {
                                  double difference = point[d] - current[c][d];
                                  distance += difference * difference;
                                }
                                if (distance < least) {
                                  least = distance;
                                  nearest = c;
                                }
                              }
                              return std::pair(nearest, Cluster{point, 1});
                            },
                            centers)
                        .reduce_by_key([](const Cluster& a, const Cluster& b) {
                          Cluster both = a;
                          for (size_t d = 0; d < dimensions; d++) {
                            both.sum[d] += b.sum[d];
                          }
                          both.count += b.count;
                          return both;
                        })
                        .collect_as_map();
    for (const auto& [c, cluster] : clusters) {
      for (size_t d = 0; d < dimensions; d++) {
        centers[c][d] = cluster.sum[d] / static_cast<double>(cluster.count);
      }
    }
  }
  std::vector<std::pair<size_t, Point>> result;
  for (size_t c = 0; c < centers.size(); c++) {
    result.emplace_back(c, centers[c]);
  }
  context.parallelize(result, 1).save_as_text_file(args[2]);
}
