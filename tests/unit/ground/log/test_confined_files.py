from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.unit.ground.log.traps import SECRET, TRAPS, trapped

from gnomon.ground.log.confined_files import (
    ConfinedFile,
    ForeignFileError,
    list_files,
    list_folders,
    open_to_append,
    remove_empty_folder,
)

NAME = "dag_id=d/run_id=r/task_id=t.attempt=1.log"


@pytest.fixture
def file(tmp_path: Path) -> ConfinedFile:
    return ConfinedFile(tmp_path / "logs", NAME)


def test_a_file_is_written_with_its_folders_read_and_deleted(file: ConfinedFile) -> None:
    with file.open("ab") as opened:
        opened.write(b"one\n")
    with file.open("ab+") as opened:
        opened.write(b"two\n")
    with file.open() as opened:
        assert opened.read() == b"one\ntwo\n"
    assert (file.is_file(), file.stat().st_size, file.stat().st_mode & 0o777) == (True, 8, 0o600)
    file.unlink()
    assert not file.is_file()
    file.unlink(missing_ok=True)
    with pytest.raises(FileNotFoundError):
        file.unlink()


def test_a_written_file_blocks_as_usual(file: ConfinedFile) -> None:
    for _ in range(2):  # new, then existing
        with file.open("ab") as opened:
            assert os.get_blocking(opened.fileno())


@pytest.mark.parametrize("trap", TRAPS)
def test_nothing_but_a_regular_file_beneath_the_folder_is_opened(file: ConfinedFile, tmp_path: Path, trap: str) -> None:
    with trapped(file.path, tmp_path / "outside", trap):
        assert not file.is_file()
        for mode in ("rb", "ab", "ab+"):
            with pytest.raises(ForeignFileError):
                file.open(mode)
        with pytest.raises(ForeignFileError):
            file.stat()


@pytest.mark.parametrize(
    "trap",
    [trap for trap in TRAPS if trap not in ("a folder", "a link in place of the run", "a link in place of the DAG")],
)
def test_what_stands_in_place_of_a_log_is_removed_for_its_writer(file: ConfinedFile, tmp_path: Path, trap: str) -> None:
    with trapped(file.path, tmp_path / "outside", trap):
        with open(open_to_append(file.folder, file.relative, replaces_foreign=True), "w") as opened:
            opened.write("log")
        assert (file.path.is_symlink(), file.path.read_text()) == (False, "log")


@pytest.mark.parametrize("relative", ["../x", "a/../../x", "/etc/passwd", "a//b", "", ".", "a/.", "a\0b", ".."])
def test_a_path_that_leads_out_is_none(tmp_path: Path, relative: str) -> None:
    (tmp_path / "x").write_text(SECRET)
    file = ConfinedFile(tmp_path / "logs", relative)
    assert not file.is_file()
    for mode in ("rb", "ab"):
        with pytest.raises(ForeignFileError):
            file.open(mode)


def test_the_root_folder_may_be_a_link_of_the_operator(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "logs").symlink_to(tmp_path / "disk")
    with ConfinedFile(tmp_path / "logs", NAME).open("ab") as opened:
        opened.write(b"x")
    assert (tmp_path / "disk" / NAME).read_text() == "x"


def test_a_second_name_of_an_own_file_is_read(file: ConfinedFile, tmp_path: Path) -> None:
    """Back-ups make hard links."""
    with file.open("ab") as opened:
        opened.write(b"x")
    os.link(file.path, tmp_path / "backup")
    assert file.is_file()


def test_listing_enters_no_link(tmp_path: Path) -> None:
    outside, logs = tmp_path / "outside", tmp_path / "logs"
    for folder in (outside / "run_id=r", logs / "dag_id=a/run_id=r"):
        folder.mkdir(parents=True)
        (folder / "x.log").write_text("x")
    (logs / "dag_id=b").symlink_to(outside)
    (logs / "dag_id=a/run_id=s").symlink_to(outside / "run_id=r")
    assert [file.relative for file in list_files(logs, "dag_id=*/run_id=*/*.log")] == ["dag_id=a/run_id=r/x.log"]
    assert [folder.relative for folder in list_folders(logs, "dag_id=*/run_id=*")] == ["dag_id=a/run_id=r"]


def test_deleting_removes_the_link_and_not_what_it_leads_to(file: ConfinedFile, tmp_path: Path) -> None:
    with trapped(file.path, tmp_path / "outside", "a link to a file"):
        file.unlink()
        assert not file.path.is_symlink()
    with trapped(file.path, tmp_path / "elsewhere", "a link in place of the run"), pytest.raises(ForeignFileError):
        file.unlink()


def test_only_an_empty_folder_is_removed(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    with pytest.raises(OSError):
        remove_empty_folder(ConfinedFile(tmp_path, "a"), 1e12)
    remove_empty_folder(ConfinedFile(tmp_path, "a/b"), 1.0)
    assert (tmp_path / "a/b").exists()
    remove_empty_folder(ConfinedFile(tmp_path, "a/b"), 1e12)
    assert not (tmp_path / "a/b").exists()


def test_no_descriptor_is_left_open(file: ConfinedFile, tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for trap in TRAPS:
        inner = ConfinedFile(tmp_path / trap, NAME)
        with trapped(inner.path, tmp_path / f"outside {trap}", trap):
            inner.is_file()
            for mode in ("rb", "ab"):
                with pytest.raises(ForeignFileError):
                    inner.open(mode)
    list(list_files(tmp_path, "*/dag_id=*/run_id=*/*.log"))
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize(("is_begun", "opens"), [(False, 3), (True, 4)])
def test_a_log_is_opened_with_few_calls_of_the_system(
    file: ConfinedFile, monkeypatch: pytest.MonkeyPatch, is_begun: bool, opens: int
) -> None:
    """Each attempt opens one: the folders of its DAG and of its run, and the file, which for an attempt that goes on exists. Nothing stays open."""
    with (file if is_begun else file.beside("another.log")).open("ab"):
        pass
    calls: list[str] = []

    def counted(name: str) -> Callable[..., Any]:
        call = getattr(os, name)

        def count(*given: Any, **named: Any) -> Any:
            calls.append(name)
            return call(*given, **named)

        return count

    for name in ("open", "close", "mkdir", "makedirs", "stat", "fstat"):
        monkeypatch.setattr(os, name, counted(name))
    descriptor = open_to_append(file.folder, file.relative, replaces_foreign=True)
    monkeypatch.undo()
    os.close(descriptor)
    assert (calls.count("open"), calls.count("close")) == (opens, 2)
    assert len(calls) == opens + 2 + is_begun, calls


def test_the_path_of_the_root_folder_may_contain_links_and_need_not_exist(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real", target_is_directory=True)
    for root in (tmp_path / "link", tmp_path / "link" / "logs" / "of" / "tasks"):
        for relative in (NAME, "watcher.log", "asset_watchers/x.log"):
            os.close(open_to_append(root, relative))
            assert ConfinedFile(root, relative).is_file()
    assert (tmp_path / "real" / "logs" / "of" / "tasks" / NAME).is_file()
