from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.unit.storage.remote_logs.remote_world import NAME, RemoteWorld

from gnomon.model.attempts import build_attempt_log_path
from gnomon.model.errors.product import UserError
from gnomon.queries.report.listings.log_tail import LogTail
from gnomon.storage.remote_logs import task_log_folder
from gnomon.storage.remote_logs.remote_log_folder import RemoteLogError
from gnomon.storage.remote_logs.task_log_folder import COPIES, TaskLogFolder

pytestmark = pytest.mark.pure


def _upload(world: RemoteWorld, name: str = NAME, text: str = "hello\n", *, deletes: bool = True) -> Path:
    path = world.write(name, text)
    world.uploader.upload_due()
    if deletes:
        path.unlink()
    return path


def test_a_local_log_is_read_where_it_is(world: RemoteWorld) -> None:
    path = _upload(world, deletes=False)
    assert world.reader.fetch(NAME).path == path
    assert not (world.logs / COPIES).exists()


def test_a_log_that_is_not_here_is_copied_from_the_remote_folder_once(
    world: RemoteWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    _upload(world)
    copy = world.reader.fetch(NAME).path
    assert (copy, copy.read_text()) == (world.logs / COPIES / NAME, "hello\n")
    assert copy.stat().st_mode & 0o777 == 0o600
    monkeypatch.setattr(world.remote, "download", None)
    assert world.reader.fetch(NAME).path == copy


def test_a_log_that_was_uploaded_again_is_copied_again(world: RemoteWorld) -> None:
    _upload(world)
    world.reader.fetch(NAME)
    _upload(world, text="hello\nagain\n")
    world.wait(task_log_folder.LISTING_TTL_S)
    assert world.reader.fetch(NAME).path.read_text() == "hello\nagain\n"


@pytest.mark.parametrize(
    "run_id", ["../../etc", "a?versionId=b", "#1", "a*[b]{c}\\", "~", "é" * 120, "%2F", " ", "a\nb", "?" * 250]
)
def test_a_hostile_run_id_is_found_again_and_leaves_no_folder(world: RemoteWorld, run_id: str) -> None:
    name = build_attempt_log_path("d", run_id, "t", -1, 1)
    _upload(world, name, run_id)
    assert [path.is_relative_to(world.remote_path / "dag_id=d") for path in world.remote_path.rglob("*.log")] == [True]
    assert world.reader.look_up().search(lambda: True)
    assert world.reader.fetch(name).path.read_text() == run_id


def test_a_search_asks_the_remote_folder_when_a_log_is_not_here(world: RemoteWorld) -> None:
    _upload(world)
    lookup = world.reader.look_up()
    assert lookup.search(lambda: lookup.has(NAME)) is True
    assert lookup.search(lambda: lookup.has(NAME.replace("attempt=1", "attempt=2"))) is False


def test_a_log_that_has_just_left_the_machine_is_found(world: RemoteWorld) -> None:
    path = world.write()
    assert world.reader.list_sizes(NAME.rpartition("/")[0]) == {}
    world.uploader.upload_due()
    path.unlink()
    lookup = world.reader.look_up()

    def find() -> str:
        if not lookup.has(NAME):
            raise UserError("no log")
        return NAME

    assert lookup.search(find) == NAME
    assert world.reader.fetch(NAME).path.read_text() == "hello\n"


def test_a_remote_folder_that_cannot_be_read_is_named_when_a_log_is_missing(
    world: RemoteWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(folder: str) -> dict[str, int]:
        raise RemoteLogError("the remote log folder is away")

    monkeypatch.setattr(world.remote, "list_sizes", refuse)
    path = world.write()
    lookup = world.reader.look_up()
    assert lookup.search(lambda: [lookup.has(NAME), lookup.has("other/x.log")]) == [True, False]
    assert world.reader.fetch(NAME).path == path

    def find() -> None:
        lookup.has("other/x.log")
        raise UserError("no log")

    with pytest.raises(UserError, match="no log; the remote log folder is away"):
        lookup.search(find)


def test_the_oldest_copies_are_deleted_when_they_need_too_much_room(
    world: RemoteWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task_log_folder, "COPIES_MAX_BYTES", 250)
    names = [NAME.replace("attempt=1", f"attempt={number}") for number in range(3)]
    for name in names:
        _upload(world, name, "x" * 100)
        world.reader.fetch(name)
    left = list((world.logs / COPIES).rglob("*.log"))
    assert len(left) == 2
    assert world.logs / COPIES / names[2] in left


def test_following_goes_on_in_the_copy_where_it_was_in_the_local_file(world: RemoteWorld) -> None:
    path = world.write(text="one\n", ready=False)
    tail = LogTail(world.reader.locate(NAME), lambda: world.reader.fetch(NAME))
    assert list(tail.new_lines()) == ["one"]
    path.write_text("one\ntwo\n")
    world.spool.mark_ready(NAME)
    world.uploader.upload_due()
    path.unlink()
    assert list(tail.new_lines(is_over=True)) == ["two"]


def test_without_a_remote_folder_nothing_but_the_local_one_is_looked_at(world: RemoteWorld) -> None:
    _upload(world)
    local = TaskLogFolder(world.logs, None, world.clock)
    lookup = local.look_up()
    assert (lookup.search(lambda: lookup.has(NAME)), lookup.elsewhere, local.fetch(NAME).path) == (
        False,
        "",
        world.logs / NAME,
    )


def test_calls_of_the_remote_folder_are_limited_and_those_of_this_machine_are_not(world: RemoteWorld) -> None:
    _upload(world)
    free = [1]

    @contextmanager
    def limit() -> Iterator[None]:
        if not free:
            raise TooMany
        free.pop()
        yield
        free.append(1)

    limited = TaskLogFolder(world.logs, world.remote, world.clock, limit)
    assert limited.fetch(NAME).path.read_text() == "hello\n"
    free.clear()
    for call in (lambda: limited.list_sizes("other"), lambda: limited.fetch(NAME.replace("attempt=1", "attempt=2"))):
        with pytest.raises(TooMany):
            call()
    path = world.write(NAME.replace("attempt=1", "attempt=3"))
    assert limited.fetch(NAME.replace("attempt=1", "attempt=3")).path == path


class TooMany(Exception):
    """The limit is reached."""
