"""The SQL scripts beside the revisions: `versions/<revision>.<dialect>.sql`."""

from __future__ import annotations

from importlib import resources


def script(revision: str, dialect: str) -> str:
    """The text of a revision's script."""
    versions = resources.files("gnomon.store.migrations").joinpath("versions")
    return versions.joinpath(f"{revision}.{dialect}.sql").read_text(encoding="utf-8")


def split(text: str) -> list[str]:
    """The statements of a script; each ends with a semicolon at the end of a line, comments stand on lines of their own."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("--")]
    return [statement.strip() for statement in ("\n".join(lines) + "\n").split(";\n") if statement.strip()]
