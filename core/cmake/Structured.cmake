# Writes the table of PyTorch's own shape functions (at::meta::*) for the torch in use. It follows that torch's schemas,
# so it is generated here and never committed. Sets TORCH_FL_STRUCTURED_SOURCES.

set(_repository ${CMAKE_CURRENT_SOURCE_DIR}/..)
if(NOT EXISTS ${_repository}/codegen/core.py)
  message(FATAL_ERROR "torch_fl: core is built inside of its repository (codegen/ is missing beside it); "
    "a source distribution of core alone does not exist. Use a wheel or a checkout.")
endif()

set(_out ${CMAKE_CURRENT_BINARY_DIR}/structured)
set(_new ${CMAKE_CURRENT_BINARY_DIR}/structured.new)
file(REMOVE_RECURSE ${_new})
file(MAKE_DIRECTORY ${_new} ${_out})
execute_process(
  COMMAND ${CMAKE_COMMAND} -E env "PYTHONPATH=${_repository}:$ENV{PYTHONPATH}" PYTHONDONTWRITEBYTECODE=1
          ${Python3_EXECUTABLE} -m codegen.core --out ${_new}
  WORKING_DIRECTORY ${_repository}
  RESULT_VARIABLE _result ERROR_VARIABLE _error)
if(NOT _result EQUAL 0)
  message(FATAL_ERROR "torch_fl: python -m codegen.core failed (it needs pyyaml beside torch):\n${_error}")
endif()

# Files that did not change keep their time, so that configuring again compiles nothing.
file(GLOB _written RELATIVE ${_new} ${_new}/*.cpp ${_new}/*.h)
file(GLOB _old RELATIVE ${_out} ${_out}/*)
foreach(_file IN LISTS _old)
  if(NOT _file IN_LIST _written)
    file(REMOVE ${_out}/${_file})
  endif()
endforeach()
foreach(_file IN LISTS _written)
  file(COPY_FILE ${_new}/${_file} ${_out}/${_file} ONLY_IF_DIFFERENT)
endforeach()
file(REMOVE_RECURSE ${_new})

file(GLOB TORCH_FL_STRUCTURED_SOURCES ${_out}/*.cpp)
set(TORCH_FL_TYPED_SOURCES ${TORCH_FL_STRUCTURED_SOURCES})
list(FILTER TORCH_FL_TYPED_SOURCES INCLUDE REGEX "/typed_[^/]*$")
list(FILTER TORCH_FL_STRUCTURED_SOURCES EXCLUDE REGEX "/typed_[^/]*$")
if(NOT TORCH_FL_STRUCTURED_SOURCES OR NOT TORCH_FL_TYPED_SOURCES)
  message(FATAL_ERROR "torch_fl: python -m codegen.core wrote no file to ${_out}")
endif()

file(GLOB _generator CONFIGURE_DEPENDS ${_repository}/codegen/*.py)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${_generator} ${TORCH_ROOT}/version.py)
