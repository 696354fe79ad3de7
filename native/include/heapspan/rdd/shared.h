#pragma once

#include <map>
#include <mutex>

#include "plan.h"

// Values that a driver shares with its tasks: broadcasts, which tasks read, and accumulators, to which they add. Both
// are passed to a kernel as captures.

namespace heapspan {

class Context;

namespace detail {

// The broadcasts that this process has decoded. They are kept until the host says that the process has them no more;
// tasks that use one keep it on their own.
class BroadcastCache {
 public:
  template <class T>
  static std::shared_ptr<const T> get(Task& task, int64_t broadcast) {
    std::shared_ptr<Entry> entry = entry_of(broadcast);
    std::lock_guard lock(entry->mutex);
    if (entry->value == nullptr) {
      heapspan_bytes bytes = {};
      check(task.host().broadcast_value(task.host().self, broadcast, &bytes));
      entry->value = std::make_shared<const T>(read_value<T>(bytes.data, bytes.size));
    }
    return std::static_pointer_cast<const T>(entry->value);
  }
  HEAPSPAN_ONCE static void forget(int64_t broadcast);

 private:
  struct Entry {
    std::mutex mutex;
    std::shared_ptr<const void> value;
  };
  HEAPSPAN_ONCE static std::shared_ptr<Entry> entry_of(int64_t broadcast);
  HEAPSPAN_ONCE static BroadcastCache& instance();

  std::mutex mutex_;
  std::map<int64_t, std::shared_ptr<Entry>> entries_;
};

// A broadcast that the driver has made; the last copy of the pointer gives it back.
class SentBroadcast {
 public:
  HEAPSPAN_ONCE SentBroadcast(SessionPointer session, const BatchMemory& value);
  SentBroadcast(const SentBroadcast&) = delete;
  HEAPSPAN_ONCE ~SentBroadcast();
  int64_t number() const { return number_; }
  HEAPSPAN_ONCE void destroy();

 private:
  SessionPointer session_;
  int64_t number_ = 0;
};

}  // namespace detail

// A value that each process gets once, however many tasks use it. Spark removes it when neither the program nor an Rdd
// that was made with it is there any more, or when it is destroyed.
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

  // Frees the value in all processes: in each one when its next stage begins. Nothing may use it afterwards.
  void destroy() {
    if (sent_ != nullptr) {
      sent_->destroy();
      sent_.reset();
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
      : value_(std::make_shared<const T>(std::move(value))),
        sent_(std::make_shared<detail::SentBroadcast>(std::move(session), detail::write_value(*value_))),
        broadcast_(sent_->number()) {}

  std::shared_ptr<const T> value_;
  // Only in the driver.
  std::shared_ptr<detail::SentBroadcast> sent_;
  int64_t broadcast_ = 0;
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
