# What bash completes behind the words that are given: bash complete.bash WORD…; the last word is the one at the cursor.
source <(nereid completion bash)
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_nereid
printf '%s\n' "${COMPREPLY[@]}"
