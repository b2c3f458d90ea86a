# What our function asks of zsh for the words that are given: its own two functions, which talk to the line editor, print instead.
compdef() { print "compdef $*" }
_arguments() { print -rl -- "$@" }
_describe() { print -rl -- "$1" "${(@P)2}" }
source <(nereid completion zsh)
words=("$@")
CURRENT=$#
_nereid
