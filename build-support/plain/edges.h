#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "files.h"
#include "numbers.h"

// Both vertices in one number, which is fast to sort.
class Edge {
 public:
  Edge(uint32_t from, uint32_t to) : key_(uint64_t{from} << 32 | to) {}
  uint32_t from() const { return static_cast<uint32_t>(key_ >> 32); }
  uint32_t to() const { return static_cast<uint32_t>(key_); }
  auto operator<=>(const Edge&) const = default;

 private:
  uint64_t key_;
};

// The edges of a graph: two numbers a line; lines that begin with # are comments.
inline std::vector<Edge> read_edges(const std::string& path) {
  std::vector<Edge> edges;
  each_line(mapped(path), [&](std::string_view line) {
    if (!line.starts_with('#')) {
      Numbers numbers(line);
      uint32_t from = numbers.next<uint32_t>();
      edges.emplace_back(from, numbers.next<uint32_t>());
    }
  });
  return edges;
}

// Each edge once, those of a vertex beside each other. The vertices are indexes.
class Graph {
 public:
  explicit Graph(std::vector<Edge> edges) {
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    uint32_t last = 0;
    for (const Edge& edge : edges) {
      last = std::max({last, edge.from(), edge.to()});
    }
    begins_.resize(edges.empty() ? 1 : size_t{last} + 2);
    targets_.reserve(edges.size());
    for (const Edge& edge : edges) {
      begins_[edge.from() + 1]++;
      targets_.push_back(edge.to());
    }
    for (size_t i = 1; i < begins_.size(); i++) {
      begins_[i] += begins_[i - 1];
    }
  }

  size_t vertices() const { return begins_.size() - 1; }
  const uint32_t* begin(size_t vertex) const { return targets_.data() + begins_[vertex]; }
  const uint32_t* end(size_t vertex) const { return targets_.data() + begins_[vertex + 1]; }
  size_t degree(size_t vertex) const { return begins_[vertex + 1] - begins_[vertex]; }

 private:
  std::vector<size_t> begins_;
  std::vector<uint32_t> targets_;
};
