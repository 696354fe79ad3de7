#include <heapspan/rdd.hpp>

// Programs that must not compile. misuse.cmake compiles each case alone, and expects one error with the text beside it.
// Case 0 is correct: it shows that the others fail for their own reason alone.

inline int twice(int x) { return 2 * x; }

HEAPSPAN_MAIN(context, args) {
  auto numbers = context.parallelize(std::vector<int>{1, 2, 3});
  auto pairs = numbers.map_to_pair([](int x) { return std::pair(x, 1L); });
  [[maybe_unused]] int factor = static_cast<int>(args.size());
#if CASE == 0
  numbers.map([](int x, int by) { return x * by; }, factor).count();
#elif CASE == 1   // a kernel must not capture
  numbers.map([factor](int x) { return x * factor; });
#elif CASE == 2   // a kernel must not capture
  numbers.map([&](int x) { return x * factor; });
#elif CASE == 3   // a kernel must not capture
  numbers.filter([=](int x) { return x > factor; });
#elif CASE == 4   // a kernel must not capture
  numbers.map([&](int x) { return x; });
#elif CASE == 5   // a kernel must not capture
  numbers.map(&twice);
#elif CASE == 6   // the kernel does not take what this operator passes
  numbers.map([](const std::string& text) { return text; });
#elif CASE == 7   // the kernel does not take what this operator passes
  numbers.map([](int x) { return x; }, factor);
#elif CASE == 8   // the kernel does not take what this operator passes
  numbers.map([](int& x) { return x; });
#elif CASE == 9   // the kernel of map_to_pair returns a std::pair
  numbers.map_to_pair([](int x) { return x; });
#elif CASE == 10  // the kernel of flat_map returns a range
  numbers.flat_map([](int x) { return x; });
#elif CASE == 11  // the kernel of filter returns true or false
  numbers.filter([](int x) { return std::to_string(x); });
#elif CASE == 12  // this function takes what was merged so far and the next value
  pairs.reduce_by_key([](long a) { return a; });
#elif CASE == 13  // this function must not capture
  pairs.reduce_by_key([factor](long a, long b) { return a + b + factor; });
#elif CASE == 14  // PairScan
  numbers.group_by_key();
#elif CASE == 15  // both sides need keys of the same type
  pairs.join(pairs.map_to_pair([](const auto& pair) { return std::pair(pair.second, pair.first); }));
#elif CASE == 16  // there is no compact layout for this type
  numbers.map([](int x) { return std::make_shared<int>(x); }).collect();
#elif CASE == 17  // union_with needs two Rdds with elements of the same type
  numbers.union_with(pairs);
#elif CASE == 18  // save_as_binary needs numbers or structs
  pairs.save_as_binary(args[1]);
#elif CASE == 19  // the kernel of map returns a value
  numbers.map([](int) {});
#elif CASE == 20  // an application does not know this type
  numbers.map([](int x) { return std::array<int, 2>{x, x}; }).output("arrays");
#endif
}
