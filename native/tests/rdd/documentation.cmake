# Compiles the C++ blocks of two pages. Those of the first one are parts of a program, whose second block declares what the later ones use. Those of
# the second page are whole programs. All are compiled in one go, because the headers take most of the time.
#   cmake -DCOMPILER=g++ -DPARTS=page.md -DPROGRAMS=page.md -DINCLUDE=include -DFOLDER=build -P documentation.cmake
function(read_blocks page least found)
  file(READ "${page}" text)
  # CMake's lists must not see the brackets and semicolons of C++.
  string(REPLACE ";" "<semicolon>" text "${text}")
  string(REPLACE "[" "<open>" text "${text}")
  string(REPLACE "]" "<close>" text "${text}")
  string(REGEX MATCHALL "\n```cpp\n[^`]*\n```" blocks "${text}")
  list(LENGTH blocks count)
  if(count LESS least)
    message(FATAL_ERROR "only ${count} C++ blocks in ${page}, expected at least ${least}")
  endif()
  list(TRANSFORM blocks REPLACE "^\n```cpp\n(.*)\n```$" "\\1")
  set(${found} "${blocks}" PARENT_SCOPE)
endfunction()

read_blocks("${PARTS}" 10 parts)
read_blocks("${PROGRAMS}" 2 programs)

set(number 0)
set(source "#include <heapspan/rdd.hpp>\nHEAPSPAN_MAIN(context, args) {\n")
foreach(code IN LISTS parts)
  math(EXPR number "${number} + 1")
  if(number EQUAL 2)
    string(APPEND source "${code}\n")
  else()
    string(APPEND source "{\n${code}\n}\n")
  endif()
endforeach()
string(APPEND source "}\n")
foreach(code IN LISTS programs)
  # A file can have only one HEAPSPAN_MAIN.
  math(EXPR number "${number} + 1")
  set(main "void program_${number}(heapspan::Context& context, heapspan::Arguments args)")
  string(REPLACE "HEAPSPAN_MAIN(context, args)" "${main}" function "${code}")
  if(function STREQUAL code)
    message(FATAL_ERROR "a C++ block of ${PROGRAMS} is no program: it has no HEAPSPAN_MAIN(context, args)")
  endif()
  string(APPEND source "${function}\n")
endforeach()

string(REPLACE "<semicolon>" ";" source "${source}")
string(REPLACE "<open>" "[" source "${source}")
string(REPLACE "<close>" "]" source "${source}")
file(WRITE "${FOLDER}/documentation.cpp" "${source}")
execute_process(COMMAND ${COMPILER} -std=c++20 -I${INCLUDE} -fsyntax-only "${FOLDER}/documentation.cpp"
  COMMAND_ERROR_IS_FATAL ANY)
