from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.storage.remote_logs.remote_world import NAME, RemoteWorld

from gnomon.storage.remote_logs.log_uploader import LONGEST_PAUSE_S
from gnomon.storage.remote_logs.upload_spool import list_unsent_logs

pytestmark = pytest.mark.pure


def test_the_path_in_the_remote_folder_is_that_in_the_local_one(world: RemoteWorld) -> None:
    path = world.write()
    assert world.uploader.upload_due() is None
    assert (world.remote_path / NAME).read_text() == path.read_text() == "hello\n"
    assert not list_unsent_logs(world.logs)
    assert [each.name for each in world.remote_path.rglob("*.part")] == []


def test_the_log_of_a_running_attempt_stays_on_the_machine(world: RemoteWorld) -> None:
    path = world.write(ready=False)
    assert world.uploader.upload_due() is None
    assert path.exists()
    assert not world.remote_path.exists()


def test_a_failed_upload_is_said_and_repeated_and_the_local_log_stays(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    world = RemoteWorld(tmp_path, delete_local_logs="True")
    world.remote_path.write_text("a file, where the folder should be")
    path = world.write()
    pauses = []
    for _ in range(9):
        due_at = world.uploader.upload_due()
        assert due_at is not None
        pauses.append(due_at - world.clock.monotonic())
        world.wait(pauses[-1])
    assert pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60] == sorted(pauses)
    assert pauses[-1] == LONGEST_PAUSE_S
    assert path.exists()
    said = [record.message for record in caplog.records if record.levelname == "WARNING"]
    assert said == ["log_upload_failed"] * 9
    world.remote_path.unlink()
    assert world.uploader.upload_due() is None
    assert (world.remote_path / NAME).read_text() == "hello\n"
    assert not path.exists()
    world.close()


def test_one_log_that_cannot_be_uploaded_does_not_hold_up_the_others(world: RemoteWorld) -> None:
    world.remote_path.mkdir()
    (world.remote_path / "dag_id=bad").write_text("a file, where the folder of a DAG should be")
    world.write("dag_id=bad/run_id=r/task_id=t.attempt=1.log")
    names = [f"dag_id=d/run_id=r/task_id=t{number}.attempt=1.log" for number in range(20)]
    for name in names:
        world.write(name)
    assert world.uploader.upload_due() is not None
    assert all((world.remote_path / name).exists() for name in names)
    assert list_unsent_logs(world.logs) == {"dag_id=bad/run_id=r/task_id=t.attempt=1.log"}


def test_a_log_that_was_never_written_needs_no_upload(world: RemoteWorld) -> None:
    world.spool.mark_open(NAME)
    world.spool.mark_ready(NAME)
    assert world.uploader.upload_due() is None
    assert not list_unsent_logs(world.logs)


def test_the_log_of_the_trigger_before_the_attempt_goes_with_it(world: RemoteWorld) -> None:
    name = NAME.replace("attempt=1", "attempt=2")
    world.write(name)
    trigger = NAME.replace(".log", ".trigger.log")
    (world.logs / trigger).write_text("waited\n")
    world.uploader.upload_due()
    assert (world.remote_path / trigger).read_text() == "waited\n"


def test_local_logs_are_deleted_only_with_the_option(tmp_path: Path) -> None:
    for number, (option, is_kept) in enumerate([("False", True), ("True", False)]):
        world = RemoteWorld(tmp_path / str(number), delete_local_logs=option)
        path = world.write()
        world.uploader.upload_due()
        assert path.exists() == is_kept
        assert path.parent.exists(), "another attempt may be about to write into it"
        assert (world.remote_path / NAME).exists()
        world.close()


def test_at_the_end_everything_is_tried_once(world: RemoteWorld) -> None:
    world.remote_path.write_text("a file, where the folder should be")
    world.write()
    assert world.uploader.upload_due() is not None
    assert world.uploader.upload_due(at_once=True) is not None
    world.remote_path.unlink()
    assert world.uploader.upload_due(at_once=True) is None
    assert (world.remote_path / NAME).exists()
