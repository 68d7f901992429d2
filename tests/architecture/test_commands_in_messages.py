"""Commands that messages show can be pasted into a shell: whatever an id is, it is one word of the command."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import gnomon

pytestmark = pytest.mark.pure
SOURCE = Path(gnomon.__file__).parent
QUOTED = re.compile(r"(quote_argument|shlex\.quote|iso|shorten|len|' '\.join)\(")
NO_NAMES = {
    "self.backfill_pk", "backfill_pk", "item.quarantine_pk", "ti.pool_slots", "key", "index", "shell", "FIRST_ACCOUNT", "self.url", "cfg.home", "module", "_OLD_PROVIDER_MODULES[part]", "_VARIANT_PACKAGES[name]",
}  # fmt: skip
"""What stands behind such words and is a number, a word of this program, an address without blanks, or no argument of a command."""
_COMMAND = re.compile(r"(`?)gnomon [a-z-]+ (?:[a-z-]+ )*[^`]*?\x00\d+\x00[^`]*")
_END = re.compile(r"; |, | \(|\)|\"")


def list_commands(path: Path) -> Iterator[tuple[int, str]]:
    """(line, expression) of each value that stands in a command of an f-string."""
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.JoinedStr):
            continue
        expressions = [ast.unparse(part.value) for part in node.values if isinstance(part, ast.FormattedValue)]
        numbers = iter(range(len(expressions)))
        text = "".join(str(part.value) if isinstance(part, ast.Constant) else f"\0{next(numbers)}\0" for part in node.values)
        for found in _COMMAND.finditer(text):
            command = found[0] if found[1] else _END.split(found[0])[0]
            yield from ((node.lineno, expressions[int(number)]) for number in re.findall("\0([0-9]+)\0", command))


def test_each_name_in_a_command_of_a_message_is_quoted_for_a_shell() -> None:
    places = [(path, line, expression) for path in SOURCE.rglob("*.py") for line, expression in list_commands(path)]
    assert len(places) > 80
    assert [f"{path.relative_to(SOURCE)}:{line}: {expression}" for path, line, expression in places if not QUOTED.match(expression) and expression not in NO_NAMES] == []
