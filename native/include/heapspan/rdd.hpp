#pragma once

// All that a native RDD program needs.

#include "rdd/program.h"

#ifndef HEAPSPAN_COMPILED_ONCE
#include "rdd/compiled_once.h"
#endif

// What many programs use of some templates. See HEAPSPAN_ONCE.
#if defined(HEAPSPAN_COMPILED_ONCE) || defined(HEAPSPAN_COMPILES_ONCE)
#ifdef HEAPSPAN_COMPILED_ONCE
#define HEAPSPAN_INSTANTIATION extern template
#else
#define HEAPSPAN_INSTANTIATION template
#endif
HEAPSPAN_INSTANTIATION class std::basic_string<char>;
HEAPSPAN_INSTANTIATION class std::vector<heapspan::detail::NodePointer>;
HEAPSPAN_INSTANTIATION class heapspan::detail::Buffer<char>;
HEAPSPAN_INSTANTIATION class heapspan::detail::Buffer<unsigned char>;
HEAPSPAN_INSTANTIATION class heapspan::detail::Buffer<int32_t>;
HEAPSPAN_INSTANTIATION class heapspan::detail::Buffer<uint32_t>;
HEAPSPAN_INSTANTIATION class heapspan::detail::Buffer<int64_t>;
HEAPSPAN_INSTANTIATION class heapspan::detail::Buffer<uint64_t>;
HEAPSPAN_INSTANTIATION class heapspan::detail::Buffer<double>;
HEAPSPAN_INSTANTIATION class heapspan::detail::KeyTable<int32_t>;
HEAPSPAN_INSTANTIATION class heapspan::detail::KeyTable<uint32_t>;
HEAPSPAN_INSTANTIATION class heapspan::detail::KeyTable<int64_t>;
HEAPSPAN_INSTANTIATION class heapspan::detail::KeyTable<uint64_t>;
HEAPSPAN_INSTANTIATION int32_t heapspan::parse<int32_t>(std::string_view);
HEAPSPAN_INSTANTIATION const char* heapspan::detail::take_number<int32_t>(const char*, const char*, int32_t&);
HEAPSPAN_INSTANTIATION uint32_t heapspan::parse<uint32_t>(std::string_view);
HEAPSPAN_INSTANTIATION const char* heapspan::detail::take_number<uint32_t>(const char*, const char*, uint32_t&);
HEAPSPAN_INSTANTIATION int64_t heapspan::parse<int64_t>(std::string_view);
HEAPSPAN_INSTANTIATION const char* heapspan::detail::take_number<int64_t>(const char*, const char*, int64_t&);
HEAPSPAN_INSTANTIATION uint64_t heapspan::parse<uint64_t>(std::string_view);
HEAPSPAN_INSTANTIATION const char* heapspan::detail::take_number<uint64_t>(const char*, const char*, uint64_t&);
HEAPSPAN_INSTANTIATION double heapspan::parse<double>(std::string_view);
HEAPSPAN_INSTANTIATION const char* heapspan::detail::take_number<double>(const char*, const char*, double&);
#endif
