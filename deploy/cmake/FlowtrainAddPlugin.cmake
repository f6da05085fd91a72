# flowtrain_add_plugin(NAME SOURCES file... [LINK library...]): the plugin libflowtrain_NAME.so, as target
# flowtrain_NAME. `cmake --install` puts it where a flowtrain in the same prefix looks. Comes with the
# installed package; flowtrain's own plugins are made by it, too.
function(flowtrain_add_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK")
  if(NOT name MATCHES "^[a-z][a-z0-9_]*$")
    message(FATAL_ERROR "flowtrain_add_plugin: \"${name}\" is no plugin's name: a-z, 0-9 and _, a letter first")
  endif()
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "flowtrain_add_plugin(${name} SOURCES file... [LINK library...])")
  endif()
  add_library(flowtrain_${name} MODULE ${arg_SOURCES})
  target_link_libraries(flowtrain_${name} PRIVATE flowtrain::api ${arg_LINK})
  # What is missing is better said now than when a graph opens the plugin.
  target_link_options(flowtrain_${name} PRIVATE -Wl,--no-undefined)
  set_target_properties(flowtrain_${name} PROPERTIES
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON INSTALL_RPATH "$ORIGIN;$ORIGIN/../..")
  install(TARGETS flowtrain_${name} LIBRARY DESTINATION "${FLOWTRAIN_PLUGIN_DIR}")
endfunction()
