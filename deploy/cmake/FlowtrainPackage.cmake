# The installed package: what find_package(flowtrain CONFIG) finds. Paths in it are relative, so that a
# prefix can be moved.
include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/flowtrain")
configure_package_config_file(
  "${CMAKE_CURRENT_LIST_DIR}/flowtrainConfig.cmake.in" "${CMAKE_BINARY_DIR}/flowtrainConfig.cmake"
  INSTALL_DESTINATION "${package_dir}")
# Until 1.0 a minor version may change anything (CONTRIBUTING.md).
write_basic_package_version_file("${CMAKE_BINARY_DIR}/flowtrainConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES
  "${CMAKE_BINARY_DIR}/flowtrainConfig.cmake" "${CMAKE_BINARY_DIR}/flowtrainConfigVersion.cmake"
  "${CMAKE_CURRENT_LIST_DIR}/FlowtrainAddPlugin.cmake"
  DESTINATION "${package_dir}")
install(EXPORT flowtrainTargets NAMESPACE flowtrain:: DESTINATION "${package_dir}")
# The component `model`; without it, the same file says so.
configure_file("${CMAKE_CURRENT_LIST_DIR}/FlowtrainModel.cmake.in" "${CMAKE_BINARY_DIR}/FlowtrainModel.cmake" @ONLY)
install(FILES "${CMAKE_BINARY_DIR}/FlowtrainModel.cmake" DESTINATION "${package_dir}")
if(TARGET flowtrain_model)
  install(FILES "${CMAKE_CURRENT_LIST_DIR}/FindLibTorch.cmake" DESTINATION "${package_dir}")
  install(EXPORT flowtrainModelTargets NAMESPACE flowtrain:: DESTINATION "${package_dir}")
endif()
# What `flowtrain plugin new` copies.
install(DIRECTORY "${CMAKE_SOURCE_DIR}/deploy/plugin_template" DESTINATION "${CMAKE_INSTALL_DATADIR}/flowtrain")
