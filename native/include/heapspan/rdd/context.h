#pragma once

#include "operators_actions.h"
#include "value_type.h"

// The beginning of every program: what an Rdd can be made from.

namespace heapspan {

class Context {
 public:
  explicit Context(const heapspan_driver* driver) : session_(std::make_shared<detail::Session>(driver)) {}
  Context(const Context&) = delete;
  ~Context() { session_->close(); }

  // The lines of text files: a file, a folder, or a pattern of Hadoop. Lines end with \n or \r\n.
  Pipeline<detail::TextScan> text_file(std::string_view path, int32_t min_partitions = 0) {
    const heapspan_driver& driver = session_->driver();
    int64_t handle = 0;
    detail::check(driver.text_file(driver.self, std::string(path).c_str(), min_partitions, &handle));
    return {plan("text_file", handle), {}};
  }

  // Files of records of one size, each the bytes of a Record.
  template <class Record>
  Pipeline<detail::RecordScan<Record>> binary_records(std::string_view path, int32_t min_partitions = 0) {
    static_assert(std::is_trivially_copyable_v<Record> && std::is_default_constructible_v<Record>,
                  "heapspan: a binary record is a number or a struct of numbers and std::array");
    const heapspan_driver& driver = session_->driver();
    int64_t handle = 0;
    detail::check(
        driver.binary_records(driver.self, std::string(path).c_str(), sizeof(Record), min_partitions, &handle));
    return {plan("binary_records", handle), {}};
  }

  // What the application that runs the program gives it under a name.
  template <class T>
  Rdd<T> input(std::string_view name) {
    static_assert(std::is_same_v<T, detail::owned_t<T>>, "heapspan: name the type that owns, such as std::string");
    const heapspan_driver& driver = session_->driver();
    int64_t handle = 0;
    detail::check(driver.input(driver.self, std::string(name).c_str(), detail::type_text<T>().c_str(), &handle));
    return Rdd<T>(plan("input", handle));
  }

  // The elements of a range, divided evenly.
  template <class Elements>
  auto parallelize(const Elements& elements, int32_t partitions = 0) {
    using T = detail::owned_t<detail::range_element_t<const Elements>>;
    const heapspan_driver& driver = session_->driver();
    detail::check_partitions(partitions);
    auto count = static_cast<size_t>(std::max(partitions != 0 ? partitions : driver.default_parallelism, 1));
    auto total = static_cast<size_t>(std::distance(std::begin(elements), std::end(elements)));
    std::vector<detail::BatchMemory> batches;
    auto element = std::begin(elements);
    for (size_t i = 0, done = 0; i < count; i++) {
      detail::Column<T> column;
      for (size_t end = total / count * (i + 1) + total % count * (i + 1) / count; done < end; done++, ++element) {
        column.push(*element);
      }
      batches.push_back(column.size() == 0 ? detail::BatchMemory() : detail::write_batch(column));
    }
    std::vector<heapspan_bytes> bytes;
    for (const detail::BatchMemory& batch : batches) {
      bytes.push_back({batch.data(), batch.size() * sizeof(uint64_t)});
    }
    int64_t handle = 0;
    detail::check(driver.parallelize(driver.self, bytes.data(), static_cast<int32_t>(bytes.size()), &handle));
    return Rdd<T>(plan("", handle));
  }

  // A value that kernels get as a capture, and that each process gets once.
  template <class T>
  Broadcast<detail::owned_t<T>> broadcast(const T& value) {
    return {session_, detail::own<detail::owned_t<T>>(value)};
  }

  // A sum that kernels get as a capture and add to. Spark's user interface shows it under its name.
  template <class T>
  Accumulator<T> accumulator(std::string_view name) {
    return {session_, std::string(name)};
  }

  // How many tasks can run at a time.
  int32_t default_parallelism() const { return session_->driver().default_parallelism; }

 private:
  detail::Plan plan(std::string_view name, int64_t handle) {
    detail::Plan plan;
    plan.session = session_;
    plan.operators = name;
    plan.nodes = {plan.node(handle)};
    return plan;
  }

  detail::SessionPointer session_;
};

}  // namespace heapspan
