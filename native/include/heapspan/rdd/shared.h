#pragma once

#include <list>
#include <mutex>

#include "plan.h"

// Values that a driver shares with its tasks: broadcasts, which tasks read, and accumulators, to which they add. Both
// are passed to a kernel as captures.

namespace heapspan {

class Context;

namespace detail {

// The broadcasts that this process decoded last. Tasks that use one keep it alive on their own.
class BroadcastCache {
 public:
  template <class T>
  static std::shared_ptr<const T> get(Task& task, int64_t broadcast) {
    BroadcastCache& cache = instance();
    std::lock_guard lock(cache.mutex_);
    for (const Entry& entry : cache.entries_) {
      if (entry.broadcast == broadcast) {
        return std::static_pointer_cast<const T>(entry.value);
      }
    }
    heapspan_bytes bytes = {};
    check(task.host().broadcast_value(task.host().self, broadcast, &bytes));
    auto value = std::make_shared<const T>(read_value<T>(bytes.data, bytes.size));
    cache.entries_.push_front({broadcast, value});
    if (cache.entries_.size() > most_entries) {
      cache.entries_.pop_back();
    }
    return value;
  }

 private:
  static constexpr size_t most_entries = 8;
  struct Entry {
    int64_t broadcast;
    std::shared_ptr<const void> value;
  };
  static BroadcastCache& instance() {
    static BroadcastCache cache;
    return cache;
  }
  std::mutex mutex_;
  std::list<Entry> entries_;
};

}  // namespace detail

// A value that each process gets once, however many tasks use it.
template <class T>
class Broadcast {
 public:
  Broadcast() = default;
  const T& value() const {
    if (value_ == nullptr) {
      detail::fail("a broadcast was used before anything was assigned to it, or after it was destroyed");
    }
    return *value_;
  }
  const T& operator*() const { return value(); }
  const T* operator->() const { return &value(); }

  // Frees the value in all processes. Nothing may use it afterwards.
  void destroy() {
    if (session_ != nullptr) {
      detail::check(session_->driver().destroy_broadcast(session_->self(), broadcast_));
      session_.reset();
    }
    value_.reset();
  }

  void write_capture(detail::CaptureWriter& writer) {
    value();
    writer(broadcast_);
  }
  void read_capture(detail::CaptureReader& reader) {
    reader(broadcast_);
    value_ = detail::BroadcastCache::get<T>(reader.task(), broadcast_);
  }

 private:
  friend class Context;
  Broadcast(detail::SessionPointer session, T value)
      : session_(std::move(session)), value_(std::make_shared<const T>(std::move(value))) {
    detail::BatchMemory memory = detail::write_value(*value_);
    detail::check(
        session_->driver().broadcast(session_->self(), {memory.data(), memory.size() * sizeof(uint64_t)}, &broadcast_));
  }

  detail::SessionPointer session_;
  int64_t broadcast_ = 0;
  std::shared_ptr<const T> value_;
};

// A sum to which kernels add, and which the driver reads. A task that runs twice may be counted twice, except in
// actions.
template <class T>
  requires(std::is_same_v<T, int64_t> || std::is_same_v<T, double>)
class Accumulator {
 public:
  Accumulator() = default;
  void add(T value) const {
    if (cell_ == nullptr) {
      detail::fail("an accumulator is only added to by kernels that got it as a capture");
    }
    if constexpr (std::is_same_v<T, double>) {
      cell_->sum.as_double += value;
    } else {
      // Wraps around, as in Java.
      cell_->sum.as_long =
          static_cast<int64_t>(static_cast<uint64_t>(cell_->sum.as_long) + static_cast<uint64_t>(value));
    }
  }
  // What tasks that are done have added.
  T value() const {
    if (session_ == nullptr) {
      detail::fail("the value of an accumulator is only known in the driver");
    }
    heapspan_number number = {};
    detail::check(session_->driver().accumulator_value(session_->self(), accumulator_, &number));
    if constexpr (std::is_same_v<T, double>) {
      return number.as_double;
    } else {
      return number.as_long;
    }
  }

  void write_capture(detail::CaptureWriter& writer) { writer(accumulator_); }
  void read_capture(detail::CaptureReader& reader) {
    reader(accumulator_);
    heapspan_number zero = {};
    if constexpr (std::is_same_v<T, double>) {
      zero.as_double = 0;
    }
    cell_ = reader.task().cell(accumulator_, zero);
  }

 private:
  friend class Context;
  Accumulator(detail::SessionPointer session, const std::string& name) : session_(std::move(session)) {
    int32_t kind = std::is_same_v<T, double> ? HEAPSPAN_SUM_OF_DOUBLES : HEAPSPAN_SUM_OF_LONGS;
    detail::check(session_->driver().accumulator(session_->self(), name.c_str(), kind, &accumulator_));
  }

  detail::SessionPointer session_;
  int64_t accumulator_ = 0;
  detail::AccumulatorCell* cell_ = nullptr;
};

}  // namespace heapspan
