#pragma once

namespace heapspan::vm {

// Success, or one sentence that says what was missing. The text is a literal: a Status owns nothing.
class [[nodiscard]] Status {
 public:
  static constexpr Status ok() { return Status(nullptr); }
  static constexpr Status failed(const char* why) { return Status(why); }

  constexpr bool is_ok() const { return why_ == nullptr; }
  // Null if ok.
  constexpr const char* why() const { return why_; }

 private:
  explicit constexpr Status(const char* why) : why_(why) {}

  const char* why_;
};

}  // namespace heapspan::vm
