# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Completion of the words of mpiexec and starling by bash and zsh, of what the commands say of their options."""
import re

import options

HEAD = """# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
# Written by tools/manual/completion.py.
"""
MPIEXEC = ("mpiexec", "mpirun", "mpiexec.starling", "mpirun.starling")


def _kind(value):
    """What a shell can offer for a value: files, folders, hosts, jobs or nothing."""
    if value.startswith(("FILE", "LOG")) or value.endswith(".html"):
        return "file"
    if value.startswith("DIR"):
        return "folder"
    if value.startswith("NAME[:SLOTS]"):
        return "hosts"
    return "job" if value == "JOB" else "nothing"


# A value's name in the help of CLI11 is that of its type.
_BY_NAME = {"--hostfile": "file", "--host": "hosts", "--trace": "file", "--report": "file", "--svg": "file", "--rsh-agent": "command"}


def _offers(option):
    if option.choices:
        return "words " + " ".join(option.choices)
    return _BY_NAME.get(option.names[-1]) or _kind(option.values)


# bash

_BASH_BEGIN = r"""
# The words of the line up to the cursor: bash itself divides them at '=' and ':', too.
_starling_words() {
  read -ra starling_words <<<"${COMP_LINE:0:COMP_POINT}"
  case ${COMP_LINE:0:COMP_POINT} in *[[:space:]]) starling_words+=("") ;; esac
}

# _starling_offer WORD KIND [CHOICE...]
_starling_offer() {
  local word=$1 kind=$2
  shift 2
  case $kind in
    words) mapfile -t COMPREPLY < <(compgen -W "$*" -- "$word") ;;
    file) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
    folder) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
    hosts) mapfile -t COMPREPLY < <(compgen -A hostname -- "$word") ;;
    job)
      set -- $("${starling_words[0]}" ps 2>/dev/null | sed -n 's/^ *\([0-9]\{1,\}\) .*/\1/p')
      mapfile -t COMPREPLY < <(compgen -W "$*" -- "$word")
      ;;
    command) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <({ compgen -c -- "$word"; compgen -f -- "$word"; } | sort -u) ;;
  esac
}

# _starling_complete TABLE FIRST NAMES OPERAND: TABLE is a function that says of the name of an option how many values it takes
# and what they are; FIRST is the first word behind the command, NAMES are those of all options, OPERAND is what other words are.
_starling_complete() {
  local table=$1 i=$2 names=$3 operand=$4 need=0 kind=nothing program= word name
  local last=$((${#starling_words[@]} - 1))
  local current=${starling_words[last]}
  for (( ; i < last; i++)); do
    word=${starling_words[i]}
    if ((need > 0)); then
      need=$((need - 1))
    elif [[ $word == : && $operand == command ]]; then
      program=
    elif [[ -z $program && $word == -?* ]]; then
      name=${word%%=*}
      $table "${name#-}"
      [[ $word != *=* ]] || need=$((need - 1))
    elif [[ $operand == command ]]; then
      program=$word
    fi
  done
  if ((need > 0)); then
    _starling_offer "$current" $kind
  elif [[ -n $program ]]; then
    _starling_offer "$current" file
  elif [[ $current == -*=* ]]; then
    name=${current%%=*}
    $table "${name#-}"
    _starling_offer "${current#*=}" $kind
  elif [[ $current == --* && $operand == command ]]; then
    _starling_offer "$current" words "$(for name in $names; do name=${name#-}; echo "--${name#-}"; done)"
  elif [[ $current == -* ]]; then
    _starling_offer "$current" words "$names"
    ((${#COMPREPLY[@]})) || _starling_offer "$current" words "${names//--/-}"
  else
    _starling_offer "$current" $operand
  fi
}
"""


def _bash_table(name, listed):
    lines = [f"{name}() {{", "  need=0 kind=nothing", "  case ${1#-} in"]
    for option in listed:
        count = len(option.values.split()) if not option.values.startswith("[") else 1
        if count:
            names = "|".join(dict.fromkeys(word.lstrip("-") for word in option.names))
            lines.append(f"    {names}) need={count} kind='{_offers(option)}' ;;")
    return "\n".join([*lines, "  esac", "}", ""])


def _names(listed):
    return " ".join(name for option in listed for name in option.names)


def _operand(command):
    if command.words == "starling see":
        return "command"
    return next((_kind(name) for name, _ in command.arguments), "nothing")


