// Fits a plane between two classes of points by gradient descent, as examples/native/logistic_regression.cpp does.
//   logistic_regression INPUT OUTPUT ITERATIONS

#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "files.h"
#include "numbers.h"

using Vector = std::array<double, 10>;

struct Point {
  double label = 0;
  Vector x = {};
};

int main(int argc, char** argv) {
  return run(argc, argv, 3, "logistic_regression INPUT OUTPUT ITERATIONS", [&] {
    std::vector<Point> points;
    each_line(mapped(argv[1]), [&](std::string_view line) {
      Numbers numbers(line);
      Point& point = points.emplace_back();
      point.label = numbers.next<double>();
      for (double& coordinate : point.x) {
        coordinate = numbers.next<double>();
      }
    });
    Vector weights = {};
    for (int i = std::stoi(argv[3]); i > 0; i--) {
      Vector gradient = {};
      for (const Point& point : points) {
        double dot = std::inner_product(weights.begin(), weights.end(), point.x.begin(), 0.0);
        double factor = (1 / (1 + std::exp(-point.label * dot)) - 1) * point.label;
        for (size_t d = 0; d < gradient.size(); d++) {
          gradient[d] += factor * point.x[d];
        }
      }
      for (size_t d = 0; d < weights.size(); d++) {
        weights[d] -= gradient[d];
      }
    }
    ResultFile result(argv[2]);
    for (double weight : weights) {
      result << text_of(weight) << "\n";
    }
    result.end();
  });
}
