# A fuzz target with a fault in what it tests must find it, and only there.
#   cmake -DFAULTY=PROGRAM -DSOUND=PROGRAM -DFINDING=FILE "-DOPTIONS=-runs=N ..." -P fuzz_control.cmake

separate_arguments(options UNIX_COMMAND "${OPTIONS}")
file(REMOVE "${FINDING}")
execute_process(COMMAND "${FAULTY}" ${options} -exact_artifact_path=${FINDING} RESULT_VARIABLE result)
if(result EQUAL 0 OR NOT EXISTS "${FINDING}")
  message(FATAL_ERROR "the fault was not found with ${OPTIONS} (exit code ${result}): "
                      "the search or its checks are of no use")
endif()
execute_process(COMMAND "${FAULTY}" "${FINDING}" RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
if(result EQUAL 0)
  message(FATAL_ERROR "the input that was found does not show the fault again")
endif()
execute_process(COMMAND "${SOUND}" "${FINDING}" RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "the input that was found fails without the fault too (exit code ${result})")
endif()
file(REMOVE "${FINDING}")
