"""The scripts for all shells and the manual page name every verb that `nereid help` lists and every option of its help."""
import re
import subprocess


def nereid(*words):
    return subprocess.run(["nereid", *words], capture_output=True, text=True, check=True).stdout


verbs = re.findall(r"^  nereid (\S+)", nereid("help"), re.M)
assert len(verbs) > 8 and "completion" in verbs, verbs
bash, zsh, fish = (nereid("completion", shell) for shell in ("bash", "zsh", "fish"))
manual = nereid("help", "--man").replace("\\-", "-")
for verb in verbs:
    options = re.findall(r"^  (?:-\w, )?(--[\w-]+)", nereid("help", verb), re.M)
    assert "--color" in options and "--help" in options, (verb, options)
    words = re.search(rf"^    {verb}\) options='([^']*)'", bash, re.M)[1].split()
    asked = re.search(rf"^    {verb}\)\n      _arguments(.*?)^      ;;", zsh, re.M | re.S)[1]
    shown = re.findall(rf"^complete -c nereid -n '__fish_seen_subcommand_from {verb}' -l (\S+)", fish, re.M)
    section = re.search(rf"^\.SS {verb}\n(.*?)(?=^\.S[SH] )", manual, re.M | re.S)[1]
    assert [word for word in words if word.startswith("--")] == options, (verb, words)
    assert shown == [option[2:] for option in options], (verb, shown)
    for option in options:
        assert re.search(rf"'\*{option}=?\[", asked), (verb, option)
        assert option in ("--help", "--color") or f"\\fB{option}\\fR" in section, (verb, option)
