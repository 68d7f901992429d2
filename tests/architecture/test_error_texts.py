"""Where exceptions of author code are shown, their text is made by `model/errors/error_text.py`, which cannot fail."""

from __future__ import annotations

import re
from pathlib import Path

import gnomon

FOLDERS = (
    "author_code",
    "authoring",
    "entry/testing",
    "model/serde",
    "rules/partitions",
    "rules/planning",
    "rules/timetables",
    "services/dagfiles",
    "services/triggerer",
)
"""The folders that call author code, or show its errors."""
OWN_INTERPRETER = "interpreter_script.py"
"""Runs where Gnomon may be missing, with a function of its own."""
UNSAFE = re.compile(r"\{type\((\w+)\)\.__name__\}: \{\1\}")


def test_no_message_is_made_of_the_class_and_the_text_of_an_error_by_hand() -> None:
    folder = Path(gnomon.__file__).parent
    files = [path for place in FOLDERS for path in (folder / place).rglob("*.py") if path.name != OWN_INTERPRETER]
    assert len(files) > 300
    assert [str(path) for path in files if UNSAFE.search(path.read_text())] == []
