#pragma once

#include <limits>

#include "batch.h"
#include "types.h"

// Compact layouts: a column holds many elements of one type in a few flat buffers (Chukonu, section 5.3). Numbers and
// plain structs lie in one array, bool in a bitmap, strings and arrays in one array of contents and one of offsets,
// optional values with a bitmap, and pairs, tuples and aggregates in one column for each field. What a column gives out
// are views: std::string_view for strings, std::span for arrays of plain values.

namespace heapspan {
namespace detail {

template <class T>
struct ColumnOf;
// The column for elements that are, or show, a T.
template <class T>
using Column = typename ColumnOf<owned_t<T>>::type;
template <class T>
using view_t = typename Column<T>::View;

template <class T>
class FlatColumn {
 public:
  using View = T;
  void push(const T& value) { values_.push(value); }
  View operator[](size_t i) const { return values_[i]; }
  void append(const T* values, size_t count) { values_.append(values, count); }
  // `count` values for the caller to fill.
  T* extend(size_t count) { return values_.extend(count); }
  size_t size() const { return values_.size(); }
  size_t bytes() const { return values_.size() * sizeof(T); }
  size_t allocated_bytes() const { return values_.allocated_bytes(); }
  void clear() { values_.clear(); }
  void write(BatchWriter& writer) const { writer.add(values_); }
  void read(BatchReader& reader, size_t rows) { reader.take(values_, rows); }
  std::span<const T> range(size_t begin, size_t end) const { return {values_.data() + begin, end - begin}; }

 private:
  Buffer<T> values_;
};

// Elements without contents: only their number counts.
template <class T>
class EmptyColumn {
 public:
  using View = T;
  void push(const T&) { size_++; }
  View operator[](size_t) const { return T(); }
  size_t size() const { return size_; }
  size_t bytes() const { return 0; }
  size_t allocated_bytes() const { return 0; }
  void clear() { size_ = 0; }
  void write(BatchWriter&) const {}
  void read(BatchReader&, size_t rows) { size_ = rows; }

 private:
  size_t size_ = 0;
};

class BitColumn {
 public:
  using View = bool;
  void push(bool value) {
    if (size_ % 64 == 0) {
      words_.push(0);
    }
    words_.back() |= static_cast<uint64_t>(value) << (size_ % 64);
    size_++;
  }
  View operator[](size_t i) const { return ((words_[i / 64] >> (i % 64)) & 1) != 0; }
  size_t size() const { return size_; }
  size_t bytes() const { return words_.size() * sizeof(uint64_t); }
  size_t allocated_bytes() const { return words_.allocated_bytes(); }
  void clear() {
    words_.clear();
    size_ = 0;
  }
  void write(BatchWriter& writer) const { writer.add_bits(words_); }
  void read(BatchReader& reader, size_t rows) {
    reader.take(words_, rows / 64 + (rows % 64 != 0 ? 1 : 0));
    size_ = rows;
  }

 private:
  Buffer<uint64_t> words_;
  size_t size_ = 0;
};

// Where each of a sequence of ranges begins in the contents; one more than there are ranges, or none at all.
class Offsets {
 public:
  void push_end(size_t end) {
    if (offsets_.empty()) {
      offsets_.push(0);
    }
    if (end > std::numeric_limits<uint32_t>::max()) [[unlikely]] {
      fail("the strings or arrays of one partition or one operator need more than 4 GB; use more partitions");
    }
    offsets_.push(static_cast<uint32_t>(end));
  }
  size_t begin(size_t i) const { return offsets_[i]; }
  size_t end(size_t i) const { return offsets_[i + 1]; }
  size_t size() const { return offsets_.empty() ? 0 : offsets_.size() - 1; }
  size_t last() const { return offsets_.empty() ? 0 : offsets_[offsets_.size() - 1]; }
  size_t bytes() const { return offsets_.size() * sizeof(uint32_t); }
  size_t allocated_bytes() const { return offsets_.allocated_bytes(); }
  void clear() { offsets_.clear(); }
  void write(BatchWriter& writer) const { writer.add(offsets_); }
  // Checks the order, so that damaged bytes cannot lead outside of the contents.
  HEAPSPAN_ONCE void read(BatchReader& reader, size_t rows);

