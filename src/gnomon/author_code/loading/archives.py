"""DAG files inside archives: `dags/team.zip/etl.py` names the member `etl.py` of `dags/team.zip`.

Archives come from authors: every reader here has a bound, so that a small file cannot become gigabytes of memory.
"""

from __future__ import annotations

import errno
import io
import os
import stat
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, NamedTuple

from gnomon.author_code.loading.regular_files import FileTooLarge, open_regular_file
from gnomon.model.errors.error_text import describe_error

MEMBERS_MAX = 10_000
"""DAG files of one archive."""
READ_AT_ONCE_MAX = 32 * 1024 * 1024
"""Bytes that zipfile reads in one call: its table of contents. An archive with a longer one is refused."""


class ArchiveError(Exception):
    """The archive cannot be read: it is damaged, encrypted, compressed in an unknown way, or beyond a bound. The message says which."""


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


@contextmanager
def open_archive(path: str) -> Iterator[zipfile.ZipFile]:
    """The archive, opened; whatever is wrong with it, also inside the context, is an ArchiveError. Raises OSError when the disk refuses it."""
    try:
        with _BoundedReads(open_regular_file(path).detach()) as opened, zipfile.ZipFile(opened) as archive:
            yield archive
    except ArchiveError:
        raise
    except OSError as error:
        if error.errno in (
            None,
            errno.EINVAL,
        ):  # not of the disk: damaged data (bz2), or a place that is not in the archive
            raise ArchiveError(f"it is damaged: {describe_error(error)}") from error
        raise
    except zipfile.BadZipFile as error:
        raise ArchiveError(str(error)) from error
    except Exception as error:  # zipfile raises exceptions of any kind for what an author can put into an archive
        raise ArchiveError(describe_error(error)) from error


def list_members(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """Return the Python files at the top level of an archive, in its order. Files in its folders are modules, not DAG files.

    Raises ArchiveError beyond MEMBERS_MAX.
    """
    dag_files = {
        info.filename: info
        for info in archive.infolist()
        if "/" not in info.filename and info.filename.endswith(".py") and info.filename != "__init__.py"
    }
    if len(dag_files) > MEMBERS_MAX:
        raise ArchiveError(
            f"it has {len(dag_files):,} DAG files, more than {MEMBERS_MAX:,}; make several archives of it"
        )
    return list(dag_files.values())


def read_source(path: str, bytes_max: int | None = None) -> bytes:
    """Return the source of a DAG file, also of one in an archive.

    Raises OSError; FileNotFoundError for a missing member, and FileTooLarge beyond `bytes_max`.
    """
    place = locate_source(path)
    if place.member is None:
        with open(place.file, "rb") if bytes_max is None else open_regular_file(place.file) as opened:
            return _read(opened, bytes_max, path)
    try:
        with open_archive(place.file) as archive, archive.open(place.member) as member:
            return _read(member, bytes_max, path)
    except ArchiveError as error:
        raise FileNotFoundError(
            errno.ENOENT, f"{place.file} has no member {place.member} that can be read: {error}"
        ) from None


def _read(opened: IO[bytes], bytes_max: int | None, path: str) -> bytes:
    content: bytes = opened.read() if bytes_max is None else opened.read(bytes_max + 1)
    if bytes_max is not None and len(content) > bytes_max:
        raise FileTooLarge(errno.EFBIG, f"has more than {bytes_max:,} bytes", path)
    return content


class _BoundedReads(io.BufferedReader):
    """A file that refuses one read of more than READ_AT_ONCE_MAX bytes."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > READ_AT_ONCE_MAX:
            raise ArchiveError(f"its table of contents has more than {READ_AT_ONCE_MAX:,} bytes")
        return super().read(size)
