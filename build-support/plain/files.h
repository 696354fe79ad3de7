#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

// A file to read, as one text, mapped for the life of the process.
inline std::string_view mapped(const std::string& path) {
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0) {
    throw std::system_error(errno, std::generic_category(), path);
  }
  auto size = static_cast<size_t>(status.st_size);
  if (size == 0) {
    close(file);
    return {};
  }
  void* bytes = mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
  if (bytes == MAP_FAILED) {
    throw std::system_error(errno, std::generic_category(), path);
  }
  close(file);
  std::string_view text(static_cast<const char*>(bytes), size);
  // Spark leaves out a byte order mark at the beginning of a file.
  return text.substr(text.starts_with("\xEF\xBB\xBF") ? 3 : 0);
}

// Calls a function with each line.
template <typename Function>
void each_line(std::string_view text, Function function) {
  while (!text.empty()) {
    size_t length = std::min(text.find('\n'), text.size());
    function(text.substr(0, length));
    text.remove_prefix(std::min(length + 1, text.size()));
  }
}

// The only part of a result, written through a buffer.
class ResultFile {
 public:
  explicit ResultFile(const std::string& folder)
      : file_(std::fopen((folder + "/part-00000").c_str(), "w"), std::fclose) {
    if (file_ == nullptr) {
      throw std::system_error(errno, std::generic_category(), folder);
    }
  }

  ResultFile& operator<<(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() > kBufferBytes) {
      flush();
    }
    return *this;
  }

  // Ends the file; what the system cannot write becomes an exception.
  void end() {
    flush();
    if (std::fflush(file_.get()) != 0) {
      throw std::system_error(errno, std::generic_category(), "result");
    }
  }

 private:
  static constexpr size_t kBufferBytes = 1 << 16;

  void flush() {
    if (std::fwrite(buffer_.data(), 1, buffer_.size(), file_.get()) != buffer_.size()) {
      throw std::system_error(errno, std::generic_category(), "result");
    }
    buffer_.clear();
  }

  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  std::string buffer_;
};

// Runs a program that takes so many arguments; an exception is an error message.
template <typename Program>
int run(int argc, char** argv, int expected, const char* usage, Program program) {
  if (argc - 1 != expected) {
    std::fprintf(stderr, "usage: %s\n", usage);
    return 2;
  }
  try {
    program();
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s: %s\n", argv[0], e.what());
    return 1;
  }
}
