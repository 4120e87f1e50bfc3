# Finds the torch of the Python in use, without importing it, and refuses one outside of the range in version.h.
#
# Sets TORCH_ROOT, TORCH_VERSION ("2.13.0+cpu") and TORCH_MINOR ("2.13"), and the imported targets fl_torch::c10,
# fl_torch::torch_cpu and fl_torch::torch_python. find_package(Torch) is not used: it looks for a CUDA toolkit, protobuf
# and more, all of which core does without.

execute_process(
  COMMAND ${Python3_EXECUTABLE} -c
    "import importlib.util, os; s = importlib.util.find_spec('torch'); print(os.path.dirname(s.origin) if s and s.origin else '')"
  OUTPUT_VARIABLE TORCH_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
if(NOT TORCH_ROOT)
  message(FATAL_ERROR
    "torch_fl: there is no torch for ${Python3_EXECUTABLE}. Core is built next to the torch that it will run with:\n"
    "  ./dev core-dev                                  (from the repository's root: finds a torch and builds)\n"
    "  pip install --no-build-isolation -e ./core      (in an environment that has torch, cmake and ninja)\n"
    "An isolated build cannot work, since it hides the installed torch.")
endif()

file(STRINGS ${TORCH_ROOT}/version.py _line REGEX "^__version__ *=")
string(REGEX REPLACE ".*['\"]([^'\"]+)['\"].*" "\\1" TORCH_VERSION "${_line}")
string(REGEX MATCH "^[0-9]+\\.[0-9]+" TORCH_MINOR "${TORCH_VERSION}")
if(TORCH_MINOR VERSION_LESS TORCH_FL_TORCH_MIN OR TORCH_MINOR VERSION_GREATER_EQUAL TORCH_FL_TORCH_END)
  message(FATAL_ERROR
    "torch_fl: torch ${TORCH_VERSION} (${TORCH_ROOT}) is not supported. "
    "Install one in range: pip install 'torch>=${TORCH_FL_TORCH_MIN},<${TORCH_FL_TORCH_END}'")
endif()
message(STATUS "torch ${TORCH_VERSION}: ${TORCH_ROOT}")

foreach(_lib c10 torch_cpu torch_python)
  if(NOT TARGET fl_torch::${_lib})
    add_library(fl_torch::${_lib} SHARED IMPORTED)
    set_target_properties(fl_torch::${_lib} PROPERTIES IMPORTED_LOCATION ${TORCH_ROOT}/lib/lib${_lib}.so)
    target_include_directories(fl_torch::${_lib} SYSTEM INTERFACE
      ${TORCH_ROOT}/include ${TORCH_ROOT}/include/torch/csrc/api/include)
  endif()
endforeach()

# torch brings libstdc++ as a shared library. A compiler that finds libstdc++.a alone links that without a word, and two
# copies in one process crash at the first stream; so the shared one is named, before the compiler's own.
add_library(fl_torch::stdcxx INTERFACE IMPORTED)
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libstdc++.so.6
  OUTPUT_VARIABLE _stdcxx OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
if(NOT IS_ABSOLUTE "${_stdcxx}")
  find_library(TORCH_FL_STDCXX NAMES libstdc++.so.6)
  set(_stdcxx ${TORCH_FL_STDCXX})
endif()
if(_stdcxx)
  target_link_libraries(fl_torch::stdcxx INTERFACE ${_stdcxx})
endif()
