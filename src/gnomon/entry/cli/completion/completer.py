"""Answers a shell that asks how a command line may go on."""

from __future__ import annotations

from collections.abc import Sequence

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
)

from gnomon.entry.cli.commands import COMMANDS
from gnomon.entry.cli.completion.command_table import ARGUMENTS, FLAGS
from gnomon.entry.cli.completion.name_reader import read_names
from gnomon.ground.config.environment import get_variable

VARIABLE = "_GNOMON_COMPLETE"
"""The environment variable with which a shell asks; click reads it."""
_STATEMENTS = {"dag": "dags", "run": "runs", "task": "tasks", "pool": "pools", "variable": "variables"}


def register_completion() -> None:
    """Have click answer shells with the classes of this module."""
    for shell_class in (_Bash, _Zsh, _Fish):
        add_completion_class(shell_class)


def complete(args: Sequence[str], incomplete: str) -> list[CompletionItem] | None:
    """What may follow `args`, beginning with `incomplete`: a command, or a name of the database. None: an option, which click completes.

    `args`: the words after `gnomon`, without the incomplete one.
    """
    if incomplete.startswith("-"):
        return None
    words = _drop_options(args)
    if words is None:
        return None  # the value of an option
    path, positions = _split_command(words)
    if path not in ARGUMENTS:
        return [CompletionItem(name) for name in _list_next_words(words) if name.startswith(incomplete)]
    kinds = ARGUMENTS[path].split()
    if not kinds or (len(positions) >= len(kinds) and not kinds[-1].endswith("*")):
        return None
    kind = kinds[min(len(positions), len(kinds) - 1)].rstrip("*")
    statement = _STATEMENTS.get(kind)
    if statement is None:
        return None
    if _names_api(args):
        return []  # the names of the home would be wrong, and to ask an API would hold up the prompt
    dag_id = next((word for word, kind in zip(positions, kinds, strict=False) if kind == "dag"), "")
    parameters = {"prefix": incomplete} | ({"dag_id": dag_id} if kind in ("run", "task") else {})
    return [CompletionItem(name) for name in read_names(statement, parameters) if name not in positions]


def _names_api(args: Sequence[str]) -> bool:
    """Whether the command line works on a deployment behind an API."""
    addresses = [after for word, after in zip(args, [*args[1:], ""], strict=True) if word == "--api"]
    addresses += [word.partition("=")[2] for word in args if word.startswith("--api=")]
    return bool(addresses[-1] if addresses else get_variable("GNOMON_API"))


def _drop_options(args: Sequence[str]) -> list[str] | None:
    """The words that are no options and no values of options; None when the last word is an option that takes a value."""
    words: list[str] = []
    takes_value = False
    for word in args:
        if takes_value:
            takes_value = False
        elif word.startswith("-") and word != "-":
            takes_value = "=" not in word and word not in FLAGS
        else:
            words.append(word)
    return None if takes_value else words


def _split_command(words: Sequence[str]) -> tuple[str, list[str]]:
    """The longest command that the words begin with, and the words after it; the first of the words when there is none."""
    for count in range(len(words), 0, -1):
        path = " ".join(words[:count])
        if path in ARGUMENTS:
            return path, list(words[count:])
    return " ".join(words), []


def _list_next_words(words: Sequence[str]) -> list[str]:
    """The words that follow these in the name of a command, in the order of the help at the top, and of the alphabet below."""
    if not words:
        return list(COMMANDS)
    depth = len(words)
    return sorted(
        {path.split()[depth] for path in ARGUMENTS if path.split()[:depth] == list(words) and len(path.split()) > depth}
    )


class _Names(ShellComplete):
    """Completes names of the database; options and files as click does."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        completions = complete(args, incomplete)
        return super().get_completions(args, incomplete) if completions is None else completions


_BASH = """\
%(complete_func)s() {
    local line="${COMP_LINE:0:COMP_POINT}" words response completion type value current prefix=""
    read -ra words <<< "$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    current="${words[-1]}"
    # readline splits words at colons, which run ids contain: only the text after the last colon is replaced
    [[ $COMP_WORDBREAKS == *:* && $current == *:* ]] && prefix="${current%%"${current##*:}"}"
    response=$(env COMP_WORDS="${words[*]}" COMP_CWORD=$((${#words[@]} - 1)) %(complete_var)s=bash_complete "$1" 2>/dev/null)
    COMPREPLY=()
    while IFS= read -r completion; do
        IFS=',' read -r type value <<< "$completion"
        case $type in
            dir) COMPREPLY=(); compopt -o dirnames ;;
            file) COMPREPLY=(); compopt -o default ;;
            plain) COMPREPLY+=("${value#"$prefix"}") ;;
        esac
    done <<< "$response"
    return 0
}
complete -o nosort -F %(complete_func)s %(prog_name)s
"""


class _Bash(_Names, BashComplete):
    """Completion in Bash, of version 4.4 or later. Unlike click's script, this one completes run ids, which contain colons."""

    source_template = _BASH

    @staticmethod
    def _check_version() -> None:
        """Not checked: it would start another shell."""


class _Zsh(_Names, ZshComplete):
    """Completion in Zsh."""


class _Fish(_Names, FishComplete):
    """Completion in Fish."""


def build_script(shell: str, root: click.Command) -> str:
    """The script that a shell reads to ask Gnomon for completions. `shell`: bash, zsh or fish."""
    return {"bash": _Bash, "zsh": _Zsh, "fish": _Fish}[shell](root, {}, "gnomon", VARIABLE).source()
