"""The names of Airflow that its documentation imports, or refers to by a role of Sphinx, read from the `docs` folders of source distributions.

The pages stay in the checkout's cache folder and are never part of this project.
"""

from __future__ import annotations

import re
import tarfile
from collections.abc import Iterator
from typing import NamedTuple

from tests.conformance.package_index import download_source

SOURCES = ("apache-airflow-task-sdk==1.3.2", "apache-airflow-providers-standard==1.21.0")
"""Those that have a folder `docs`: the distributions of Airflow's core have none."""
_IMPORT = re.compile(r"^[ \t>.]*from (airflow[\w.]*) import (\([^)]*\)|[^\n(]+)", re.MULTILINE)
_MODULE = re.compile(r"^[ \t>.]*import (airflow[\w.]*)", re.MULTILINE)
_ROLE = re.compile(
    r":(?:class|exc|func|data):`~?(airflow\.[\w.]+)`|^\.\. (?:autoapi|auto|py:)\w+:: (airflow\.[\w.]+)", re.MULTILINE
)
_COMMENT = re.compile(r"#.*")
_OF_OTHER_PACKAGES = re.compile(r"airflow\.providers\.(?!standard\b)")


class DocumentedName(NamedTuple):
    """A name of a module, or a module (`name` None), and the first page that has it."""

    module: str
    name: str | None
    page: str


def list_documented_names() -> list[DocumentedName]:
    """The names of all pages, each once, in order; those of provider packages other than standard are left out."""
    found: dict[tuple[str, str | None], DocumentedName] = {}
    for source in SOURCES:
        with tarfile.open(download_source(source)) as archive:
            for member in archive.getmembers():
                file = archive.extractfile(member) if "/docs/" in member.name and member.name.endswith(".rst") else None
                if file is not None:
                    for module, name in iterate_names(file.read().decode()):
                        found.setdefault((module, name), DocumentedName(module, name, member.name))
    return sorted(
        (one for one in found.values() if not _OF_OTHER_PACKAGES.match(f"{one.module}.")),
        key=lambda one: (one.module, one.name or ""),
    )


def iterate_names(page: str) -> Iterator[tuple[str, str | None]]:
    """(module, name) of each import and each reference of a page."""
    for module, names in _IMPORT.findall(page):
        for part in _COMMENT.sub("", names).strip("() \n").split(","):
            if part.strip():
                yield module, part.split()[0]
    for module in _MODULE.findall(page):
        yield module, None
    for roles in _ROLE.findall(page):
        module, _, name = next(filter(None, roles)).rpartition(".")
        yield module, name
