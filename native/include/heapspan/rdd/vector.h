#pragma once

#include <array>
#include <cstddef>

namespace heapspan {

// A vector of numbers: points, weights, gradients. Its operators go element by element. The loops over small vectors
// are unrolled, which compilers do not do at -O2 by themselves.
template <size_t size>
struct Vector : std::array<double, size> {
  Vector& operator+=(const Vector& other) {
#pragma GCC unroll 16
    for (size_t i = 0; i < size; i++) {
      (*this)[i] += other[i];
    }
    return *this;
  }
  Vector& operator-=(const Vector& other) {
#pragma GCC unroll 16
    for (size_t i = 0; i < size; i++) {
      (*this)[i] -= other[i];
    }
    return *this;
  }
  Vector& operator*=(double factor) {
#pragma GCC unroll 16
    for (double& element : *this) {
      element *= factor;
    }
    return *this;
  }
  Vector& operator/=(double divisor) {
#pragma GCC unroll 16
    for (double& element : *this) {
      element /= divisor;
    }
    return *this;
  }
  friend Vector operator+(Vector a, const Vector& b) { return a += b; }
  friend Vector operator-(Vector a, const Vector& b) { return a -= b; }
  friend Vector operator*(Vector a, double factor) { return a *= factor; }
  friend Vector operator*(double factor, Vector a) { return a *= factor; }
  friend Vector operator/(Vector a, double divisor) { return a /= divisor; }
};

template <size_t size>
double dot(const Vector<size>& a, const Vector<size>& b) {
  double sum = 0;
#pragma GCC unroll 16
  for (size_t i = 0; i < size; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}

template <size_t size>
double squared_distance(const Vector<size>& a, const Vector<size>& b) {
  double sum = 0;
#pragma GCC unroll 16
  for (size_t i = 0; i < size; i++) {
    double difference = a[i] - b[i];
    sum += difference * difference;
  }
  return sum;
}

}  // namespace heapspan
