// Divides points into clusters, beginning with the first points as their centers, as examples/native/kmeans.cpp does.
//   kmeans INPUT OUTPUT CLUSTERS ITERATIONS

#include <array>
#include <limits>
#include <string>
#include <vector>

#include "files.h"
#include "numbers.h"

using Point = std::array<double, 3>;

struct Cluster {
  Point sum = {};
  int64_t count = 0;
};

double squared_distance(const Point& a, const Point& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); i++) {
    sum += (a[i] - b[i]) * (a[i] - b[i]);
  }
  return sum;
}

size_t nearest(const std::vector<Point>& centers, const Point& point) {
  size_t best = 0;
  double shortest = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < centers.size(); i++) {
    double distance = squared_distance(point, centers[i]);
    if (distance < shortest) {
      best = i;
      shortest = distance;
    }
  }
  return best;
}

int main(int argc, char** argv) {
  return run(argc, argv, 4, "kmeans INPUT OUTPUT CLUSTERS ITERATIONS", [&] {
    std::vector<Point> points;
    each_line(mapped(argv[1]), [&](std::string_view line) {
      Numbers numbers(line);
      for (double& coordinate : points.emplace_back()) {
        coordinate = numbers.next<double>();
      }
    });
    size_t count = std::min(points.size(), size_t{std::stoul(argv[3])});
    std::vector<Point> centers(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(count));
    for (int i = std::stoi(argv[4]); i > 0; i--) {
      std::vector<Cluster> clusters(centers.size());
      for (const Point& point : points) {
        Cluster& cluster = clusters[nearest(centers, point)];
        for (size_t d = 0; d < point.size(); d++) {
          cluster.sum[d] += point[d];
        }
        cluster.count++;
      }
      for (size_t c = 0; c < centers.size(); c++) {
        for (size_t d = 0; d < centers[c].size() && clusters[c].count != 0; d++) {
          centers[c][d] = clusters[c].sum[d] / static_cast<double>(clusters[c].count);
        }
      }
    }
    ResultFile result(argv[2]);
    for (size_t c = 0; c < centers.size(); c++) {
      result << "(" << std::to_string(c) << ",[" << text_of(centers[c][0]) << "," << text_of(centers[c][1]) << ","
             << text_of(centers[c][2]) << "])\n";
    }
    result.end();
  });
}
