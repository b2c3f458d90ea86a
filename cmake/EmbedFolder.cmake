# EmbedFolder.cmake: writes the text files below ROOT as C++ rows {"folder/name", R"nereid(...)nereid"} into one .inc file.
file(GLOB_RECURSE files RELATIVE ${ROOT} ${ROOT}/*.json ${ROOT}/*.md ${ROOT}/*.py ${ROOT}/*.js ${ROOT}/*.css ${ROOT}/*.html)
list(FILTER files EXCLUDE REGEX "^numpy_") # the oracle of the references is a test
list(SORT files)
set(result "")
foreach(file ${files})
  file(READ ${ROOT}/${file} text)
  string(APPEND result "{\"${file}\", R\"nereid(${text})nereid\"},\n")
endforeach()
file(WRITE ${OUT} "${result}")
