"""What `pip install gnomon` installs: the closure of its requirements, counted and measured without bytecode."""

from __future__ import annotations

import os
import re
from importlib.metadata import Distribution, distribution

from packaging.requirements import Requirement

DISTRIBUTIONS_MAX = 45
BYTES_MAX = 85_000_000


def _name(text: str) -> str:
    return re.sub(r"[-_.]+", "-", text).lower()


def _find_base_install() -> dict[str, Distribution]:
    """Gnomon without extras and what it needs, by name, as installed in the environment of the tests."""
    found: dict[str, Distribution] = {}
    done: set[tuple[str, str]] = set()
    waiting = [("gnomon", "")]
    while waiting:
        name, extra = waiting.pop()
        if (name, extra) in done:
            continue
        done.add((name, extra))
        found.setdefault(name, distribution(name))
        for one in map(Requirement, found[name].requires or ()):
            if one.marker is None or one.marker.evaluate({"extra": extra}):
                waiting += [(_name(one.name), each) for each in ("", *one.extras)]
    return found


def _measure(installed: Distribution) -> int:
    """The bytes of the files in its RECORD, without bytecode."""
    assert installed.files, installed.name
    return sum(os.lstat(file.locate()).st_size for file in installed.files if file.suffix != ".pyc")


def test_the_base_install_has_few_distributions_and_is_small() -> None:
    sizes = {name: _measure(installed) for name, installed in _find_base_install().items()}
    listed = sorted(((size, name) for name, size in sizes.items()), reverse=True)
    assert len(sizes) <= DISTRIBUTIONS_MAX, listed
    assert sum(sizes.values()) <= BYTES_MAX, listed
    assert {"gnomon", "fastapi", "psycopg-binary"} <= set(sizes)


def test_an_extra_brings_nothing_to_the_base_install() -> None:
    assert not {
        "authlib",
        "fsspec",
        "s3fs",
        "moto",
        "botocore",
        "opentelemetry-sdk",
        "exchange-calendars",
        "sqlalchemy",
        "alembic",
    } & set(_find_base_install())
