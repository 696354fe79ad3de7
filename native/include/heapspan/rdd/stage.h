#pragma once

#include "scan.h"

// A stage that runs in a task: a body, decoded from the captures of the task. A body has a State, made from the body
// and the task; advance(state, task), which works on one chunk and returns false when all is done; and captures.

// The type that boundary.h only names.
struct heapspan_stage {
  heapspan_stage() = default;
  heapspan_stage(const heapspan_stage&) = delete;
  // Works until a batch was emitted (true) or all is done (false).
  virtual bool advance() = 0;
  virtual void close() = 0;

 protected:
  // Not virtual, because compilers make two functions of a virtual one.
  ~heapspan_stage() = default;
};

// The first byte of the shared object or executable that this code is in. The linker defines it.
extern "C" __attribute__((visibility("hidden"))) const char __ehdr_start[];  // NOLINT: the name is the linker's

namespace heapspan::detail {

template <class Body>
class StageOf final : public heapspan_stage {
 public:
  explicit StageOf(const heapspan_task* host)
      : task_(host), body_(), reader_(task_), state_(decoded(body_, reader_), task_) {}

  bool advance() override {
    while (body_.advance(state_, task_)) {
      if (task_.take_emitted()) {
        return true;
      }
    }
    task_.report_accumulators();
    return false;
  }
  void close() override { delete this; }

 private:
  static Body& decoded(Body& body, CaptureReader& reader) {
    reader(body);
    return body;
  }

  Task task_;
  Body body_;
  CaptureReader reader_;
  typename Body::State state_;
};

using StageMaker = heapspan_stage* (*)(const heapspan_task*);

template <class Body>
heapspan_stage* make_stage(const heapspan_task* task) {
  return new StageOf<Body>(task);
}

template <class Body>
uint64_t kernel_offset() {
  return static_cast<uint64_t>(reinterpret_cast<const char*>(&make_stage<Body>) - __ehdr_start);
}

HEAPSPAN_ONCE heapspan_stage* open_stage(uint64_t kernel, const heapspan_task* task);

// Emits all elements of a scan as batches of columns.
template <class Scan>
struct EmitBody {
  Scan scan;

  struct State {
    State(const EmitBody& body, Task& task) : scan(body.scan, task, 0) {}
    typename Scan::State scan;
    Emitter<owned_t<typename Scan::Element>> emitter;
  };

  template <class Archive>
  void captures(Archive& archive) {
    scan.captures(archive);
  }

  bool advance(State& state, Task& task) const {
    if (scan.advance(state.scan, [&](const auto& element) { state.emitter.push(task, element); })) {
      return true;
    }
    state.emitter.flush(task);
    return false;
  }
};

}  // namespace heapspan::detail