 private:
  Buffer<uint32_t> offsets_;
};

class StringColumn {
 public:
  using View = std::string_view;
  void push(std::string_view value) {
    contents_.append(value.data(), value.size());
    offsets_.push_end(contents_.size());
  }
  View operator[](size_t i) const {
    size_t begin = offsets_.begin(i);
    return {contents_.data() + begin, offsets_.end(i) - begin};
  }
  size_t size() const { return offsets_.size(); }
  size_t bytes() const { return offsets_.bytes() + contents_.size(); }
  size_t allocated_bytes() const { return offsets_.allocated_bytes() + contents_.allocated_bytes(); }
  void clear() {
    offsets_.clear();
    contents_.clear();
  }
  void write(BatchWriter& writer) const {
    offsets_.write(writer);
    writer.add(contents_);
  }
  void read(BatchReader& reader, size_t rows) {
    offsets_.read(reader, rows);
    reader.take(contents_, offsets_.last());
  }

 private:
  Offsets offsets_;
  Buffer<char> contents_;
};

template <class T>
inline constexpr bool is_flat_column = false;
template <class T>
inline constexpr bool is_flat_column<FlatColumn<T>> = true;

}  // namespace detail

// A view of an array whose elements are views themselves, such as one of strings. For plain elements it is std::span.
template <class T>
class ArrayView {
 public:
  using value_type = detail::view_t<T>;
  class Iterator {
   public:
    using value_type = ArrayView::value_type;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::forward_iterator_tag;
    using reference = value_type;
    using pointer = void;
    Iterator() = default;
    Iterator(const detail::Column<T>* column, size_t position) : column_(column), position_(position) {}
    value_type operator*() const { return (*column_)[position_]; }
    Iterator& operator++() {
      position_++;
      return *this;
    }
    Iterator operator++(int) { return Iterator(column_, position_++); }
    bool operator==(const Iterator& other) const { return position_ == other.position_; }

   private:
    const detail::Column<T>* column_ = nullptr;
    size_t position_ = 0;
  };

  ArrayView() = default;
  ArrayView(const detail::Column<T>* column, size_t begin, size_t end) : column_(column), begin_(begin), end_(end) {}
  size_t size() const { return end_ - begin_; }
  bool empty() const { return begin_ == end_; }
  value_type operator[](size_t i) const { return (*column_)[begin_ + i]; }
  value_type front() const { return (*column_)[begin_]; }
  Iterator begin() const { return Iterator(column_, begin_); }
  Iterator end() const { return Iterator(column_, end_); }

 private:
  const detail::Column<T>* column_ = nullptr;
  size_t begin_ = 0;
  size_t end_ = 0;
};

namespace detail {

// The elements from `begin` to `end` of a column, as kernels see an array.
template <class T>
auto range_of(const Column<T>& column, size_t begin, size_t end) {
  if constexpr (is_flat_column<Column<T>>) {
    return column.range(begin, end);
  } else {
    return ArrayView<T>(&column, begin, end);
  }
}

template <class Elements, class T>
concept ContiguousOf =
    std::ranges::contiguous_range<const Elements> && std::is_same_v<range_element_t<const Elements>, T>;

template <class T>
class ArrayColumn {
 public:
  using View = decltype(range_of<T>(std::declval<const Column<T>&>(), 0, 0));
  template <class Elements>
  void push(const Elements& elements) {
    if constexpr (is_flat_column<Column<T>> && ContiguousOf<Elements, T>) {
      values_.append(std::ranges::data(elements), std::ranges::size(elements));
    } else {
      for (auto&& element : elements) {
        values_.push(element);
      }
    }
    offsets_.push_end(values_.size());
  }
  View operator[](size_t i) const { return range_of<T>(values_, offsets_.begin(i), offsets_.end(i)); }
  size_t size() const { return offsets_.size(); }
  size_t bytes() const { return offsets_.bytes() + values_.bytes(); }
  size_t allocated_bytes() const { return offsets_.allocated_bytes() + values_.allocated_bytes(); }
  void clear() {
    offsets_.clear();
    values_.clear();
  }
  void write(BatchWriter& writer) const {
    offsets_.write(writer);
    values_.write(writer);
  }
  void read(BatchReader& reader, size_t rows) {
    offsets_.read(reader, rows);
    values_.read(reader, offsets_.last());
  }

