#pragma once

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "../check.h"
#include "local_driver.h"

// Programs of examples/native, loaded as a host loads them.

namespace heapspan::testing {

namespace files = std::filesystem;

// A folder for the inputs and outputs of a test, while it runs.
class Folder {
 public:
  explicit Folder(const char* name)
      : path_(files::temp_directory_path() / ("heapspan-" + std::string(name) + "-" + std::to_string(getpid()))) {
    files::remove_all(path_);
    files::create_directories(path_);
  }
  Folder(const Folder&) = delete;
  ~Folder() { files::remove_all(path_); }
  files::path operator/(const std::string& name) const { return path_ / name; }

  std::string write(const char* name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return path_ / name;
  }

 private:
  files::path path_;
};

// Runs a program of a folder. Returns why it failed, or nothing.
inline std::string run_example(const files::path& programs, const char* name,
                               const std::vector<std::string>& arguments) {
  void* library = dlopen((programs / (std::string(name) + ".so")).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return dlerror();
  }
  auto table = reinterpret_cast<const heapspan_program* (*)()>(dlsym(library, "heapspan_program_table"))();
  std::vector<const char*> pointers{name};
  for (const std::string& argument : arguments) {
    pointers.push_back(argument.c_str());
  }
  LocalDriver driver(table, {});
  heapspan_error error = {};
  heapspan_status status = table->main(driver.table(), static_cast<int32_t>(pointers.size()), pointers.data(), &error);
  std::string message = status == HEAPSPAN_OK            ? ""
                        : status == HEAPSPAN_HOST_FAILED ? driver.stage_error().message
                                                         : error.message;
  CHECK(driver.counters().nodes_made == driver.counters().nodes_released);
  dlclose(library);
  return message;
}

// All lines of the files in a folder, in order.
inline std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> lines;
  for (const auto& entry : files::directory_iterator(path)) {
    std::ifstream in(entry.path());
    for (std::string line; std::getline(in, line);) {
      lines.push_back(line);
    }
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace heapspan::testing
