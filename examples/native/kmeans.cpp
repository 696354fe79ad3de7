#include <cmath>

#include <heapspan/rdd.hpp>

// Divides points into clusters, beginning with the first points as their centers. A line of the input has the
// coordinates of a point. Writes (cluster,[coordinates of its center]).
//   kmeans INPUT OUTPUT CLUSTERS ITERATIONS

using Point = heapspan::Vector<3>;

struct Cluster {
  Point sum = {};
  int64_t count = 0;
};

size_t nearest(const std::vector<Point>& centers, const Point& point) {
  size_t best = 0;
  double shortest = INFINITY;
  for (size_t i = 0; i < centers.size(); i++) {
    double distance = heapspan::squared_distance(point, centers[i]);
    if (distance < shortest) {
      best = i;
      shortest = distance;
    }
  }
  return best;
}

HEAPSPAN_MAIN(context, args) {
  if (args.size() != 5) {
    throw heapspan::Error("usage: kmeans INPUT OUTPUT CLUSTERS ITERATIONS");
  }
  auto points =
      context.text_file(args[1]).map([](std::string_view line) { return heapspan::parse<Point>(line); }).persist();
  std::vector<Point> centers = points.take(heapspan::parse<size_t>(args[3]));
  int iterations = heapspan::parse<int>(args[4]);
  for (int i = 0; i < iterations; i++) {
    auto assigned = points.map_to_pair(
        [](const Point& point, const auto& current) { return std::pair(nearest(current, point), Cluster{point, 1}); },
        centers);
    auto clusters = assigned.reduce_by_key(
        [](const Cluster& a, const Cluster& b) { return Cluster{a.sum + b.sum, a.count + b.count}; });
    for (const auto& [c, cluster] : clusters.collect()) {
      centers[c] = cluster.sum / static_cast<double>(cluster.count);
    }
  }
  std::vector<std::pair<size_t, Point>> result;
  for (size_t c = 0; c < centers.size(); c++) {
    result.emplace_back(c, centers[c]);
  }
  context.parallelize(result, 1).save_as_text_file(args[2]);
}
