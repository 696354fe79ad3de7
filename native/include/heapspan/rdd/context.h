#pragma once

#include "operators_actions.h"
#include "value_type.h"

// The beginning of every program: what an Rdd can be made from.

namespace heapspan {

// What Rdds are made from. Use it, and the Rdds, broadcasts and accumulators that are made with it, on the thread of
// HEAPSPAN_MAIN, and until that returns; later uses throw Error. Kernels may use the captures that they get.
class Context {
 public:
  explicit Context(const heapspan_driver* driver) : session_(std::make_shared<detail::Session>(driver)) {}
  Context(const Context&) = delete;
  ~Context() { session_->close(); }

  // The lines of text files: a file, a folder, or a pattern of Hadoop. Lines end with \n or \r\n. `min_partitions` 0 is
  // Spark's default.
  HEAPSPAN_ONCE Pipeline<detail::TextScan> text_file(std::string_view path, int32_t min_partitions = 0);

  // Files of records of one size, each the bytes of a Record. `min_partitions` 0 is Spark's default.
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

  // Columns of Parquet files: a file, a folder, or a pattern of Hadoop. A row is a T, and each of its parts is a
  // column. The columns of these names, in this order; if none are named, all that the files have.
  template <class T>
  auto parquet_file(std::string_view path, const std::vector<std::string>& columns = {}) {
    static_assert(std::is_same_v<T, detail::owned_t<T>>, "heapspan: name the type that owns, such as std::string");
    const heapspan_driver& driver = session_->driver();
    std::vector<const char*> names = detail::c_strings(columns);
    int64_t handle = 0;
    detail::check(driver.parquet_file(driver.self, std::string(path).c_str(), names.data(),
                                      static_cast<int32_t>(names.size()), detail::type_text<detail::row_t<T>>().c_str(),
                                      &handle));
    return rows<T>("parquet_file", handle);
  }

  // What the application that runs the program gives it under a name.
  template <class T>
  auto input(std::string_view name) {
    static_assert(std::is_same_v<T, detail::owned_t<T>>, "heapspan: name the type that owns, such as std::string");
    const heapspan_driver& driver = session_->driver();
    int64_t handle = 0;
    detail::check(
        driver.input(driver.self, std::string(name).c_str(), detail::type_text<detail::row_t<T>>().c_str(), &handle));
    return rows<T>("input", handle);
  }

  // The elements of a range, divided evenly. `partitions` 0 is default_parallelism().
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

  // Spark's default parallelism. parallelize makes so many partitions if the program names no number.
  int32_t default_parallelism() const { return session_->driver().default_parallelism; }

 private:
  // The elements of a node whose batches are rows of T.
  template <class T>
  auto rows(std::string_view name, int64_t handle) {
    Rdd<detail::row_t<T>> rows(plan(name, handle));
    if constexpr (std::is_same_v<detail::row_t<T>, T>) {
      return rows;
    } else {
      return rows.map(
          [](const auto& row) { return std::apply([](const auto&... fields) { return T{fields...}; }, row); });
    }
  }

  HEAPSPAN_ONCE detail::Plan plan(std::string_view name, int64_t handle);

  detail::SessionPointer session_;
};

}  // namespace heapspan
