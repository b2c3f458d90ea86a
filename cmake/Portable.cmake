# Portable.cmake: binaries that need nothing but the C library, and an old one is enough: LLVM, the C++ library, zlib and zstd are
# inside; libraries also need libgcc_s, which the C library itself loads to end a thread. They are made of the objects of the
# development build, so that they cost a link and not a second build.

set(NEREID_OLDEST_GLIBC 2.28)
set(portableSources ${CMAKE_SOURCE_DIR}/cmake/portable)
set(NEREID_GLIBC_STUBS ${CMAKE_BINARY_DIR}/portable/glibc-${NEREID_OLDEST_GLIBC})
set(NEREID_CHECK_NEEDS /usr/bin/python3 ${portableSources}/check_needs.py ${NEREID_OLDEST_GLIBC})
add_custom_command(OUTPUT ${NEREID_GLIBC_STUBS}/libc.so
                   COMMAND /usr/bin/python3 ${portableSources}/write_stubs.py ${NEREID_OLDEST_GLIBC} ${NEREID_GLIBC_STUBS} ${CMAKE_C_COMPILER}
                   DEPENDS ${portableSources}/write_stubs.py VERBATIM)
add_custom_target(glibc-stubs DEPENDS ${NEREID_GLIBC_STUBS}/libc.so)
add_library(oldGlibc OBJECT EXCLUDE_FROM_ALL ${portableSources}/OldGlibc.c)
add_library(oldStart OBJECT EXCLUDE_FROM_ALL ${portableSources}/OldStart.c)

# The archives name the shared libraries of zlib and zstd.
get_target_property(interface LLVMSupport INTERFACE_LINK_LIBRARIES)
list(TRANSFORM interface REPLACE "^ZLIB::ZLIB$" "-l:libz.a")
list(TRANSFORM interface REPLACE "^zstd::libzstd_shared$" "-l:libzstd.a")
set_target_properties(LLVMSupport PROPERTIES INTERFACE_LINK_LIBRARIES "${interface}")

# nereid_link_old_glibc(target): links against the C library as it was, and checks the result.
function(nereid_link_old_glibc target)
  add_dependencies(${target} glibc-stubs)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:oldGlibc>)
  target_link_options(${target} PRIVATE -L${NEREID_GLIBC_STUBS} -static-libstdc++)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL EXECUTABLE)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:oldStart>)
    target_link_options(${target} PRIVATE -static-libgcc -Wl,--wrap=__libc_start_main)
  else()
    # Python ends its threads by pthread_exit, which unwinds their frames, ours among them, by libgcc_s: with an unwinder of our own
    # the process aborted. Arithmetic is still taken from the archive, since newer functions of it are in newer libraries only.
    target_link_options(${target} PRIVATE LINKER:-l:libgcc.a)
  endif()
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${NEREID_GLIBC_STUBS}/libc.so)
  add_custom_command(TARGET ${target} POST_BUILD COMMAND ${NEREID_CHECK_NEEDS} $<TARGET_FILE:${target}> VERBATIM)
endfunction()

# nereid_link_archives(target root…): links our libraries below `root` by their files, because as targets they would bring the
# shared LLVM along, and then the archives of LLVM.
function(nereid_link_archives target)
  set(open ${ARGN})
  set(ours "")
  while(open)
    list(POP_FRONT open library)
    if(library IN_LIST ours OR NOT library MATCHES "^nereid")
      continue()
    endif()
    list(APPEND ours ${library})
    get_target_property(below ${library} INTERFACE_LINK_LIBRARIES)
    if(below)
      list(APPEND open ${below})
    endif()
  endwhile()
  add_dependencies(${target} ${ours})
  foreach(library ${ours})
    target_link_libraries(${target} PRIVATE $<TARGET_FILE:${library}>)
  endforeach()
  target_link_libraries(${target} PRIVATE ${NEREID_MLIR_ARCHIVES})
endfunction()

# nereid_link_portable(target root…): the same, with the C++ library inside, for an old C library.
function(nereid_link_portable target)
  nereid_link_archives(${target} ${ARGN})
  nereid_link_old_glibc(${target})
endfunction()
