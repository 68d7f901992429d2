"""Files that are waited for: by a sensor, and by triggers."""

from __future__ import annotations

import asyncio
import datetime as dt
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.patience import PATIENCE_S

from gnomon.author_code.loading.class_loader import load_class
from gnomon.authoring.operators.file_sensor import FileSensor
from gnomon.authoring.operators.filesystem_hook import FSHook
from gnomon.authoring.operators.triggers.file import DirectoryFileDeleteTrigger, FileDeleteTrigger, FileTrigger
from gnomon.authoring.operators.triggers.folder_watch import find_nearest_folder
from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.authoring.sdk.dags.dag_spec import build_dag_spec
from gnomon.authoring.sdk.deferral.triggers import BaseTrigger
from gnomon.model.errors.authoring import AirflowException, AirflowNotFoundException, TaskDeferred

LONG_S = 3600.0
"""Between two looks of a trigger that is told: a test that had to wait for one would not end."""


@pytest.mark.parametrize(
    ("pattern", "recursive", "is_there"),
    [
        ("in/a.csv", False, True),
        ("in/*.csv", False, True),
        ("in", False, True),
        ("empty", False, False),
        ("in/b.csv", False, False),
        ("**/deep.csv", True, True),
        ("**/deep.csv", False, False),
    ],
)
def test_a_file_sensor_finds_files_globs_and_folders_with_files(
    dag: DAG, context_of: Callable[..., Any], tmp_path: Path, pattern: str, recursive: bool, is_there: bool
) -> None:
    for name in ("in/a.csv", "in/below/further/deep.csv"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "empty" / "folder").mkdir(parents=True)
    sensor = FileSensor(task_id="t", filepath=str(tmp_path / pattern), recursive=recursive)
    assert sensor.poke(context_of(sensor)) is is_there


