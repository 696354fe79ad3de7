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
}