 private:
  Offsets offsets_;
  Column<T> values_;
};

template <class T>
class NullableColumn {
 public:
  using View = std::optional<view_t<T>>;
  template <class Optional>
  void push(const Optional& value) {
    present_.push(value.has_value());
    if (value) {
      values_.push(*value);
    } else {
      values_.push(T());
    }
  }
  View operator[](size_t i) const { return present_[i] ? View(values_[i]) : View(); }
  size_t size() const { return present_.size(); }
  size_t bytes() const { return present_.bytes() + values_.bytes(); }
  size_t allocated_bytes() const { return present_.allocated_bytes() + values_.allocated_bytes(); }
  void clear() {
    present_.clear();
    values_.clear();
  }
  void write(BatchWriter& writer) const {
    present_.write(writer);
    values_.write(writer);
  }
  void read(BatchReader& reader, size_t rows) {
    present_.read(reader, rows);
    values_.read(reader, rows);
  }

 private:
  BitColumn present_;
  Column<T> values_;
};

// T is a tuple or an aggregate with the given fields; ViewType is what one row looks like.
template <class T, class ViewType, class... Fields>
class FieldsColumn {
 public:
  using View = ViewType;
  template <class Value>
  void push(const Value& value) {
    auto fields = fields_of(value);
    [&]<size_t... i>(std::index_sequence<i...>) {
      (std::get<i>(columns_).push(std::get<i>(fields)), ...);
    }(std::index_sequence_for<Fields...>());
  }
  View operator[](size_t row) const {
    return std::apply(
        [row](const auto&... columns) {
          if constexpr (NamesFields<T>) {
            T value;
            value.fields() = std::tuple<Fields...>(own<Fields>(columns[row])...);
            return value;
          } else if constexpr (std::is_same_v<View, T>) {
            return View{own<Fields>(columns[row])...};
          } else {
            return View(columns[row]...);
          }
        },
        columns_);
  }
  size_t size() const { return std::get<0>(columns_).size(); }
  size_t bytes() const {
    return std::apply([](const auto&... columns) { return (columns.bytes() + ...); }, columns_);
  }
  size_t allocated_bytes() const {
    return std::apply([](const auto&... columns) { return (columns.allocated_bytes() + ...); }, columns_);
  }
  void clear() {
    std::apply([](auto&... columns) { (columns.clear(), ...); }, columns_);
  }
  void write(BatchWriter& writer) const {
    std::apply([&](const auto&... columns) { (columns.write(writer), ...); }, columns_);
  }
  void read(BatchReader& reader, size_t rows) {
    std::apply([&](auto&... columns) { (columns.read(reader, rows), ...); }, columns_);
  }

 private:
  std::tuple<Column<Fields>...> columns_;
};

// The same for pairs, which nearly all programs have: without tuples, which take the compiler long.
template <class A, class B>
class PairColumn {
 public:
  using View = std::pair<view_t<A>, view_t<B>>;
  PairColumn() = default;
  PairColumn(PairColumn&&) noexcept = default;
  PairColumn& operator=(PairColumn&&) noexcept = default;
  [[gnu::noinline]] ~PairColumn() {}  // NOLINT: one function for all places that end one
  template <class Value>
  void push(const Value& value) {
    push_pair(value.first, value.second);
  }
  template <class First, class Second>
  void push_pair(const First& first, const Second& second) {
    first_.push(first);
    second_.push(second);
  }
  View operator[](size_t row) const { return View(first_[row], second_[row]); }
  template <size_t i>
  const auto& field() const {
    if constexpr (i == 0) {
      return first_;
    } else {
      return second_;
    }
  }
  size_t size() const { return first_.size(); }
  size_t bytes() const { return first_.bytes() + second_.bytes(); }
  size_t allocated_bytes() const { return first_.allocated_bytes() + second_.allocated_bytes(); }
  void clear() {
    first_.clear();
    second_.clear();
  }
  void write(BatchWriter& writer) const {
    first_.write(writer);
    second_.write(writer);
  }
  void read(BatchReader& reader, size_t rows) {
    first_.read(reader, rows);
    second_.read(reader, rows);
  }

