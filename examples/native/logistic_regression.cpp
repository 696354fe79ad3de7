#include <cmath>

#include <heapspan/rdd.hpp>

// Fits a plane between two classes of points by gradient descent. A line of the input has the class of a point, 1 or
// -1, and its coordinates. Writes the weights of the plane, one in each line.
//   logistic_regression INPUT OUTPUT ITERATIONS

constexpr size_t dimensions = 10;
using Vector = std::array<double, dimensions>;

struct Point {
  double label = 0;
  Vector x = {};
};

HEAPSPAN_MAIN(context, args) {
  if (args.size() != 4) {
    throw heapspan::Error("usage: logistic_regression INPUT OUTPUT ITERATIONS");
  }
  auto points = context.text_file(args[1])
                    .map([](std::string_view line) {
                      Point point;
                      auto field = heapspan::split(line).begin();
                      point.label = heapspan::parse<double>(*field);
                      for (double& coordinate : point.x) {
                        coordinate = heapspan::parse<double>(*++field);
                      }
                      return point;
                    })
                    .persist();
  Vector weights = {};
  int iterations = heapspan::parse<int>(args[3]);
  for (int i = 0; i < iterations; i++) {
    Vector gradient = points
                          .map(
                              [](const Point& point, const Vector& w) {
                                double product = 0;
                                for (size_t d = 0; d < dimensions; d++) {
                                  product += w[d] * point.x[d];
                                }
                                double scale = (1 / (1 + std::exp(-point.label * product)) - 1) * point.label;
                                Vector part = {};
                                for (size_t d = 0; d < dimensions; d++) {
                                  part[d] = scale * point.x[d];
                                }
                                return part;
                              },
                              weights)
                          .tree_reduce([](const Vector& a, const Vector& b) {
                            Vector sum = a;
                            for (size_t d = 0; d < dimensions; d++) {
                              sum[d] += b[d];
                            }
                            return sum;
                          });
    for (size_t d = 0; d < dimensions; d++) {
      weights[d] -= gradient[d];
    }
  }
  context.parallelize(weights, 1).save_as_text_file(args[2]);
}
