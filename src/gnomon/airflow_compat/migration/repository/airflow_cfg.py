"""An `airflow.cfg` of the repository: which of its options act in Gnomon, which do not, and which are unknown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from gnomon.airflow_compat.migration.repository.findings import Finding, Severity
from gnomon.ground.config.option import OptionKey
from gnomon.ground.config.options import find_option
from gnomon.ground.config.sources import find_key_lines

FILE_NAME = "airflow.cfg"
_VALUE = re.compile(r"^\s*[\w-]+\s*[=:]\s*(.*?)\s*$")
_MAX_BYTES = 1_000_000


def iterate_option_findings(path: Path) -> Iterator[Finding]:
    """Yield a finding for each option that is set to another value than its default: does it act, and under which name?"""
    try:
        text = path.read_bytes()[:_MAX_BYTES].decode("utf-8", errors="replace")
    except OSError as error:
        yield Finding(1, Severity.UNREADABLE, "unreadable", f"the file cannot be read: {error.strerror or error}")
        return
    lines = text.splitlines()
    for key, line in find_key_lines(text):
        match = _VALUE.match(lines[line - 1])
        value = match[1] if match else ""
        if not lines[line - 1].lstrip().startswith(("#", ";")):
            yield from _judge(key, value, line)


def _judge(key: OptionKey, value: str, line: int) -> Iterator[Finding]:
    option = find_option(*key)
    if option is None:
        yield Finding(
            line,
            Severity.NOTE,
            "option",
            f"{key} is no option of Gnomon; DAG files can read it when AIRFLOW__{key.variable} is set",
        )
    elif not option.is_used:
        yield Finding(line, Severity.NOTE, "option", f"{key} has no effect: {option.description}")
    elif value.lower() != option.default.lower():
        shown = "its value" if option.is_secret else f"{value!r}"
        name = f", as {option.key}" if option.key != key else ""
        yield Finding(
            line,
            Severity.NOTE,
            "option",
            f"{key} acts{name}: write {shown} into gnomon.toml, or set AIRFLOW__{key.variable}",
        )
