# shellcheck shell=bash
# Native tests, sanitizers, the fuzz target and the format of C++. Sourced by ./dev.

# CMake refuses a folder that it made for a work tree in another place, such as the host of a container.
discard_moved_native() {
  local cache=$root/native/build/CMakeCache.txt
  [[ ! -r $cache ]] || grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root/native" "$cache" || rm -rf "$root/native/build"
}

# The native tests without sanitizers. Maven finds the library up to date, which is built here as there.
native_tests() {
  cmake -S "$root/native" -B "$root/native/build" -DCMAKE_BUILD_TYPE=Release "-DHEAPSPAN_JAVA_HOME=$(readlink -f "$jdk")" \
    && cmake --build "$root/native/build" --parallel 2 \
    && ctest --test-dir "$root/native/build" --parallel 2 --output-on-failure --output-junit "$log_dir/TEST-native.xml"
}

# With AddressSanitizer and UndefinedBehaviorSanitizer.
build_sanitized_native() { # options of cmake --build
  cmake -S "$root/native" -B "$root/native/build/sanitize" -DCMAKE_BUILD_TYPE=Debug \
    -DHEAPSPAN_SANITIZERS=address,undefined "-DHEAPSPAN_JAVA_HOME=$jdk" \
    && cmake --build "$root/native/build/sanitize" --parallel 2 "$@"
}

# Whether clang++ is installed with libFuzzer and the sanitizers, which Debian has in separate packages.
has_libfuzzer() {
  command -v clang++ >/dev/null 2>&1 \
    && clang++ -fsanitize=fuzzer,address,undefined -x c++ -o /dev/null - >/dev/null 2>&1 \
      <<<'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }'
}

# Builds two fuzz targets of the native carver, one of them with a deliberate fault. They use libFuzzer if it is installed, and otherwise our
# own driver.
build_native_fuzzer() {
  local targets=(--target carving_fuzz carving_fuzz_without_size_check)
  if has_libfuzzer; then
    cmake -S "$root/native" -B "$root/native/build/libfuzzer" -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=Debug \
      -DHEAPSPAN_SANITIZERS=address,undefined "-DHEAPSPAN_JAVA_HOME=$jdk" \
      && cmake --build "$root/native/build/libfuzzer" --parallel 2 "${targets[@]}"
  else
    rm -rf "$root/native/build/libfuzzer"
    build_sanitized_native "${targets[@]}"
  fi
}

# The native tests with sanitizers, and the fuzz targets. They run beside everything else, with the processor time that it leaves: beside the first and
# the last modules, which use one processor. A test that gets little of it may take long.
sanitized_native_tests() {
  renice -n 19 "$BASHPID" >/dev/null
  build_sanitized_native \
    && ctest --test-dir "$root/native/build/sanitize" --parallel 2 --timeout 10800 --output-on-failure --output-junit "$log_dir/TEST-native-sanitize.xml"
}

clang_format_all() { # options of clang-format
  find "$root/native" "$root/examples/native" "$root/build-support/thrill" "$root/build-support/plain" -path "$root/native/build" -prune -o \( -name '*.h' -o -name '*.hpp' -o -name '*.cpp' \) -print0 \
    | xargs -0 -r "$clang_format" "$@"
}
