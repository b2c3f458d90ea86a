// Completion.cpp: `nereid completion`: scripts that let a shell complete commands, options and their values, made of the
// table of verbs.
#include "Command.h"

#include <algorithm>

namespace nereid::tool {

namespace {

// What a value may be, for the shell.
enum class Value { None, Words, Files, Folders, Free };

Value kindOf(const Option &option) {
  if (option.value.empty())
    return Value::None;
  if (option.choices)
    return Value::Words;
  if (option.value.find("FOLDER") != std::string_view::npos)
    return Value::Folders;
  return option.value.find("FILE") != std::string_view::npos ? Value::Files : Value::Free;
}

std::vector<const Option *> optionsOf(const Verb &verb) {
  std::vector<const Option *> options;
  for (std::span<const Option> list : {verb.options, commonOptions()})
    for (const Option &option : list)
      options.push_back(&option);
  return options;
}

std::string joined(const std::vector<std::string> &words) {
  std::string text;
  for (const std::string &word : words)
    text += (text.empty() ? "" : " ") + word;
  return text;
}

// A text between single quotes; inside them a shell takes everything as it is, but for the quote itself.
std::string quoted(std::string_view text, std::string_view quote) {
  std::string result = "'";
  for (char c : text)
    c == '\'' ? result.append(quote) : result.append(1, c);
  return result + "'";
}

// bash: all words of a verb, and for an option with a value what comes behind it. `=` and `:` are words of their own in
// COMP_WORDS.
void printBash(std::ostream &out) {
  std::vector<std::string> names;
  for (const Verb *verb : verbs())
    names.emplace_back(verb->name);
  out << "# bash completion for nereid, printed by `nereid completion bash`\n"
         "_nereid() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} verb= options= operands=-f i\n"
         "  [ \"$current\" = = ] && current=\n"
         "  [ \"$previous\" = = ] && previous=${COMP_WORDS[COMP_CWORD-2]}\n"
         "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
         "    case ${COMP_WORDS[i]} in\n"
         "      --color) ((i++)); [ \"${COMP_WORDS[i]}\" = = ] && ((i++)) ;;\n"
         "      -*) ;;\n"
         "      *) verb=${COMP_WORDS[i]}; break ;;\n"
         "    esac\n"
         "  done\n"
         "  COMPREPLY=()\n"
         "  case \"$verb $previous\" in\n";
  for (const Verb *verb : verbs())
    for (const Option *option : optionsOf(*verb)) {
      Value kind = kindOf(*option);
      if (kind == Value::None)
        continue;
      std::string pattern = "\"" + std::string(verb->name) + " " + std::string(option->name) + "\"";
      if (!option->alias.empty())
        pattern += "|\"" + std::string(verb->name) + " " + std::string(option->alias) + "\"";
      std::string action = kind == Value::Files     ? "compgen -f"
                           : kind == Value::Folders ? "compgen -d"
                           : kind == Value::Words   ? "compgen -W " + quoted(joined(option->choices()), "'\\''")
                                                    : "";
      out << "    " << pattern << ") ";
      if (!action.empty())
        out << "mapfile -t COMPREPLY < <(" << action << " -- \"$current\"); ";
      out << "return ;;\n";
    }
  out << "    *\" --color\") mapfile -t COMPREPLY < <(compgen -W "
      << quoted(joined(commonOptions()[1].choices()), "'\\''") << " -- \"$current\"); return ;;\n"
      << "  esac\n"
         "  case $verb in\n"
         "    '') options="
      << quoted(joined(names) + " --help --version --color", "'\\''") << " operands= ;;\n";
  for (const Verb *verb : verbs()) {
    std::vector<std::string> words;
    for (const Option *option : optionsOf(*verb)) {
      words.emplace_back(option->name);
      if (!option->alias.empty())
        words.emplace_back(option->alias);
    }
    out << "    " << verb->name << ") options=" << quoted(joined(words), "'\\''");
    if (verb->operands)
      out << " operands=" << quoted(joined(verb->operands()), "'\\''");
    out << " ;;\n";
  }
  out << "  esac\n"
         "  if [ -z \"$verb\" ] || [[ $current == -* ]]; then\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$current\")\n"
         "  elif [ \"$operands\" = -f ]; then\n"
         "    compopt -o filenames 2>/dev/null\n"
         "    mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
         "  else\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"$operands\" -- \"$current\")\n"
         "  fi\n"
         "}\n"
         "complete -F _nereid nereid\n";
}

// A text inside the specification of an option for `_arguments`, where brackets and colons mean something.
std::string zshText(std::string_view text) {
  std::string result;
  for (char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\')
      result += '\\';
    result += c;
  }
  return result;
}

std::string zshOption(const Option &option, std::string_view name) {
  std::string text = "*" + std::string(name);
  Value kind = kindOf(option);
  if (kind != Value::None && name.starts_with("--"))
    text += "="; // also as the next word
  text += "[" + zshText(option.help) + "]";
  if (kind == Value::None)
    return quoted(text, "'\\''");
  text += ":" + zshText(option.value) + ":";
  text += kind == Value::Files     ? "_files"
          : kind == Value::Folders ? "_files -/"
          : kind == Value::Words   ? "(" + joined(option.choices()) + ")"
                                   : " ";
  return quoted(text, "'\\''");
}

void printZsh(std::ostream &out) {
  out << "#compdef nereid\n# zsh completion for nereid, printed by `nereid completion zsh`\n"
         "_nereid() {\n"
         "  local -a verbs\n"
         "  verbs=(\n";
  for (const Verb *verb : verbs())
    out << "    " << quoted(std::string(verb->name) + ":" + zshText(verb->summary), "'\\''") << "\n";
  out << "  )\n"
         "  if (( CURRENT == 2 )); then\n"
         "    _describe command verbs\n"
         "    return\n"
         "  fi\n"
         "  shift words\n"
         "  (( CURRENT-- ))\n"
         "  case $words[1] in\n";
  for (const Verb *verb : verbs()) {
    out << "    " << verb->name << ")\n      _arguments";
    for (const Option *option : optionsOf(*verb)) {
      out << " \\\n        " << zshOption(*option, option->name);
      if (!option->alias.empty())
        out << " \\\n        " << zshOption(*option, option->alias);
    }
    out << " \\\n        "
        << (verb->operands ? quoted("*:word:(" + joined(verb->operands()) + ")", "'\\''") : "'*:file:_files'") << "\n"
        << "      ;;\n";
  }
  out << "  esac\n"
         "}\n"
         "if [ \"$funcstack[1]\" = _nereid ]; then _nereid \"$@\"; else compdef _nereid nereid; fi\n";
}

void printFish(std::ostream &out) {
  auto text = [](std::string_view given) {
    std::string result;
    for (char c : given)
      c == '\\' ? result.append("\\\\") : result.append(1, c);
    return quoted(result, "\\'");
  };
  out << "# fish completion for nereid, printed by `nereid completion fish`\n";
  for (const Verb *verb : verbs())
    out << "complete -c nereid -n __fish_use_subcommand -f -a " << verb->name << " -d " << text(verb->summary) << "\n";
  for (const Verb *verb : verbs()) {
    std::string begin = "complete -c nereid -n '__fish_seen_subcommand_from " + std::string(verb->name) + "'";
    if (verb->operands)
      out << begin << " -f -a " << text(joined(verb->operands())) << "\n";
    for (const Option *option : optionsOf(*verb)) {
      out << begin << " -l " << option->name.substr(2);
      if (!option->alias.empty())
        out << " -s " << option->alias.substr(1);
      Value kind = kindOf(*option);
      if (kind == Value::Words)
        out << " -x -a " << text(joined(option->choices()));
      else if (kind == Value::Folders)
        out << " -x -a '(__fish_complete_directories)'";
      else if (kind == Value::Files)
        out << " -r -F";
      else if (kind == Value::Free)
        out << " -x";
      out << " -d " << text(option->help) << "\n";
    }
  }
}

struct Shell {
  std::string_view name;
  void (*print)(std::ostream &);
};
constexpr Shell kShells[] = {{"bash", printBash}, {"zsh", printZsh}, {"fish", printFish}};

std::vector<std::string> shellNames() {
  std::vector<std::string> names;
  for (const Shell &shell : kShells)
    names.emplace_back(shell.name);
  return names;
}

int runCompletion(const Words &words, Console &console) {
  if (words.operands.size() != 1)
    return fail(console, "`nereid completion` takes one shell: `bash`, `zsh` or `fish`");
  for (const Shell &shell : kShells)
    if (shell.name == words.operands[0]) {
      shell.print(console.out);
      return kFine;
    }
  return fail(console, "there is no completion for `" + words.operands[0].substr(0, 80) + "`",
              {"there are `bash`, `zsh` and `fish`"});
}

constexpr std::string_view kCompletionHelp =
    "Prints a script that completes commands, options and their values in a shell. `make install` puts them where the\n"
    "shells look; otherwise:\n"
    "  bash   source <(nereid completion bash)\n"
    "  zsh    source <(nereid completion zsh)       after compinit\n"
    "  fish   nereid completion fish | source\n";

} // namespace

constinit const Verb kCompletion{"completion",
                                 "completion of commands and options for a shell",
                                 "completion bash|zsh|fish",
                                 kCompletionHelp,
                                 {},
                                 runCompletion,
                                 shellNames};

} // namespace nereid::tool
