"""A task puts a link, a pipe or the like where its log is expected: what writes, uploads, copies and deletes logs keeps to the folder of logs."""

from __future__ import annotations

import logging
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.forked import another_process
from tests.unit.ground.log.traps import SECRET, TRAPS, trapped
from tests.unit.storage.remote_logs.remote_world import NAME, RemoteWorld

from gnomon.author_code.runner import attempt_log
from gnomon.entry.app.housekeeping import _list_old_files, _remove_empty_folders
from gnomon.ground.log.confined_files import ConfinedFile, ForeignFileError
from gnomon.queries.report.listings.log_tail import LogTail
from gnomon.services.triggerer.trigger_logs import append_to_log
from gnomon.services.worker.remote.log_forwarder import LogForwarder
from gnomon.storage.remote_logs.live_copies import LIVE
from gnomon.storage.remote_logs.task_log_folder import COPIES
from gnomon.storage.remote_logs.upload_spool import SPOOLS, list_unsent_logs

REPLACED = [trap for trap in TRAPS if "place" not in trap and trap != "a folder"]
"""What a writer removes: the name of the file is taken by something else."""


@pytest.mark.parametrize("trap", TRAPS)
def test_the_uploader_uploads_nothing_but_logs(world: RemoteWorld, tmp_path: Path, trap: str) -> None:
    """A task that replaces its log by a link to the key had the key uploaded."""
    path = world.write()
    path.unlink()
    with trapped(path, tmp_path / "outside", trap):
        world.uploader.upload_due()
    assert list(world.remote_path.rglob("*.log")) == []
    assert world.spool.list_ready() == []


def test_a_mark_of_a_task_uploads_nothing_from_outside(world: RemoteWorld, tmp_path: Path) -> None:
    (tmp_path / "fernet.key").write_text(SECRET)
    marks = world.logs / SPOOLS / world.spool.spool_id
    for number, name in enumerate((str(tmp_path / "fernet.key"), "../fernet.key", "dag_id=d/../../fernet.key")):
        world.spool.mark_open(name)
        world.spool.mark_ready(name)
        (marks / f"{number}.ready").write_text(name)
    (marks / "7.ready").symlink_to(tmp_path / "fernet.key")
    world.uploader.upload_due()
    assert [path for path in world.remote_path.rglob("*") if path.is_file()] == []
    assert (world.spool.list_ready(), SECRET in list_unsent_logs(world.logs)) == ([], False)


