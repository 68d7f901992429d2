"""How long a test waits for what another process or thread does: a bound, not an expectation."""

from pathlib import Path

PATIENCE_S = 120.0
"""The machine may be busy. A test that passes does not feel it; one that fails is late by so much."""


def has_text(file: Path) -> bool:
    """Whether another process has written the file: it exists, empty, before its text is there."""
    return file.exists() and file.read_text() != ""