def bash(mpiexec, starling):
    text = HEAD + _BASH_BEGIN + "\n" + _bash_table("_starling_options_of_mpiexec", mpiexec.options) + f"""
_starling_mpiexec() {{
  local starling_words
  _starling_words
  _starling_complete _starling_options_of_mpiexec 1 '{_names(mpiexec.options)}' command
}}
"""
    cases = []
    for command in (each for top in starling.commands for each in top.all()):
        words = command.words.split()[1:]
        table = "_starling_options_of_" + "_".join(words)
        if command.words == "starling run":
            cases.append(f"    run\\ *) _starling_complete _starling_options_of_mpiexec 2 '{_names(mpiexec.options)}' command ;;")
            continue
        if not command.options:
            continue
        text += _bash_table(table, command.options)
        pattern = "\\ ".join(words) + "\\ *"
        operand = "words " + " ".join(each.words.split()[-1] for each in command.commands) if command.commands else _operand(command)
        cases.append(f"    {pattern}) _starling_complete {table} {len(words) + 1} '{_names(command.options)}' '{operand}' ;;")
    cases.sort(key=lambda case: -case.split(")")[0].count("\\ "))  # the longest first
    commands = " ".join(command.words.split()[1] for command in starling.commands if command.words != "starling agent")
    joined = "\n".join(cases)
    return text + f"""
_starling() {{
  local starling_words
  _starling_words
  case "${{starling_words[*]:1}}" in
{joined}
    *) ((${{#starling_words[@]}} > 2)) || _starling_offer "${{starling_words[1]}}" words {commands} --help --version ;;
  esac
}}

complete -F _starling_mpiexec {' '.join(MPIEXEC)}
complete -F _starling starling
"""


# zsh

_ZSH = {"file": "_files", "folder": "_files -/", "hosts": "_hosts", "job": "_starling_jobs", "nothing": " ", "command": "_command_names -e"}


def _quoted(text):
    return text.replace("'", "'\\''")


def _zsh_option(option):
    said = _quoted(re.sub(r"([\[\]:])", r"\\\1", option.sentence))
    values = option.values.split() if not option.values.startswith("[") else [option.values]
    offers = _offers(option)
    action = f"({offers[6:]})" if offers.startswith("words ") else _ZSH[offers]
    value = "".join(f":{_quoted(re.sub(r'([][:])', r'-', value))}:{action}" for value in values)
    names = list(option.names)
    for name in option.names:
        other = f"-{name}" if not name.startswith("--") else name[1:]
        if len(option.names[0].lstrip("-")) > 1 and other not in names and option.sentence:
            names.append(other)
    return [f"'*{name}{'=' if len(values) == 1 and name.startswith('--') else ''}[{said}]{value}'" for name in names]


def _zsh_arguments(listed, rest):
    rows = [row for option in listed for row in _zsh_option(option)] + rest
    return "_arguments -S " + " \\\n    ".join(rows)


def zsh(mpiexec, starling):
    program = ["'1:program:_command_names -e'", "'*::arguments:_normal'"]
    text = f"#compdef {' '.join(MPIEXEC)} starling\n{HEAD}" + r"""
_starling_jobs() {
  local -a jobs
  jobs=(${(f)"$(starling ps 2>/dev/null | sed -n 's/^ *\([0-9]\{1,\}\) .*/\1/p')"})
  compadd -a jobs
}
""" + f"""
_starling_mpiexec() {{
  {_zsh_arguments(mpiexec.options, program)}
}}
"""
    cases = []
    for command in starling.commands:
        name = command.words.split()[1]
        if name == "run":
            cases.append("    run) _starling_mpiexec ;;")
            continue
        if not command.options:
            continue
        rest = [f"'{number}:{word}:{_ZSH[_kind(word)]}'" for number, (word, _) in enumerate(command.arguments, 1)]
        if command.words == "starling see":
            rest = program
        if command.commands:
            rest = [f"'1:command:({' '.join(each.words.split()[-1] for each in command.commands)})'", "'*:file:_files'"]
        listed = {option.names: option for each in command.all() for option in each.options}.values()
        cases.append(f"    {name}) {_zsh_arguments(list(listed), rest)} ;;")
    described = "\n".join(f"    '{command.words.split()[1]}:{_quoted(command.sentence)}'" for command in starling.commands
                          if command.words != "starling agent")
    joined = "\n".join(cases)
    return text + f"""
_starling_command() {{
  case $words[1] in
{joined}
  esac
}}

_starling() {{
  if [[ $service != starling ]]; then
    _starling_mpiexec
    return
  fi
  local -a commands
  commands=(
{described}
  )
  if ((CURRENT == 2)); then
    _describe command commands
  else
    shift words
    ((CURRENT--))
    _starling_command
  fi
}}

_starling "$@"
"""


def files(bin_folder):
    """The text of each file by its name, below share/."""
    mpiexec, starling = options.of_mpiexec(bin_folder / "mpiexec"), options.of_starling(bin_folder / "starling")
    made = {f"bash-completion/completions/{name}": bash(mpiexec, starling) for name in (*MPIEXEC, "starling")}
    return made | {"zsh/site-functions/_starling": zsh(mpiexec, starling)}
