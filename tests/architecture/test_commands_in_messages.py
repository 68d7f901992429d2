"""Commands that messages show can be pasted into a shell: whatever an id is, it is one word of the command."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import gnomon
from gnomon.model.ids import quote_arguments

pytestmark = pytest.mark.pure
SOURCE = Path(gnomon.__file__).parent
QUOTED = re.compile(r"(quote_arguments?|shlex\.quote|iso|shorten|len|' '\.join)\(")
NO_NAMES = {
    "self.backfill_pk",
    "backfill_pk",
    "item.quarantine_pk",
    "ti.pool_slots",
    "key",
    "index",
    "shell",
    "FIRST_ACCOUNT",
    "self.url",
    "cfg.home",
    "module",
    "_OLD_PROVIDER_MODULES[part]",
    "_VARIANT_PACKAGES[name]",
}
"""What stands behind such words and is a number, a word of this program, an address without blanks, or no argument of a command."""
_COMMAND = re.compile(r"(`?)gnomon [a-z-]+ (?:[a-z-]+ )*[^`]*?\x00\d+\x00[^`]*")
_END = re.compile(r"; |, | \(|\)|\"")


def list_commands(path: Path) -> Iterator[tuple[int, str]]:
    """(line, expression) of each value that stands in a command of an f-string."""
    for line, command, expressions in list_texts(path):
        yield from ((line, expressions[int(number)]) for number in re.findall("\0([0-9]+)\0", command))


def list_texts(path: Path) -> Iterator[tuple[int, str, list[str]]]:
    """(line, text, expressions) of each command of an f-string; in the text \\0number\\0 stands for an expression."""
    source = path.read_text()
    for node in ast.walk(ast.parse(source)) if "gnomon " in source else ():
        if not isinstance(node, ast.JoinedStr):
            continue
        expressions = [ast.unparse(part.value) for part in node.values if isinstance(part, ast.FormattedValue)]
        numbers = iter(range(len(expressions)))
        text = "".join(
            str(part.value) if isinstance(part, ast.Constant) else f"\0{next(numbers)}\0" for part in node.values
        )
        for found in _COMMAND.finditer(text):
            command = found[0] if found[1] else _END.split(found[0])[0]
            yield node.lineno, command, expressions


def test_each_name_in_a_command_of_a_message_is_quoted_for_a_shell() -> None:
    places = [(path, line, expression) for path in SOURCE.rglob("*.py") for line, expression in list_commands(path)]
    assert len(places) > 20
    assert [
        f"{path.relative_to(SOURCE)}:{line}: {expression}"
        for path, line, expression in places
        if not QUOTED.match(expression) and expression not in NO_NAMES
    ] == []


def test_a_name_that_begins_with_a_hyphen_is_an_argument_of_its_command() -> None:
    """Options are not behind such a name, and there is one `--`: `quote_arguments` writes both."""
    faults = []
    for path in SOURCE.rglob("*.py"):
        for line, command, expressions in list_texts(path):
            names = [
                found
                for found in re.finditer("\0([0-9]+)\0", command)
                if expressions[int(found[1])].startswith("quote_argument")
            ]
            if names and (len(names) > 1 or re.search(r" --?[a-z]", command[names[0].end() :])):
                faults.append(f"{path.relative_to(SOURCE)}:{line}: {command!r}")
    assert faults == []


@pytest.mark.parametrize(
    ("names", "options", "command"),
    [
        (("a", "b"), "--state failed", "a b --state failed"),
        (("a", "-b"), "--state failed", "--state failed -- a -b"),
        (("-a", "-b"), "", "-- -a -b"),
        (("-a b",), "", "-- '-a b'"),
        (("a b",), "", "'a b'"),
    ],
)
def test_options_come_before_a_name_with_a_hyphen(names: tuple[str, ...], options: str, command: str) -> None:
    assert quote_arguments(*names, options=options) == command