 private:
  Column<A> first_;
  Column<B> second_;
};

template <class T, class Tie>
struct AggregateColumn;
template <class T, class... Fields>
struct AggregateColumn<T, std::tuple<Fields&...>> {
  using type = FieldsColumn<T, T, std::remove_cv_t<Fields>...>;
};

// Checks a type that is kept as it is, with one error. In pairs, tuples, optional values and vectors, views become what
// owns them.
template <class T>
consteval bool check_contents() {
  static_assert(
      is_view<T> || !holds_view<T>(),
      "heapspan: this type has pointers or views in it, whose memory goes with the batch; use std::string and "
      "std::vector for the fields of structs, and for the elements of std::array, std::set and std::map");
  return true;
}

// std::pair and std::tuple are not trivially copyable, although their bytes could be copied: they get columns by field.
template <class T>
struct ColumnOf {
  static constexpr bool is_plain =
      std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T> && !std::is_pointer_v<T>;
  static_assert(
      is_plain,
      "heapspan: there is no compact layout for this type; use numbers, bool, std::string, std::vector, "
      "std::optional, std::pair, std::tuple, structs without constructors, pointers and base classes, and classes "
      "with fields() and fields() const that return std::tie of all fields");
  static constexpr bool is_aligned = alignof(T) <= 8;
  static_assert(
      is_aligned,
      "heapspan: values of this type lie at multiples of more than 8 bytes, and buffers of batches do not; use double "
      "instead of long double, and no alignas");
  static_assert(check_contents<T>());
  // After the error, a column that causes no other.
  using type = std::conditional_t<std::is_empty_v<T> || !is_plain || !is_aligned, EmptyColumn<T>, FlatColumn<T>>;
};
template <>
struct ColumnOf<bool> {
  using type = BitColumn;
};
template <>
struct ColumnOf<std::string> {
  using type = StringColumn;
};
template <Container T>
  requires(!Text<T>)
struct ColumnOf<T> {
  static_assert(check_contents<T>());
  using type = ArrayColumn<container_element_t<T>>;
};
template <class T>
struct ColumnOf<std::optional<T>> {
  using type = NullableColumn<T>;
};
template <class A, class B>
struct ColumnOf<std::pair<A, B>> {
  using type = PairColumn<A, B>;
};
template <class... T>
  requires(sizeof...(T) > 0)
struct ColumnOf<std::tuple<T...>> {
  using type = FieldsColumn<std::tuple<T...>, std::tuple<view_t<T>...>, T...>;
};
template <class T>
  requires((Aggregate<T> || NamesFields<T>) && !std::is_trivially_copyable_v<T>)
struct ColumnOf<T> {
  static_assert(check_contents<T>());
  using type = typename AggregateColumn<T, decltype(fields_of(std::declval<T&>()))>::type;
};

// ------------------------------------------------------------------------------------------------ views of owning
// values

// What an owning value looks like to a kernel, without a copy where that is possible.
template <class T>
struct ShownType {
  using type = T;
};
template <>
struct ShownType<std::string> {
  using type = std::string_view;
};
template <class T>
  requires(std::is_trivially_copyable_v<T> && is_flat_column<Column<T>>)
struct ShownType<std::vector<T>> {
  using type = std::span<const T>;
};
template <class A, class B>
struct ShownType<std::pair<A, B>> {
  using type = std::pair<typename ShownType<A>::type, typename ShownType<B>::type>;
};
template <class... T>
struct ShownType<std::tuple<T...>> {
  using type = std::tuple<typename ShownType<T>::type...>;
};
template <class T>
using shown_t = typename ShownType<T>::type;

template <class T>
shown_t<T> show(const T& value) {
  if constexpr (is_pair<T>) {
    return shown_t<T>(show(value.first), show(value.second));
  } else if constexpr (is_tuple<T>) {
    return std::apply([](const auto&... fields) { return shown_t<T>(show(fields)...); }, value);
  } else {
    return shown_t<T>(value);
  }
}

}  // namespace detail
}  // namespace heapspan
