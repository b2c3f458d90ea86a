# EmbedText.cmake: writes text files as C++ rows {"name", R"py(...)py"} into one .inc file.
set(result "")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} text)
  string(APPEND result "{\"${name}\", R\"py(${text})py\"},\n")
endforeach()
file(WRITE ${OUT} "${result}")
