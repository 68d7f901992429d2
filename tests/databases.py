"""Either database, empty, for what must hold on both."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.postgres import own_schema

BOTH = ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)]
"""The parameters of a fixture."""


@contextmanager
def empty_database(kind: str, folder: Path) -> Iterator[str]:
    """The address of one without a schema; a file of SQLite is in the folder."""
    if kind == "sqlite":
        yield f"sqlite:///{folder / 'gnomon.db'}"
    else:
        with own_schema() as url:
            yield url
