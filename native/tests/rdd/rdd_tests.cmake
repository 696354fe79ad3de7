# Tests of native RDD programs: the headers in include/heapspan, and the programs in examples/native, without Spark.

if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Programs are compiled with gcc, whose messages the tests of misuse expect.
  return()
endif()

if(HEAPSPAN_SANITIZERS)
  add_library(rdd_local_driver OBJECT tests/rdd/local_driver.cpp)
  target_include_directories(rdd_local_driver PUBLIC include)

  foreach(test IN ITEMS program_test table_test text_test operators_test keyed_operators_test random_chains_test examples_test graphalytics_test)
    add_executable(rdd_${test} tests/rdd/${test}.cpp)
    target_link_libraries(rdd_${test} PRIVATE rdd_local_driver ${CMAKE_DL_LIBS})
    # These checks take a third of the time of the compiler, and find little that AddressSanitizer does not. The others end the program without a
    # message, whose code would take a sixth: gdb shows the place.
    # Checks of AddressSanitizer are calls, since inlined ones take an eighth of the time.
    target_compile_options(rdd_${test} PRIVATE -fno-sanitize=null,object-size,vptr -fsanitize-undefined-trap-on-error
      --param=asan-instrumentation-with-call-threshold=0)
  endforeach()
  # The header is compiled once for all tests, and once for all programs below. It is no system header, which compilers give no warnings about.
  set(CMAKE_PCH_PROLOGUE "")
  target_precompile_headers(rdd_program_test PRIVATE <heapspan/rdd.hpp>)
  foreach(test IN ITEMS table_test text_test operators_test keyed_operators_test random_chains_test)
    target_precompile_headers(rdd_${test} REUSE_FROM rdd_program_test)
  endforeach()
  foreach(test IN ITEMS program_test table_test text_test operators_test keyed_operators_test random_chains_test)
    add_test(NAME rdd_${test} COMMAND rdd_${test})
  endforeach()

  file(GLOB programs CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/../examples/native/*.cpp")
  foreach(program IN LISTS programs)
    get_filename_component(name "${program}" NAME_WE)
    add_library(example_${name} MODULE "${program}")
    target_include_directories(example_${name} PRIVATE include)
    # As users build them, and without sanitizers, which would take long to compile.
    set_target_properties(example_${name} PROPERTIES
      COMPILE_OPTIONS "-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion;-Werror;-O0;-g0;-fno-gnu-unique"
      DEFINE_SYMBOL "" PREFIX "" OUTPUT_NAME ${name} LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/examples")
    if(first_program)
      target_precompile_headers(example_${name} REUSE_FROM ${first_program})
    else()
      set(first_program example_${name})
      target_precompile_headers(example_${name} PRIVATE <heapspan/rdd.hpp>)
    endif()
    add_dependencies(rdd_examples_test example_${name})
    add_dependencies(rdd_graphalytics_test example_${name})
  endforeach()
  add_test(NAME rdd_examples_test COMMAND rdd_examples_test "${CMAKE_BINARY_DIR}/examples")
  add_test(NAME rdd_graphalytics_test
    COMMAND rdd_graphalytics_test "${CMAKE_BINARY_DIR}/examples" "${CMAKE_CURRENT_SOURCE_DIR}/../../shared/data")
  set_tests_properties(rdd_graphalytics_test PROPERTIES SKIP_RETURN_CODE 77)
else()
  # Misuse does not compile, and what the documentation shows does.
  add_test(NAME rdd_misuse COMMAND "${CMAKE_COMMAND}" -DCOMPILER=${CMAKE_CXX_COMPILER}
    -DSOURCE=${CMAKE_CURRENT_SOURCE_DIR}/tests/rdd/misuse.cpp -DINCLUDE=${CMAKE_CURRENT_SOURCE_DIR}/include
    -DFOLDER=${CMAKE_BINARY_DIR}/misuse -P "${CMAKE_CURRENT_SOURCE_DIR}/tests/rdd/misuse.cmake")
  add_test(NAME rdd_documentation COMMAND "${CMAKE_COMMAND}" -DCOMPILER=${CMAKE_CXX_COMPILER}
    -DPARTS=${CMAKE_CURRENT_SOURCE_DIR}/../docs/native-rdd-operators.md
    -DPROGRAMS=${CMAKE_CURRENT_SOURCE_DIR}/../docs/native-rdd.md -DINCLUDE=${CMAKE_CURRENT_SOURCE_DIR}/include
    -DFOLDER=${CMAKE_BINARY_DIR}/misuse -P "${CMAKE_CURRENT_SOURCE_DIR}/tests/rdd/documentation.cmake")
endif()