def test_a_relative_path_begins_where_the_connection_says(
    dag: DAG, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("AIRFLOW_CONN_SHARE", f'{{"conn_type": "fs", "extra": {{"path": "{tmp_path}"}}}}')
    assert FileSensor(task_id="t", filepath="a.csv", fs_conn_id="share").path == str(tmp_path / "a.csv")
    assert FSHook("share").test_connection() == (True, f"Path {tmp_path} is existing.")
    assert FileSensor(task_id="u", filepath="a.csv").path == "/a.csv"
    with pytest.raises(AirflowNotFoundException, match="none"):
        FSHook("none")


def test_a_deferred_file_sensor_has_a_trigger_look(dag: DAG, execute: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    sensor = FileSensor(task_id="t", filepath=str(path), deferrable=True, poke_interval=7, timeout=20)
    with pytest.raises(TaskDeferred) as raised:
        execute(sensor)
    assert raised.value.trigger.serialize()[1] == {"filepath": str(path), "recursive": False, "poke_interval": 7.0}
    assert raised.value.timeout == dt.timedelta(seconds=20)
    path.touch()
    assert execute(sensor) is None
    assert sensor.execute_complete({}, event=True) is None
    with pytest.raises(AirflowException, match="t task failed as .*a.csv not found"):
        sensor.execute_complete({}, event=False)


def test_a_file_sensor_may_start_from_its_trigger(dag: DAG) -> None:
    FileSensor(task_id="absolute", filepath="/in/a.csv", deferrable=True, start_from_trigger=True, timeout=9)
    FileSensor(task_id="relative", filepath="a.csv", deferrable=True, start_from_trigger=True)
    FileSensor(task_id="template", filepath="/in/{{ ds }}", deferrable=True, start_from_trigger=True)
    waits = {task.task_id: task.start_wait for task in build_dag_spec(dag, __file__, load_class).spec.tasks}
    wait = waits["absolute"]
    assert wait is not None and wait.classpath == "gnomon.authoring.operators.triggers.file.FileTrigger"
    assert (wait.next_method, wait.timeout_s, wait.due_at) == ("execute_complete", 9, None)
    assert waits["relative"] is None and waits["template"] is None


def _event_when(trigger: BaseTrigger, happen: Callable[[], object]) -> Any:
    """The first event of a trigger that waits already when it happens; the trigger was made again from its arguments."""
    _, kwargs = trigger.serialize()
    again = type(trigger)(**kwargs)

    async def wait() -> Any:
        first = asyncio.ensure_future(anext(aiter(again.run())))
        await asyncio.sleep(0)
        happen()
        event = await asyncio.wait_for(first, PATIENCE_S)
        return event.payload

    return asyncio.run(wait())


def test_a_file_trigger_fires_for_a_file_that_is_there(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    assert _event_when(FileTrigger(str(tmp_path / "a"), poke_interval=LONG_S), lambda: None) is True


def test_a_file_trigger_waits_for_no_thread_of_another_trigger(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    release = threading.Event()

    async def wait() -> object:
        loop = asyncio.get_running_loop()
        loop.set_default_executor(ThreadPoolExecutor(1))
        held = asyncio.ensure_future(asyncio.to_thread(release.wait))
        try:
            event = await asyncio.wait_for(anext(aiter(FileTrigger(str(tmp_path / "a")).run())), PATIENCE_S)
        finally:
            release.set()
            await held
        return event.payload

    assert asyncio.run(wait()) is True


def test_a_file_trigger_looks_where_nobody_tells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "other")
    assert _event_when(FileTrigger(str(tmp_path / "a*"), poke_interval=0.01), (tmp_path / "abc").touch) is True


@pytest.mark.skipif("sys.platform != 'linux'", reason="inotify is Linux's")
@pytest.mark.parametrize("name", ["a", "new/folder/a"])
def test_a_file_trigger_is_told_of_files_and_of_the_folders_above_them(tmp_path: Path, name: str) -> None:
    path = tmp_path / name

    async def wait() -> None:
        first = asyncio.ensure_future(anext(aiter(FileTrigger(str(path), poke_interval=LONG_S).run())))
        for folder in reversed(path.relative_to(tmp_path).parents[:-1]):
            (tmp_path / folder).mkdir()
            await asyncio.sleep(0)
        path.touch()
        await asyncio.wait_for(first, PATIENCE_S)

    asyncio.run(wait())


def test_a_delete_trigger_takes_the_file_away(tmp_path: Path) -> None:
    path = tmp_path / "a"
    assert _event_when(FileDeleteTrigger(str(path), poke_interval=0.01), path.touch) is True
    assert not path.exists()
    one = DirectoryFileDeleteTrigger(directory=str(tmp_path), filename="b", poke_interval=0.01)
    assert _event_when(one, (tmp_path / "b").touch) == {"filepath": str(tmp_path / "b")}
    assert not (tmp_path / "b").exists()


def test_a_delete_trigger_takes_nothing_out_of_a_folder_of_that_name(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "kept").touch()
    with pytest.raises(OSError):
        _event_when(FileDeleteTrigger(str(tmp_path / "folder"), poke_interval=0.01), lambda: None)
    assert (tmp_path / "folder" / "kept").exists()


def test_of_two_delete_triggers_one_gets_the_file(tmp_path: Path) -> None:
    async def race() -> int:
        runs = [
            asyncio.ensure_future(anext(aiter(FileDeleteTrigger(str(tmp_path / "a"), 0.01).run()))) for _ in range(2)
        ]
        (tmp_path / "a").touch()
        done, pending = await asyncio.wait(runs, return_when=asyncio.FIRST_COMPLETED, timeout=PATIENCE_S)
        assert len(done) == 1
        (tmp_path / "a").touch()
        await asyncio.wait(pending, timeout=PATIENCE_S)
        return sum(run.done() for run in runs)

    assert asyncio.run(race()) == 2


def test_the_nearest_folder_is_one_that_exists(tmp_path: Path) -> None:
    assert find_nearest_folder(str(tmp_path / "no" / "where" / "*.csv")) == str(tmp_path)
    assert find_nearest_folder(str(tmp_path)) == str(tmp_path)
