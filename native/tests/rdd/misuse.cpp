#include <heapspan/rdd.hpp>

#include <map>
#include <set>

// Programs that must not compile. misuse.cmake compiles the cases together, and expects one error with the text beside
// it for each of them. Case 0 is correct, and compiled alone: it shows that the others fail for their own reason alone.

inline int twice(int x) { return 2 * x; }

HEAPSPAN_MAIN(context, args) {
  auto numbers = context.parallelize(std::vector<int>{1, 2, 3});
  auto pairs = numbers.map_to_pair([](int x) { return std::pair(x, 1L); });
  [[maybe_unused]] int factor = static_cast<int>(args.size());
#if CASE(0)
  numbers.map([](int x, int by) { return x * by; }, factor).count();
  // A result may also be what becomes the type of what was merged so far.
  pairs.reduce_by_key([](long a, long) { return static_cast<int>(a); }).count();
  pairs.fold_by_key(0, [](long a, int b) { return a + b; }).count();
  pairs.aggregate_by_key(
           std::string(), [](std::string_view a, long) { return a; }, [](auto& a, auto&) { return a; })
      .count();
  numbers.aggregate(
      std::tuple(std::vector<long>(), std::optional<std::string>(), 'x'),
      [](const auto&, int) { return std::tuple(std::vector<int>(), std::optional<std::string_view>(), 1); },
      [](const auto& a, const auto&) { return a; });
#endif
#if CASE(1)  // a kernel must not capture
#line 1 "case 1"
  numbers.map([factor](int x) { return x * factor; });
#endif
#if CASE(2)  // a kernel must not capture
#line 1 "case 2"
  numbers.map([&](int x) { return x * factor; });
#endif
#if CASE(3)  // a kernel must not capture
#line 1 "case 3"
  numbers.filter([=](int x) { return x > factor; });
#endif
#if CASE(4)  // a kernel must not capture
#line 1 "case 4"
  numbers.map([&](int x) { return x; });
#endif
#if CASE(5)  // a kernel must not capture
#line 1 "case 5"
  numbers.map(&twice);
#endif
#if CASE(6)  // the kernel does not take what this operator passes
#line 1 "case 6"
  numbers.map([](const std::string& text) { return text; });
#endif
#if CASE(7)  // the kernel does not take what this operator passes
#line 1 "case 7"
  numbers.map([](int x) { return x; }, factor);
#endif
#if CASE(8)  // the kernel does not take what this operator passes
#line 1 "case 8"
  numbers.map([](int& x) { return x; });
#endif
#if CASE(9)  // the kernel of map_to_pair returns a std::pair
#line 1 "case 9"
  numbers.map_to_pair([](int x) { return x; });
#endif
#if CASE(10)  // the kernel of flat_map returns a range
#line 1 "case 10"
  numbers.flat_map([](int x) { return x; });
#endif
#if CASE(11)  // the kernel of filter returns true or false
#line 1 "case 11"
  numbers.filter([](int x) { return std::to_string(x); });
#endif
#if CASE(12)  // this function takes what was merged so far and the next value
#line 1 "case 12"
  pairs.reduce_by_key([](long a) { return a; });
#endif
#if CASE(13)  // this function must not capture
#line 1 "case 13"
  pairs.reduce_by_key([factor](long a, long b) { return a + b + factor; });
#endif
#if CASE(14)  // this_operator_needs_an_rdd_of_pairs
#line 1 "case 14"
  numbers.group_by_key();
#endif
#if CASE(15)  // both sides need keys of the same type
#line 1 "case 15"
  pairs.join(pairs.map_to_pair([](const auto& pair) { return std::pair(pair.second, pair.first); }));
#endif
#if CASE(16)  // there is no compact layout for this type
#line 1 "case 16"
  numbers.map([](int x) { return std::make_shared<int>(x); }).collect();
#endif
#if CASE(17)  // union_with needs two Rdds with elements of the same type
#line 1 "case 17"
  numbers.union_with(pairs);
#endif
#if CASE(18)  // save_as_binary needs numbers or structs
#line 1 "case 18"
  pairs.save_as_binary(args[1]);
#endif
#if CASE(19)  // the kernel of map returns a value
#line 1 "case 19"
  numbers.map([](int) {});
#endif
#if CASE(20)  // an application does not know this type
#line 1 "case 20"
  numbers.map([](int x) { return std::array<int, 2>{x, x}; }).output("arrays");
#endif
#if CASE(21)  // save_as_binary needs numbers or structs
#line 1 "case 21"
  context.text_file(args[1]).save_as_binary(args[2]);
#endif
#if CASE(22)  // save_as_binary needs numbers or structs
#line 1 "case 22"
  numbers.map([](int x) { return std::vector<int>{x}; }).materialized().save_as_binary(args[1]);
#endif
#if CASE(23)  // save_as_binary needs numbers or structs
#line 1 "case 23"
  numbers.map([](int x) { return std::optional<std::string>(std::to_string(x)); })
      .materialized()
      .save_as_binary(args[1]);
#endif
#if CASE(24)  // save_as_binary needs numbers or structs
#line 1 "case 24"
  numbers.map([](int x) { return std::vector<std::vector<int>>{{x}}; }).materialized().save_as_binary(args[1]);
#endif
#if CASE(25)  // this type has pointers or views in it
#line 1 "case 25"
  struct Visit {
    int count;
    std::string_view page;
  };
  context.text_file(args[1]).map([](std::string_view line) { return Visit{1, line}; }).persist();
#endif
#if CASE(26)  // this type has pointers or views in it
#line 1 "case 26"
  struct Nested {
    int count;
    struct {
      double weight;
      const char* name;
    } inner;
  };
  numbers.map([](int x) { return Nested{x, {0.5, "name"}}; }).persist();
#endif
#if CASE(27)  // this type has pointers or views in it
#line 1 "case 27"
  context.text_file(args[1]).map([](std::string_view line) { return std::array{line, line}; }).collect();
#endif
#if CASE(28)  // this type has pointers or views in it
#line 1 "case 28"
  context.text_file(args[1]).map([](std::string_view line) { return std::set{line}; }).persist();
#endif
#if CASE(29)  // this type has pointers or views in it
#line 1 "case 29"
  context.text_file(args[1])
      .map_to_pair([](std::string_view line) { return std::pair(1, std::map<std::string_view, int>{{line, 1}}); })
      .reduce_by_key([](const auto& a, const auto&) { return a; });
#endif
#if CASE(30)  // this type has pointers or views in it
#line 1 "case 30"
  struct Words {
    std::vector<std::string_view> words;
  };
  context.text_file(args[1]).map([](std::string_view line) { return Words{{line}}; }).collect();
#endif
#if CASE(31)  // this type has pointers or views in it
#line 1 "case 31"
  class Named {
   public:
    auto fields() { return std::tie(name_); }
    auto fields() const { return std::tie(name_); }

   private:
    std::string_view name_;
  };
  numbers.map([](int) { return Named(); }).persist();
#endif
#if CASE(32)  // values of this type lie at multiples of more than 8 bytes
#line 1 "case 32"
  numbers.map([](int x) { return static_cast<long double>(x); }).collect();
#endif
#if CASE(33)  // an application does not know this type
#line 1 "case 33"
  numbers.map([](int x) { return static_cast<uint8_t>(x); }).output("bytes");
#endif
#if CASE(34)  // the kernel of flat_map returns a range
#line 1 "case 34"
  numbers.flat_map([](int) {});
#endif
#if CASE(35)  // the kernel does not take what this operator passes
#line 1 "case 35"
  numbers.flat_map([](const std::string& text) { return text; });
#endif
#if CASE(36)  // the kernel does not take what this operator passes
#line 1 "case 36"
  numbers.filter([](const std::string& text) { return text.empty(); });
#endif
#if CASE(37)  // the kernel does not take what this operator passes
#line 1 "case 37"
  numbers.map_to_pair([](const std::string& text) { return std::pair(text, 1); });
#endif
#if CASE(38)  // the kernel does not take what this operator passes
#line 1 "case 38"
  numbers.key_by([](const std::string& text) { return text; });
#endif
#if CASE(39)  // the kernel of key_by returns a key
#line 1 "case 39"
  numbers.key_by([](int) {});
#endif
#if CASE(40)  // the kernel does not take what this operator passes
#line 1 "case 40"
  numbers.map_partitions([](int x) { return std::vector<int>{x}; });
#endif
#if CASE(41)  // the kernel of map_partitions returns a range
#line 1 "case 41"
  numbers.map_partitions([](const auto& part) { return part.size(); });
#endif
#if CASE(42)  // the kernel of map_partitions returns a range
#line 1 "case 42"
  numbers.map_partitions([](const auto&) {});
#endif
#if CASE(43)  // the kernel does not take what this operator passes
#line 1 "case 43"
  pairs.map_values([](const std::string& text) { return text; });
#endif
#if CASE(44)  // the kernel of map_values returns a value
#line 1 "case 44"
  pairs.map_values([](long) {});
#endif
#if CASE(45)  // the kernel does not take what this operator passes
#line 1 "case 45"
  pairs.flat_map_values([](const std::string& text) { return text; });
#endif
#if CASE(46)  // the kernel of flat_map_values returns a range
#line 1 "case 46"
  pairs.flat_map_values([](long x) { return x; });
#endif
#if CASE(47)  // the kernel of flat_map_values returns a range
#line 1 "case 47"
  pairs.flat_map_values([](long) {});
#endif
#if CASE(48)  // the kernel does not take what this operator passes
#line 1 "case 48"
  numbers.sort_by([](const std::string& text) { return text; });
#endif
#if CASE(49)  // the kernel of sort_by returns a key
#line 1 "case 49"
  numbers.sort_by([](int) {});
#endif
#if CASE(50)  // the kernel does not take what this operator passes
#line 1 "case 50"
  numbers.sort_by_descending([](const std::string& text) { return text; });
#endif
#if CASE(51)  // the kernel of sort_by_descending returns a key
#line 1 "case 51"
  numbers.sort_by_descending([](int) {});
#endif
#if CASE(52)  // the kernel does not take what this operator passes
#line 1 "case 52"
  numbers.foreach([](const std::string&) {});
#endif
#if CASE(53)  // the kernel does not take what this operator passes
#line 1 "case 53"
  numbers.foreach_partition([](int) {});
#endif
#if CASE(54)  // this function returns what is merged now
#line 1 "case 54"
  pairs.reduce_by_key([](long, long) {});
#endif
#if CASE(55)  // this function returns what is merged now
#line 1 "case 55"
  pairs.reduce_by_key([](long a, long b) { return std::to_string(a + b); });
#endif
#if CASE(56)  // this function takes what was merged so far and the next value
#line 1 "case 56"
  pairs.fold_by_key(0L, [](long a) { return a; });
#endif
#if CASE(57)  // this function returns what is merged now
#line 1 "case 57"
  pairs.fold_by_key(0L, [](long a, long b) { return std::pair(a, b); });
#endif
#if CASE(58)  // the first argument is of the type of what is merged
#line 1 "case 58"
  pairs.fold_by_key("none", [](long a, long b) { return a + b; });
#endif
#if CASE(59)  // this function takes what was merged so far and the next value
#line 1 "case 59"
  pairs.aggregate_by_key(0L, [](long a) { return a; }, [](long a, long b) { return a + b; });
#endif
#if CASE(60)  // this function returns what is merged now
#line 1 "case 60"
  pairs.aggregate_by_key(0L, [](long, long) {}, [](long a, long b) { return a + b; });
#endif
#if CASE(61)  // this function takes what was merged so far and the next value
#line 1 "case 61"
  pairs.aggregate_by_key(0L, [](long a, long b) { return a + b; }, [](long a) { return a; });
#endif
#if CASE(62)  // this function returns what is merged now
#line 1 "case 62"
  pairs.aggregate_by_key(0L, [](long a, long b) { return a + b; }, [](long, long) { return "text"; });
#endif
#if CASE(63)  // the kernel does not take what this operator passes
#line 1 "case 63"
  pairs.combine_by_key([](const std::string&) { return 1L; }, std::plus(), std::plus());
#endif
#if CASE(64)  // the first function of combine_by_key returns what the others merge
#line 1 "case 64"
  pairs.combine_by_key([](long) {}, std::plus(), std::plus());
#endif
#if CASE(65)  // this function takes what was merged so far and the next value
#line 1 "case 65"
  pairs.combine_by_key([](long x) { return std::pair(x, 1); }, [](long a, long b) { return a + b; },
                       [](const auto& a, const auto&) { return a; });
#endif
#if CASE(66)  // this function returns what is merged now
#line 1 "case 66"
  pairs.combine_by_key([](long x) { return std::pair(x, 1); }, [](const auto& a, long b) { return a.first + b; },
                       [](const auto& a, const auto&) { return a; });
#endif
#if CASE(67)  // this function returns what is merged now
#line 1 "case 67"
  pairs.combine_by_key([](long x) { return std::pair(x, 1); }, [](const auto& a, long) { return a; },
                       [](const auto& a, const auto&) { return std::pair(a.first, std::string()); });
#endif
#if CASE(68)  // this function takes what was merged so far and the next value
#line 1 "case 68"
  numbers.reduce([](int a) { return a; });
#endif
#if CASE(69)  // this function returns what is merged now
#line 1 "case 69"
  numbers.reduce([](int, int) {});
#endif
#if CASE(70)  // this function must not capture
#line 1 "case 70"
  numbers.tree_reduce([factor](int a, int b) { return a + b + factor; });
#endif
#if CASE(71)  // this function returns what is merged now
#line 1 "case 71"
  numbers.tree_reduce([](int a, int b) { return std::to_string(a + b); });
#endif
#if CASE(72)  // this function takes what was merged so far and the next value
#line 1 "case 72"
  numbers.fold(0, [](int a) { return a; });
#endif
#if CASE(73)  // this function returns what is merged now
#line 1 "case 73"
  numbers.fold(0, [](int, int) {});
#endif
#if CASE(74)  // the first argument is of the type of what is merged
#line 1 "case 74"
  numbers.fold("none", [](int a, int b) { return a + b; });
#endif
#if CASE(75)  // this function takes what was merged so far and the next value
#line 1 "case 75"
  numbers.aggregate(0L, [](long a) { return a; }, [](long a, long b) { return a + b; });
#endif
#if CASE(76)  // this function returns what is merged now
#line 1 "case 76"
  numbers.aggregate(
      std::optional<long>(), [](const auto&, int b) { return b; }, [](const auto& a, const auto&) { return a; });
#endif
#if CASE(77)  // this function returns what is merged now
#line 1 "case 77"
  numbers.aggregate(
      std::vector<int>(), [](const auto& a, int) { return a; },
      [](const auto&, const auto&) { return std::vector<std::string>(); });
#endif
#if CASE(78)  // this function must not capture
#line 1 "case 78"
  numbers.take_ordered(1, [factor](int a, int b) { return a * factor < b; });
#endif
#if CASE(79)  // the function of take_ordered takes two elements
#line 1 "case 79"
  numbers.take_ordered(1, [](int a) { return a < 0; });
#endif
#if CASE(80)  // the function of take_ordered takes two elements
#line 1 "case 80"
  numbers.take_ordered(1, [](int a, int b) { return std::to_string(a - b); });
#endif
}
