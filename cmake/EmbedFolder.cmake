# EmbedFolder.cmake: writes the text files below ROOT as C++ rows {"folder/name", R"nereid(...)nereid"} into one .inc file.
file(GLOB_RECURSE files RELATIVE ${ROOT} ${ROOT}/*.json ${ROOT}/*.md ${ROOT}/*.py ${ROOT}/*.js ${ROOT}/*.css ${ROOT}/*.html)
list(SORT files)
set(result "")
foreach(file ${files})
  file(READ ${ROOT}/${file} text)
  string(APPEND result "{\"${file}\", R\"nereid(${text})nereid\"},\n")
endforeach()
file(WRITE ${OUT} "${result}")
