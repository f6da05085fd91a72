# How flowtrain's own tests are made: a test is one doctest program known to ctest.

# flowtrain_test(NAME SOURCES... [LINK libs...] [LABELS labels...] [ENV VAR=value...]): test_NAME, one
# ctest entry per doctest TEST_CASE, so that `ctest -N` reads as a specification. A case that returns after
# MESSAGE("skipped: why") is reported as skipped, unless a check failed before.
function(flowtrain_test name)
  cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;LINK;LABELS;ENV" ${ARGN})
  add_executable(test_${name} ${arg_SOURCES})
  target_link_libraries(test_${name} PRIVATE doctest::doctest ${arg_LINK})
  # Eight files to a unit take 10 s where they took 22 one by one (tests/engine). doctest's own code wants
  # its header first.
  set_target_properties(test_${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  set_source_files_properties(main.cc PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_include_directories(test_${name} PRIVATE "${CMAKE_SOURCE_DIR}" "${CMAKE_SOURCE_DIR}/tests")
  set_target_properties(test_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests-bin" BUILD_RPATH "${CMAKE_BINARY_DIR};${LibTorch_RPATH}")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  set(properties TIMEOUT ${arg_TIMEOUT} SKIP_REGULAR_EXPRESSION "skipped: .*Status: SUCCESS")
  if(arg_LABELS)
    list(APPEND properties LABELS "${arg_LABELS}")
  endif()
  if(arg_ENV)
    list(APPEND properties ENVIRONMENT "${arg_ENV}")
  endif()
  set(cases "${CMAKE_CURRENT_BINARY_DIR}/test_${name}_cases.cmake")
  add_custom_command(TARGET test_${name} POST_BUILD
    COMMAND "${Python3_EXECUTABLE}" "${CMAKE_SOURCE_DIR}/tests/support/discover.py" "$<TARGET_FILE:test_${name}>" ${name} "${cases}" ${properties}
    VERBATIM)
  file(WRITE "${cases}.in" "if(EXISTS \"${cases}\")\n  include(\"${cases}\")\nelse()\n  add_test(test_${name}_NOT_BUILT test_${name}_NOT_BUILT)\nendif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${cases}.in")
endfunction()
