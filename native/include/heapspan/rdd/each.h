#pragma once

#include <iterator>
#include <tuple>
#include <utility>

namespace heapspan {

// The results of a function for each element of a range, made while they are read: for kernels of flat_map that would
// else fill a vector. Keeps the range, which is often a view, and the captures, which come after the element.
template <class Elements, class F, class... Captures>
class Each {
  using Position = decltype(std::begin(std::declval<const Elements&>()));
  // May be of another type than a position, as that of the words of a text.
  using End = decltype(std::end(std::declval<const Elements&>()));

 public:
  class Iterator {
   public:
    Iterator(const Each* each, Position position) : each_(each), position_(position) {}
    auto operator*() const {
      return std::apply([&](const auto&... captures) { return each_->function_(*position_, captures...); },
                        each_->captures_);
    }
    Iterator& operator++() {
      ++position_;
      return *this;
    }
    bool operator!=(const End& end) const { return position_ != end; }

   private:
    const Each* each_;
    Position position_;
  };

  Each(Elements elements, F function, Captures... captures)
      : elements_(std::move(elements)), function_(std::move(function)), captures_(std::move(captures)...) {}
  Iterator begin() const { return Iterator(this, std::begin(elements_)); }
  End end() const { return std::end(elements_); }

 private:
  Elements elements_;
  F function_;
  std::tuple<Captures...> captures_;
};

template <class Elements, class F, class... Captures>
Each<Elements, F, Captures...> each(Elements elements, F function, Captures... captures) {
  return {std::move(elements), std::move(function), std::move(captures)...};
}

// All pairs of two elements of a range, the first of which comes before the second; made while they are read. Keeps the
// range, which is often a view.
template <class Elements>
class EachTwo {
  using Position = decltype(std::begin(std::declval<const Elements&>()));
  using End = decltype(std::end(std::declval<const Elements&>()));

 public:
  class Iterator {
   public:
    Iterator(Position first, End end) : first_(first), second_(first), end_(end) {
      if (second_ != end_) {
        ++second_;
      }
    }
    auto operator*() const { return std::pair(*first_, *second_); }
    Iterator& operator++() {
      ++second_;
      if (second_ == end_) {
        second_ = ++first_;
        ++second_;
      }
      return *this;
    }
    bool operator!=(std::default_sentinel_t) const { return second_ != end_; }

   private:
    Position first_;
    Position second_;
    End end_;
  };

  explicit EachTwo(Elements elements) : elements_(std::move(elements)) {}
  Iterator begin() const { return Iterator(std::begin(elements_), std::end(elements_)); }
  std::default_sentinel_t end() const { return {}; }

 private:
  Elements elements_;
};

template <class Elements>
EachTwo<Elements> each_two(Elements elements) {
  return EachTwo<Elements>(std::move(elements));
}

}  // namespace heapspan
