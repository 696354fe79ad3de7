// What check-symbols.sh has to refuse: a function that glibc has had since 2.30, a library that may be missing, and a
// symbol that is no entry point of JNI.

#include <unistd.h>

#include <string>

__attribute__((visibility("default"))) long stray_symbol(const char* text) {
  return static_cast<long>(std::string(text).append("needs libstdc++").size()) + gettid();
}
