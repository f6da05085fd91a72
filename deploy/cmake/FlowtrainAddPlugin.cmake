# flowtrain_add_plugin(NAME SOURCES file... [LINK library...] [NETWORK]): the plugin libflowtrain_NAME.so,
# as target flowtrain_NAME. `cmake --install` puts it where a flowtrain in the same prefix looks. Comes with
# the installed package; flowtrain's own plugins are made by it, too.
# NETWORK: it provides networks, and links flowtrain::model and LibTorch. Other plugins need neither.
function(flowtrain_add_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "NETWORK" "" "SOURCES;LINK")
  if(NOT name MATCHES "^[a-z][a-z0-9_]*$")
    message(FATAL_ERROR "flowtrain_add_plugin: \"${name}\" is no plugin's name: a-z, 0-9 and _, a letter first")
  endif()
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "flowtrain_add_plugin(${name} SOURCES file... [LINK library...] [NETWORK])")
  endif()
  if(arg_NETWORK AND NOT TARGET flowtrain::model)
    message(FATAL_ERROR "flowtrain_add_plugin(${name} ... NETWORK) needs find_package(flowtrain CONFIG REQUIRED COMPONENTS model)")
  endif()
  add_library(flowtrain_${name} MODULE ${arg_SOURCES})
  target_link_libraries(flowtrain_${name} PRIVATE flowtrain::api ${arg_LINK})
  # What is missing is better said now than when a graph opens the plugin.
  target_link_options(flowtrain_${name} PRIVATE -Wl,--no-undefined)
  set_target_properties(flowtrain_${name} PROPERTIES
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON INSTALL_RPATH "$ORIGIN;$ORIGIN/../..")
  if(arg_NETWORK)
    target_link_libraries(flowtrain_${name} PRIVATE flowtrain::model)
    # `flowtrain stages` opens it where nothing has opened LibTorch before.
    set_property(TARGET flowtrain_${name} APPEND PROPERTY BUILD_RPATH "${LibTorch_RPATH}")
    set_property(TARGET flowtrain_${name} APPEND PROPERTY INSTALL_RPATH "${LibTorch_RPATH}")
  endif()
  install(TARGETS flowtrain_${name} LIBRARY DESTINATION "${FLOWTRAIN_PLUGIN_DIR}")
endfunction()
