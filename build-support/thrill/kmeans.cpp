// Divides points into clusters, as examples/k-means of Thrill does, but beginning with the first points as their
// centers, as examples/native/kmeans.cpp does.
//   kmeans INPUT OUTPUT CLUSTERS ITERATIONS

#include <fstream>
#include <string>
#include <thrill/api/all_gather.hpp>
#include <thrill/api/cache.hpp>
#include <thrill/api/read_lines.hpp>
#include <thrill/api/reduce_by_key.hpp>
#include <thrill/common/vector.hpp>
#include <vector>

#include "numbers.h"

using Point = thrill::common::Vector<3>;

struct Cluster {
  size_t number;
  Point sum;
  size_t count;
};

Point parse(const std::string& line) {
  Numbers numbers(line);
  Point point;
  for (double& coordinate : point.x) {
    coordinate = numbers.next<double>();
  }
  return point;
}

size_t nearest(const std::vector<Point>& centers, const Point& point) {
  size_t best = 0;
  double shortest = point.DistanceSquare(centers[0]);
  for (size_t i = 1; i < centers.size(); i++) {
    double distance = point.DistanceSquare(centers[i]);
    if (distance < shortest) {
      best = i;
      shortest = distance;
    }
  }
  return best;
}

int main(int argc, char** argv) {
  if (argc != 5) {
    return 2;
  }
  std::string input = argv[1];
  std::string output = argv[2];
  size_t clusters = std::stoul(argv[3]);
  int iterations = std::stoi(argv[4]);
  return thrill::Run([&](thrill::Context& context) {
    context.enable_consume();
    auto points = thrill::ReadLines(context, input).Map([](const std::string& line) { return parse(line); }).Cache();
    std::vector<Point> centers;
    std::ifstream file(input);
    for (std::string line; centers.size() < clusters && std::getline(file, line);) {
      centers.push_back(parse(line));
    }
    for (int i = 0; i < iterations; i++) {
      auto sums = points.Keep()
                      .Map([&](const Point& point) { return Cluster{nearest(centers, point), point, 1}; })
                      .ReduceByKey([](const Cluster& cluster) { return cluster.number; },
                                   [](const Cluster& a, const Cluster& b) {
                                     return Cluster{a.number, a.sum + b.sum, a.count + b.count};
                                   });
      for (const Cluster& cluster : sums.AllGather()) {
        centers[cluster.number] = cluster.sum / static_cast<double>(cluster.count);
      }
    }
    if (context.my_rank() == 0) {
      std::ofstream out(output + "/part-00000");
      for (size_t c = 0; c < centers.size(); c++) {
        out << '(' << c << ",[" << text_of(centers[c].x[0]) << ',' << text_of(centers[c].x[1]) << ','
            << text_of(centers[c].x[2]) << "])\n";
      }
    }
  });
}
