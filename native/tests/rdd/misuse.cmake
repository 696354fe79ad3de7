# Compiles each case of misuse.cpp, and checks that it fails with one error that has the expected text.
#   cmake -DCOMPILER=g++ -DSOURCE=misuse.cpp -DINCLUDE=../../include -DFOLDER=build -P misuse.cmake
set(flags -std=c++20 -I${INCLUDE})
# The header is compiled once for all cases.
file(MAKE_DIRECTORY "${FOLDER}/heapspan")
execute_process(COMMAND ${COMPILER} ${flags} -w -x c++-header ${INCLUDE}/heapspan/rdd.hpp -o ${FOLDER}/heapspan/rdd.hpp.gch
  COMMAND_ERROR_IS_FATAL ANY)
file(STRINGS "${SOURCE}" cases REGEX "CASE == ")
set(failures 0)
foreach(case IN LISTS cases)
  string(REGEX MATCH "CASE == ([0-9]+)( *// (.*))?" matched "${case}")
  set(number "${CMAKE_MATCH_1}")
  set(expected "${CMAKE_MATCH_3}")
  execute_process(COMMAND ${COMPILER} -I${FOLDER} ${flags} -fsyntax-only -DCASE=${number} ${SOURCE}
    RESULT_VARIABLE result ERROR_VARIABLE output)
  # CMake's lists must not see the brackets and semicolons of messages.
  string(REGEX REPLACE "[][;]" "" plain "${output}")
  string(REGEX MATCHALL "error: [^\n]*" errors "${plain}")
  list(LENGTH errors count)
  string(FIND "${output}" "${expected}" found)
  if(number EQUAL 0)
    set(passed "${result}")
    set(wanted 0)
  else()
    set(passed "${count}")
    set(wanted 1)
  endif()
  if(NOT passed STREQUAL wanted OR found EQUAL -1)
    message(SEND_ERROR "case ${number}: expected one error with '${expected}', not ${count}: ${errors}")
  endif()
endforeach()
