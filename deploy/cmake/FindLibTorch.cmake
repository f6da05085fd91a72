# Finds LibTorch in PyPI's wheel `torch`. The wheel's own TorchConfig.cmake demands a whole CUDA
# toolkit, which neither building nor running needs, so this module looks for the pieces itself.
#
# Searched in this order: -DFLOWTRAIN_TORCH=DIR, the environment variable FLOWTRAIN_TORCH (each the
# folder `torch` of a site-packages), the active python3's torch, build/torch-env.
# Defines LibTorch::cpu, LibTorch::cuda (where the wheel has CUDA), LibTorch_VERSION, LibTorch_RPATH.
set(FLOWTRAIN_TORCH "" CACHE PATH "The folder 'torch' of a site-packages with torch 2.11")

set(_candidates "${FLOWTRAIN_TORCH}" "$ENV{FLOWTRAIN_TORCH}")
find_program(_python3 NAMES python3)
if(_python3)
  execute_process(
    COMMAND "${_python3}" -c "import importlib.util as u; s=u.find_spec('torch'); print(s.submodule_search_locations[0] if s else '')"
    OUTPUT_VARIABLE _active OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  list(APPEND _candidates "${_active}")
endif()
file(GLOB _private "${CMAKE_SOURCE_DIR}/build/torch-env/lib/python3*/site-packages/torch")
list(APPEND _candidates ${_private})

foreach(_dir IN LISTS _candidates)
  if(_dir AND EXISTS "${_dir}/lib/libtorch_cpu.so" AND EXISTS "${_dir}/version.py")
    file(STRINGS "${_dir}/version.py" _line REGEX "^__version__ *=")
    string(REGEX REPLACE ".*'([0-9.]+)[^']*'.*" "\\1" LibTorch_VERSION "${_line}")
    if(LibTorch_VERSION VERSION_GREATER_EQUAL 2.11 AND LibTorch_VERSION VERSION_LESS 2.12)
      set(LibTorch_DIR_FOUND "${_dir}")
      break()
    endif()
    message(STATUS "LibTorch: ${_dir} has torch ${LibTorch_VERSION}; 2.11 is needed, looking on")
  endif()
endforeach()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibTorch
  REQUIRED_VARS LibTorch_DIR_FOUND VERSION_VAR LibTorch_VERSION
  REASON_FAILURE_MESSAGE "run deploy/setup, or give -DFLOWTRAIN_TORCH=.../site-packages/torch, or -DFLOWTRAIN_TRAIN=OFF")

if(LibTorch_FOUND AND NOT TARGET LibTorch::cpu)
  set(_lib "${LibTorch_DIR_FOUND}/lib")
  get_filename_component(_site "${LibTorch_DIR_FOUND}" DIRECTORY)
  set(_cu "${_site}/nvidia/cu13")
  set(LibTorch_RPATH "${_lib}")

  add_library(LibTorch::cpu INTERFACE IMPORTED)
  target_include_directories(LibTorch::cpu SYSTEM INTERFACE
    "${LibTorch_DIR_FOUND}/include" "${LibTorch_DIR_FOUND}/include/torch/csrc/api/include")
  target_link_options(LibTorch::cpu INTERFACE "-L${_lib}" "-Wl,-rpath-link,${_lib}")
  target_link_libraries(LibTorch::cpu INTERFACE -ltorch_cpu -lc10)
  if(EXISTS "${_cu}/lib")
    target_link_options(LibTorch::cpu INTERFACE "-Wl,-rpath-link,${_cu}/lib")
    list(APPEND LibTorch_RPATH "${_cu}/lib")
  endif()

  # torch's requirements leave out two header packages that its own headers need: nvidia-cuda-crt
  # (crt/, for cuda_runtime_api.h) and nvidia-cuda-cccl (nv/, for cuda_fp16.h). deploy/setup puts them
  # in build/cuda-headers; a CUDA toolkit in /usr/local has them too.
  file(GLOB _more "${CMAKE_SOURCE_DIR}/build/cuda-headers/lib/python3*/site-packages/nvidia/cu13/include")
  find_path(_crt crt/host_defines.h HINTS "${_cu}/include" ${_more} NO_CACHE)
  find_path(_cccl nv/target HINTS "${_cu}/include" ${_more} NO_CACHE)
  if(LibTorch_FIND_QUIETLY)  # whoever adds a network needs no CUDA headers
  elseif(NOT EXISTS "${_lib}/libtorch_cuda.so")
    message(STATUS "LibTorch: ${LibTorch_DIR_FOUND} has no CUDA parts")
  elseif(NOT EXISTS "${_cu}/include/cuda_runtime_api.h" OR NOT _crt OR NOT _cccl)
    message(STATUS "LibTorch: no CUDA parts, headers are missing (deploy/setup fetches them): "
      "cuda_runtime_api.h beside the wheel, crt/host_defines.h, nv/target")
  else()
    add_library(LibTorch::cuda INTERFACE IMPORTED)
    target_include_directories(LibTorch::cuda SYSTEM INTERFACE "${_cu}/include" "${_site}/nvidia/nccl/include"
      "${_crt}" "${_cccl}")
    target_link_options(LibTorch::cuda INTERFACE "-L${_cu}/lib")
    target_link_libraries(LibTorch::cuda INTERFACE LibTorch::cpu
      -Wl,--no-as-needed -ltorch_cuda -lc10_cuda -Wl,--as-needed -l:libcudart.so.13)
  endif()
endif()
