#include <cmath>

#include <heapspan/rdd.hpp>

// Fits a plane between two classes of points by gradient descent. A line of the input has the class of a point, 1 or
// -1, and its coordinates. Writes the weights of the plane, one in each line.
//   logistic_regression INPUT OUTPUT ITERATIONS

using Vector = heapspan::Vector<10>;

struct Point {
  double label = 0;
  Vector x = {};
};

// How a point wants the weights to change.
Vector gradient(const Point& point, const Vector& weights) {
  return (1 / (1 + std::exp(-point.label * heapspan::dot(weights, point.x))) - 1) * point.label * point.x;
}

HEAPSPAN_MAIN(context, args) {
  if (args.size() != 4) {
    throw heapspan::Error("usage: logistic_regression INPUT OUTPUT ITERATIONS");
  }
  auto points =
      context.text_file(args[1]).map([](std::string_view line) { return heapspan::parse<Point>(line); }).persist();
  Vector weights = {};
  int iterations = heapspan::parse<int>(args[3]);
  for (int i = 0; i < iterations; i++) {
    auto gradients = points.map([](const Point& point, const Vector& w) { return gradient(point, w); }, weights);
    weights -= gradients.tree_reduce(std::plus());
  }
  context.parallelize(weights, 1).save_as_text_file(args[2]);
}