def test_a_mark_is_not_written_through_a_link(world: RemoteWorld, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text(SECRET)
    world.spool.mark_open(NAME)
    [mark] = (world.logs / SPOOLS / world.spool.spool_id).glob("*.open")
    mark.unlink()
    mark.symlink_to(victim)
    with pytest.raises(ForeignFileError):
        world.spool.mark_open(NAME)
    assert victim.read_text() == SECRET


@pytest.mark.parametrize("trap", TRAPS)
def test_live_copies_are_written_through_no_link(world: RemoteWorld, tmp_path: Path, trap: str) -> None:
    live = world.reader.live
    with trapped(world.logs / LIVE / NAME, tmp_path / "outside", trap):
        with pytest.raises(ForeignFileError):
            live.append(NAME, 0, b"piece")
        with pytest.raises(ForeignFileError):
            live.append_line(NAME, "why")
        assert world.reader.fetch(NAME) == world.reader.locate(NAME)


@pytest.mark.parametrize("trap", TRAPS)
def test_a_line_is_added_to_a_copy_when_the_log_is_no_file(world: RemoteWorld, tmp_path: Path, trap: str) -> None:
    with trapped(world.logs / NAME, tmp_path / "outside", trap):
        world.reader.live.append_line(NAME, "why")
        assert (world.logs / LIVE / NAME).read_text() == "why\n"
        assert world.reader.live.append(NAME, 4, b"more") == 8


@pytest.mark.parametrize("trap", [trap for trap in TRAPS if "folder" not in trap])
def test_a_copy_of_a_remote_log_is_written_through_no_link(world: RemoteWorld, tmp_path: Path, trap: str) -> None:
    world.write()
    world.uploader.upload_due()
    (world.logs / NAME).unlink()
    with trapped(world.logs / COPIES / NAME, tmp_path / "outside", trap):
        try:
            assert world.reader.fetch(NAME).path.read_text() == "hello\n"
        except FileNotFoundError:
            assert "in place of the" in trap


@pytest.mark.parametrize("trap", REPLACED)
def test_a_link_in_place_of_the_log_of_the_next_try_is_removed_by_that_try(tmp_path: Path, trap: str) -> None:
    path = tmp_path / "logs" / NAME
    with trapped(path, tmp_path / "outside", trap):
        with another_process(
            lambda: (attempt_log.redirect_output(str(path)), os.write(1, b"said\n"), attempt_log.restore_output())
        ):
            pass
        assert (path.is_symlink(), path.read_text()) == (False, "said\n")


@pytest.mark.parametrize("trap", [trap for trap in TRAPS if trap not in REPLACED])
def test_an_attempt_whose_log_would_be_elsewhere_says_so(tmp_path: Path, trap: str) -> None:
    path = tmp_path / "logs" / NAME
    with trapped(path, tmp_path / "outside", trap), pytest.raises(OSError):
        attempt_log.redirect_output(str(path))


@pytest.mark.parametrize("trap", REPLACED)
def test_the_reason_of_a_lost_process_is_written_through_no_link(tmp_path: Path, trap: str) -> None:
    path = tmp_path / "logs" / NAME
    with trapped(path, tmp_path / "outside", trap):
        attempt_log.append_error(str(path), datetime(2026, 3, 1, tzinfo=UTC), "it was killed")
        assert path.read_text().endswith("it was killed\n")


@pytest.mark.parametrize("trap", REPLACED)
def test_a_trigger_writes_its_log_through_no_link(tmp_path: Path, trap: str) -> None:
    class Running:
        class task_instance:
            log = NAME

    running: Any = Running
    with trapped(tmp_path / "logs" / NAME, tmp_path / "outside", trap):
        append_to_log(str(tmp_path / "logs"), running, "said\n")
        assert (tmp_path / "logs" / NAME).read_text() == "said\n"


@pytest.mark.parametrize("trap", TRAPS)
def test_a_command_and_a_remote_worker_read_no_link(tmp_path: Path, trap: str) -> None:
    class Client:
        def send_log(self, attempt_id: str, offset: int, piece: bytes) -> int:
            raise AssertionError(piece)

    client: Any = Client()
    with trapped(tmp_path / "logs" / NAME, tmp_path / "outside", trap):
        assert list(LogTail(ConfinedFile(tmp_path / "logs", NAME)).new_lines(is_over=True)) == []
        forwarder = LogForwarder(client, tmp_path / "logs")
        forwarder.follow("attempt", NAME)
        forwarder.send_new_lines()


@pytest.mark.parametrize("trap", TRAPS)
@pytest.mark.parametrize("below", ["", f"{COPIES}/", f"{LIVE}/"])
def test_a_clean_deletes_nothing_behind_a_link(tmp_path: Path, trap: str, below: str) -> None:
    with trapped(tmp_path / "logs" / below / NAME, tmp_path / "outside", trap):
        for file in _list_old_files(tmp_path / "logs", 1e12):
            file.unlink()
        _remove_empty_folders(tmp_path / "logs", 1e12)
        if "in place of the" not in trap:
            assert not (tmp_path / "logs" / below / NAME).is_file()


def test_the_uploader_says_which_log_it_leaves_out(
    world: RemoteWorld, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = world.write()
    path.unlink()
    with trapped(path, tmp_path / "outside", "a link to a file"), caplog.at_level(logging.WARNING):
        world.uploader.upload_due()
    assert "log_not_uploaded" in caplog.text
