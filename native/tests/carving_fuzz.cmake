# Fuzz target for the carver; included where AddressSanitizer is on. clang brings libFuzzer; for other compilers there is a
# driver of our own, with the same options.

# Inputs, not seconds: a test does the same on a busy machine as on any other. This takes some 5 s.
set(HEAPSPAN_FUZZ_RUNS 50000 CACHE STRING "How many inputs a test of the fuzz target runs")

# Debug builds do not optimize; a search that is five times as fast finds more.
set(fuzz_optimization -O1)
set(fuzz_options -runs=${HEAPSPAN_FUZZ_RUNS} -seed=1 -max_len=24576)
set(fuzz_sources
  tests/carving_fuzz.cpp
  tests/carving_fuzz_generator.cpp
  tests/carving_fuzz_heap.cpp
  tests/carving_fuzz_input.cpp
  tests/carving_fuzz_layout.cpp
  tests/carving_fuzz_model.cpp
  tests/carving_fuzz_mutation.cpp)
get_target_property(vm_sources heapspan_vm SOURCES)

if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  set(fuzz_trace -fsanitize=fuzzer-no-link)
  set(fuzz_driver)
  set(fuzz_link -fsanitize=fuzzer)
  # Inputs are requests: short ones are not simpler.
  list(APPEND fuzz_options -len_control=0)
else()
  set(fuzz_trace -fsanitize-coverage=trace-pc)
  set(fuzz_driver tests/fuzz_byte_mutation.cpp tests/fuzz_driver.cpp)
  set(fuzz_link)
endif()

# What is tested, built to tell which of its code an input reaches.
function(add_traced_library name)
  add_library(${name} OBJECT ${ARGN})
  target_include_directories(${name} PUBLIC src)
  target_compile_options(${name} PUBLIC -fno-exceptions -fno-rtti ${fuzz_optimization} PRIVATE ${fuzz_trace})
endfunction()

add_traced_library(heapspan_vm_traced ${vm_sources})
add_library(carving_fuzz_parts OBJECT ${fuzz_sources} ${fuzz_driver})
target_include_directories(carving_fuzz_parts PRIVATE src)
target_compile_options(carving_fuzz_parts PUBLIC -fno-exceptions -fno-rtti ${fuzz_optimization})
target_link_options(carving_fuzz_parts PUBLIC ${fuzz_link})

add_executable(carving_fuzz)
target_link_libraries(carving_fuzz PRIVATE carving_fuzz_parts heapspan_vm_traced)
add_test(NAME carving_fuzz COMMAND carving_fuzz ${fuzz_options} -exact_artifact_path=carving_fuzz.finding)

# Negative controls: the carver with a fault in it, which the search must find within the inputs of the test.
# The fault is made in a copy of the source, so that nothing of this is in the library.
function(add_fuzz_control name source text faulty_text)
  set(copy "${CMAKE_CURRENT_BINARY_DIR}/faulty/${name}.cpp")
  file(READ "${CMAKE_CURRENT_SOURCE_DIR}/${source}" contents)
  string(FIND "${contents}" "${text}" first)
  string(FIND "${contents}" "${text}" last REVERSE)
  if(first EQUAL -1 OR NOT first EQUAL last)
    message(FATAL_ERROR "negative control '${name}' expects the text '${text}' once in ${source}; "
                        "adapt it to the source in tests/carving_fuzz.cmake")
  endif()
  string(REPLACE "${text}" "${faulty_text}" contents "${contents}")
  file(CONFIGURE OUTPUT "${copy}" CONTENT "${contents}" @ONLY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${source}")

  get_filename_component(object "${source}" NAME)
  set(sound_objects "$<FILTER:$<TARGET_OBJECTS:heapspan_vm_traced>,EXCLUDE,/${object}[.]o$>")
  add_traced_library(${name}_traced "${copy}")
  # Of names that are left without a use.
  target_compile_options(${name}_traced PRIVATE -w)
  add_executable(${name} ${sound_objects})
  target_link_libraries(${name} PRIVATE carving_fuzz_parts ${name}_traced)
  list(JOIN fuzz_options " " options)
  add_test(NAME ${name}
    COMMAND "${CMAKE_COMMAND}" -DFAULTY=$<TARGET_FILE:${name}> -DSOUND=$<TARGET_FILE:carving_fuzz>
            -DFINDING=${name}.finding "-DOPTIONS=${options}"
            -P "${CMAKE_CURRENT_SOURCE_DIR}/tests/fuzz_control.cmake")
endfunction()

add_fuzz_control(carving_fuzz_without_slot_check src/carving/carver.cpp
  "slot >= slot_count || index >= length" "index >= length")
add_fuzz_control(carving_fuzz_without_constant_check src/carving/carver.cpp
  "slot >= slot_count || index >= length" "slot >= slot_count")
add_fuzz_control(carving_fuzz_without_range_check src/carving/carver.cpp
  "offset <= size_bytes_ && size_bytes <= size_bytes_ - offset" "offset <= size_bytes_")
add_fuzz_control(carving_fuzz_without_unit_check src/carving/relocation.cpp
  "in_range &= unit == 0 || distance < r.unit_count" "in_range &= unit == 0 || distance <= r.unit_count")
add_fuzz_control(carving_fuzz_without_length_check src/carving/class_words.cpp
  "helper.is_array() && left < model.array_header_bytes()" "helper.is_array() && left == 0")
add_fuzz_control(carving_fuzz_without_size_check src/carving/class_words.cpp
  "bytes > left || bytes == 0" "bytes == 0")
