# Nereid.cmake: how a folder of src/ becomes a library, and the compile and link options shared by all.

# -fPIC everywhere (tools too), so that all can share one precompiled header.
add_compile_options(-fPIC -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers -fno-semantic-interposition
                    -fvisibility=hidden -fvisibility-inlines-hidden)
# The build id names the exact compiler in the keys of the kernel cache.
add_link_options(-fuse-ld=lld-22 -Wl,--as-needed -Wl,--gc-sections -Wl,--build-id=sha1)
if(NEREID_SANITIZE)
  # Checks of every pointer for null and alignment are a third of the compile time; AddressSanitizer finds what follows from a
  # null pointer.
  add_compile_options(-fsanitize=address,undefined -fno-sanitize=vptr,function,null,alignment,object-size
                      -fno-sanitize-recover=undefined -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=address,undefined)
endif()
if(NEREID_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
# Precompiled headers and ccache agree only when the header carries no time stamp.
add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
# The precompiled header alone: clang needs no second look at the text that it was made of, and its absolute path keeps ccache
# from finding in one checkout what another one has compiled (ccache 4.7 takes no -Xclang argument for an ignored one).
set(CMAKE_CXX_COMPILE_OPTIONS_USE_PCH -Xclang -include-pch -Xclang <PCH_FILE>)

# What the MLIR-based folders link: the shared libraries for development, archives for the portable binary. Debian's archives
# name the shared LLVM as well, which would then be loaded beside its own archives and abort.
foreach(target ${MLIR_EXPORTED_TARGETS})
  get_target_property(interface ${target} INTERFACE_LINK_LIBRARIES)
  if(interface)
    list(REMOVE_ITEM interface LLVM)
    set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${interface}")
  endif()
endforeach()
llvm_map_components_to_libnames(NEREID_LLVM_ARCHIVES core support ipo x86codegen x86asmparser aarch64codegen aarch64asmparser nvptxcodegen bitreader linker object debuginfodwarf)
set(NEREID_MLIR_ARCHIVES MLIRIR MLIRParser MLIRPass MLIRTransforms MLIRArithDialect MLIRMathDialect MLIRSCFDialect
    MLIRFuncDialect MLIRUBDialect MLIRControlFlowDialect MLIROptLib ${NEREID_LLVM_ARCHIVES})
if(NEREID_STATIC_LLVM)
  set(NEREID_MLIR_LIBS ${NEREID_MLIR_ARCHIVES})
else()
  set(NEREID_MLIR_LIBS MLIR LLVM)
endif()

# nereid_unity(name): builds that nobody edits (`make run`, `make test`, the fuzzers) compile up to twelve files of a folder at a time, in a
# quarter of the time. No two files of a folder may define the same name, which scripts/check-unity checks; those that use LLVM's
# namespace beside ours and (CMake's rule) those with options of their own stay by themselves.
function(nereid_unity name)
  if(NOT NEREID_UNITY)
    return()
  endif()
  get_target_property(sources ${name} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  foreach(source ${sources})
    file(STRINGS ${source} foreign REGEX "^using namespace llvm;" LIMIT_COUNT 1)
    cmake_path(GET source PARENT_PATH folder)
    file(RELATIVE_PATH folder ${CMAKE_SOURCE_DIR} ${folder})
    string(MAKE_C_IDENTIFIER ${folder} group)
    if(foreign)
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
      continue()
    endif()
    math(EXPR count_${group} "${count_${group}}+1")
    math(EXPR batch "(${count_${group}}-1)/12")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group}_${batch})
  endforeach()
  set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# nereid_precompiled(name header inputs...): headers that many files include, compiled once. Named without their absolute path, so
# that ccache takes the precompiled header of one checkout for that of another. `inputs`: patterns below src of what it depends
# on. Their checksum lies beside it: the compiler writes absolute paths into the header itself; with CCACHE_PCH_EXTSUM ccache
# looks at the checksum instead, and one checkout can use what another has compiled.
function(nereid_precompiled name header)
  add_library(${name} STATIC ${CMAKE_SOURCE_DIR}/cmake/pch/Pch.cpp)
  target_precompile_headers(${name} PRIVATE <pch/${header}>)
  list(TRANSFORM ARGN PREPEND ${CMAKE_SOURCE_DIR}/src/ OUTPUT_VARIABLE patterns)
  file(GLOB inputs CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/pch/*.h ${patterns})
  set(sum ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${name}.dir/cmake_pch.hxx.pch.sum)
  add_custom_command(OUTPUT ${sum} COMMAND sh -c "cat \"$@\" | md5sum >\"$0\"" ${sum} ${inputs} DEPENDS ${inputs} VERBATIM)
  add_custom_target(${name}Sum DEPENDS ${sum})
  add_dependencies(${name} ${name}Sum TileIncGen)
endfunction()

# nereid_library(name [MLIR] [PCH name] [UNFUZZED] [UNITY] [ONLY|WITHOUT regex] [DEPENDS lib...]): every .cpp of the current folder
# (and of its sub-folders), or those that match or do not match, as one static library. MLIR: uses the shared precompiled MLIR headers, or those of PCH. UNFUZZED: no fuzzer runs it, so that their build takes the
# one of the development build, where the target `unfuzzed` makes all of them, instead of compiling it again. UNITY: see nereid_unity.
function(nereid_library name)
  cmake_parse_arguments(ARG "MLIR;UNFUZZED;UNITY" "PCH;ONLY;WITHOUT" "DEPENDS" ${ARGN})
  if(NOT ARG_PCH)
    set(ARG_PCH nereidPch)
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  if(ARG_ONLY)
    list(FILTER sources INCLUDE REGEX ${ARG_ONLY})
  elseif(ARG_WITHOUT)
    list(FILTER sources EXCLUDE REGEX ${ARG_WITHOUT})
  endif()
  if(NOT sources)
    return()
  endif()
  if(ARG_MLIR)
    list(APPEND ARG_DEPENDS ${NEREID_MLIR_LIBS})
  endif()
  if(ARG_UNFUZZED AND NEREID_FUZZ)
    add_library(${name} STATIC IMPORTED GLOBAL)
    set_target_properties(${name} PROPERTIES IMPORTED_LOCATION ${CMAKE_SOURCE_DIR}/build/lib/lib${name}.a)
    target_link_libraries(${name} INTERFACE ${ARG_DEPENDS})
    return()
  endif()
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PUBLIC ${ARG_DEPENDS})
  if(ARG_MLIR)
    target_precompile_headers(${name} REUSE_FROM ${ARG_PCH})
  endif()
  if(ARG_UNITY)
    nereid_unity(${name})
  endif()
  if(ARG_UNFUZZED)
    if(NOT TARGET unfuzzed)
      add_custom_target(unfuzzed)
    endif()
    add_dependencies(unfuzzed ${name})
  endif()
endfunction()
