"""DAG files inside archives: `dags/team.zip/etl.py` names the member `etl.py` of `dags/team.zip`."""

from __future__ import annotations

import os
import stat
import zipfile
from typing import NamedTuple


class SourceFile(NamedTuple):
    """The place of the source of a DAG file: a file on disk, and the member if the file is an archive."""

    file: str
    member: str | None = None


def locate_source(path: str) -> SourceFile:
    """Return the file on disk that contains `path`; a path that does not exist is returned as a file."""
    head, inside = path, ""
    while True:
        try:
            mode = os.stat(head).st_mode
        except NotADirectoryError:
            above, name = os.path.split(head)
            head, inside = above, f"{name}/{inside}" if inside else name
            continue
        except OSError:
            return SourceFile(path)
        return SourceFile(head, inside) if inside and stat.S_ISREG(mode) else SourceFile(path)


def list_members(archive: str) -> list[str]:
    """Return the Python files at the top level of an archive, in its order. Files in its folders are modules, not DAG files.

    Raises zipfile.BadZipFile or OSError.
    """
    with zipfile.ZipFile(archive) as opened:
        names = [info.filename for info in opened.infolist()]
    return [name for name in names if "/" not in name and name.endswith(".py") and name != "__init__.py"]


def read_source(path: str) -> bytes:
    """Return the source of a DAG file, also of one in an archive. Raises OSError; FileNotFoundError for a missing member."""
    place = locate_source(path)
    if place.member is None:
        with open(place.file, "rb") as opened:
            return opened.read()
    try:
        with zipfile.ZipFile(place.file) as archive:
            return archive.read(place.member)
    except (KeyError, zipfile.BadZipFile) as error:
        raise FileNotFoundError(f"{place.file} has no member {place.member}: {error}") from None
