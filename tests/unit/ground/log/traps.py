"""What a task can put where Gnomon expects a log: each leads out of the folder of logs, or holds up whoever opens it."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

SECRET = "the key of this machine"


def _link_file(path: Path, outside: Path) -> None:
    path.symlink_to(outside / path.name)


def _link_folder(path: Path, outside: Path) -> None:
    path.parent.rmdir()
    path.parent.symlink_to(outside)


def _link_outer_folder(path: Path, outside: Path) -> None:
    path.parent.rmdir()
    path.parent.parent.rmdir()
    (outside / path.parent.name).mkdir()
    (outside / path.parent.name / path.name).write_text(SECRET)
    path.parent.parent.symlink_to(outside)


def _link_to_link(path: Path, outside: Path) -> None:
    between = path.with_name(f"{path.name}.between")
    between.symlink_to(outside / path.name)
    path.symlink_to(between.name)


def _make_pipe(path: Path, outside: Path) -> None:
    os.mkfifo(path)


def _make_socket(path: Path, outside: Path) -> None:
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(f"/proc/self/fd/{folder}/{path.name}")
    finally:
        os.close(folder)


def _make_folder(path: Path, outside: Path) -> None:
    path.mkdir()


def _link_foreign_name(path: Path, outside: Path) -> None:
    """A second name of a file of another user."""
    os.link(outside / path.name, path)
    os.chown(outside / path.name, 12345, 12345)


TRAPS: dict[str, Callable[[Path, Path], None]] = {
    "a link to a file": _link_file,
    "a link to a link": _link_to_link,
    "a link in place of the run": _link_folder,
    "a link in place of the DAG": _link_outer_folder,
    "a pipe": _make_pipe,
    "a socket": _make_socket,
    "a folder": _make_folder,
}
if os.geteuid() == 0:
    TRAPS["a second name of a file of another user"] = _link_foreign_name


@contextmanager
def trapped(path: Path, outside: Path, trap: str) -> Iterator[Path]:
    """Set a trap at the path; the file outside, to which some traps lead, has the text SECRET at the end too."""
    outside.mkdir(exist_ok=True)
    victim = outside / path.name
    victim.write_text(SECRET)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    TRAPS[trap](path, outside)
    before = {each: each.read_text() for each in outside.rglob("*") if each.is_file()}
    yield victim
    assert {each: each.read_text() for each in outside.rglob("*") if each.is_file()} == before
