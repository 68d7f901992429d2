"""What a clean deletes and what it must not, on both databases."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from tests.conformance.storeworld import AT, DAY, World, task
from tests.unit.rules.engine.world import GROUP

from gnomon.entry.app.housekeeping import Housekeeping
from gnomon.ground.clock import VirtualClock
from gnomon.model.alerts import AlertEvent, AlertFacts, AlertKind
from gnomon.model.backfills import BackfillRecord
from gnomon.model.ids import UNMAPPED
from gnomon.model.instants import Instant
from gnomon.model.records import Changes, EventRecord, RunRecord
from gnomon.model.run_callbacks import CallbackKind, CallbackRecord, CallbackRequest
from gnomon.model.run_waits import RunWait, WaitState
from gnomon.model.states import DagRunState
from gnomon.model.upstream_edges import DependencySpec
from gnomon.storage.remote_logs.task_log_folder import COPIES
from gnomon.storage.remote_logs.upload_spool import UploadSpool
from gnomon.storage.store import RowsMissing, Transaction
from gnomon.storage.store.dag_records import backfills
from gnomon.storage.store.dag_records.event_log import list_events, log_event
from gnomon.storage.store.housekeeping.retention import Retention, delete_expired_runs, list_histories

pytestmark = pytest.mark.usefixtures("kept_newest_runs")

NOW = AT + 200 * DAY


def make_newest(tx: Transaction, run: RunRecord, run_after: Instant) -> None:
    """Have the run be due then, later than the other runs of its DAG."""
    tx._connection.execute_raw(f"UPDATE dag_run SET run_after = {run_after} WHERE run_pk = {run.run_pk}")
    tx._connection.execute_raw(
        f"UPDATE newest_run SET run_pk = {run.run_pk}, run_after = {run_after} WHERE dag_pk = {run.dag_pk}"
    )
    tx.run("newest_runs.refresh", dag_pk=run.dag_pk)


def ended(world: World, count: int, dag_id: str = "d") -> list[RunRecord]:
    """Runs of successive days that have succeeded, each with a task instance."""
    found = []
    for day in range(count):
        run = world.run(dag_id, f"{dag_id}-{day}", day=day)
        done = replace(run, state=DagRunState.SUCCESS, started_at=AT + day * DAY, ended_at=AT + day * DAY + 1)
        with world.db.write() as tx:
            make_newest(tx, run, AT + day * DAY)
        world.apply(
            Changes(
                runs=[done],
                tasks=[task(run)],
                tallies={(run.dag_pk, DagRunState.QUEUED): -1, (run.dag_pk, DagRunState.SUCCESS): 1},
            )
        )
        found.append(done)
    return found


def clean(
    world: World,
    keep_last: int = 1,
    *,
    older_than_s: float = 86400.0,
    dry_run: bool = False,
    tables: tuple[str, ...] = ("runs",),
    logs: Path = Path("/nowhere"),
) -> dict[str, int]:
    work = Housekeeping(world.db, logs, VirtualClock(NOW), lambda _: None)
    return {row.table: row.deleted for row in work.run(older_than_s, keep_last, tables, dry_run=dry_run)}


def left(world: World, dag_id: str = "d") -> list[str]:
    with world.db.read() as tx:
        return [row[0] for row in tx.all("dag_runs.list", dag_id=dag_id, limit=1000) for row in [(row[2],)]][::-1]


def test_old_runs_go_with_their_rows_and_the_newest_stay(world: World) -> None:
    world.dag()
    ended(world, 60)
    assert clean(world, 5, dry_run=True) == {"runs": 55}
    assert len(left(world)) == 60
    assert clean(world, 5) == {"runs": 55}
    assert left(world) == [f"d-{day}" for day in range(55, 60)]
    assert world.count("SELECT count(*) FROM task_instance") == 5
    assert world.count("SELECT n FROM run_tally WHERE state = 100") == 5
    assert clean(world, 5) == {"runs": 0}


def test_runs_that_ended_within_the_time_stay(world: World) -> None:
    world.dag()
    ended(world, 10)
    assert clean(world, older_than_s=196 * 86400) == {"runs": 4}


def test_at_least_the_newest_ended_run_stays(world: World) -> None:
    world.dag()
    ended(world, 3)
    assert clean(world, 0) == {"runs": 2}
    assert left(world) == ["d-2"]


def test_unfinished_runs_stay_and_the_run_before_the_oldest_of_them(world: World) -> None:
    world.dag()
    runs = ended(world, 6)
    with world.db.write() as tx:
        tx._connection.execute_raw(f"UPDATE dag_run SET ended_at = NULL, state = 1 WHERE run_pk = {runs[3].run_pk}")
    clean(world)
    assert left(world) == ["d-2", "d-3", "d-4", "d-5"]


def test_a_dag_with_an_unended_backfill_keeps_all(world: World) -> None:
    dag = world.dag()
    ended(world, 4)
    with world.db.write() as tx:
        backfills.create_backfill(
            tx, BackfillRecord(0, dag.dag_pk, dag.group_no, AT, AT + DAY, "none", 1, False, {}, AT, "me")
        )
    assert clean(world) == {"runs": 0}


def test_a_run_that_owes_a_callback_stays(world: World) -> None:
    world.dag()
    runs = ended(world, 4)
    request = CallbackRequest(kind=CallbackKind.RUN_FAILED)
    world.apply(Changes(callbacks={"c": CallbackRecord("c", runs[1].run_pk, runs[1].dag_pk, request, AT)}))
    clean(world)
    assert left(world) == ["d-1", "d-3"]


def test_runs_for_which_others_wait_or_may_wait_stay(world: World) -> None:
    world.dag("up")
    down = world.dag("down", depends_on=(DependencySpec(dag_id="up"),))
    ended(world, 100, "up")
    waiting = world.run("down", "w")
    with world.db.write() as tx:
        make_newest(tx, waiting, AT + 90 * DAY)
    wait = RunWait(
        waiting.run_pk, 7, "up", AT + 3 * DAY, down.group_no, GROUP, None, WaitState.OPEN, 0, "whole day", AT
    )
    world.apply(Changes(run_waits={(waiting.run_pk, 7, "up", AT + 3 * DAY): wait}))
    clean(world)
    assert left(world, "up") == [
        "up-3",
        *(f"up-{day}" for day in range(59, 100)),
    ]  # 31 days before the oldest run that may yet wait


def test_a_run_that_is_deleted_while_its_owner_clears_it_is_refused_to_the_owner(world: World) -> None:
    world.dag()
    runs = ended(world, 3)
    clean(world)
    with pytest.raises(RowsMissing):
        world.apply(Changes(runs=[replace(runs[0], state=DagRunState.QUEUED, ended_at=None, started_at=None)]))


def test_one_transaction_deletes_a_bounded_number(world: World) -> None:
    world.dag()
    ended(world, 60)
    (history,) = list_histories(world.db)
    assert delete_expired_runs(world.db, history, Retention(NOW, 1)) == 50
    assert delete_expired_runs(world.db, history, Retention(NOW, 1)) == 9


def test_lines_of_the_audit_log_and_xcoms_go_by_age(world: World) -> None:
    world.dag()
    (run,) = ended(world, 1)
    with world.db.write() as tx:
        for day in (0, 199.5):
            log_event(tx, EventRecord(AT + round(day * DAY), "marked", run_pk=run.run_pk, body=str(day)))
        tx._connection.execute_raw(
            f"INSERT INTO xcom (run_pk, task_no, map_index, key, value) VALUES ({run.run_pk}, 0, -1, 'k', '1')"
        )
    assert clean(world, tables=("xcoms",)) == {"xcoms": 1}
    clean(world, tables=("events",))
    with world.db.read() as tx:
        assert [event.body for event in list_events(tx)] == ["199.5"]


def test_log_files_go_by_age_with_folders_that_stay_empty(world: World, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    for name, day in (("dag_id=d/run_id=old/1.log", 0), ("dag_id=d/run_id=new/1.log", 200)):
        path = logs / name
        path.parent.mkdir(parents=True)
        path.write_text("x")
        os.utime(path, (AT / 1e6 + day * 86400,) * 2)
    assert clean(world, tables=("logs",), logs=logs) == {"logs": 1}
    assert not (logs / "dag_id=d/run_id=old/1.log").exists()
    assert (logs / "dag_id=d/run_id=new/1.log").exists()
    os.utime(logs / "dag_id=d/run_id=old", (AT / 1e6,) * 2)
    clean(world, tables=("logs",), logs=logs)
    assert not (logs / "dag_id=d/run_id=old").exists()


def test_files_of_others_in_the_folder_of_the_logs_stay(world: World, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    for name in (
        "notes.txt",
        "archive/report.log",
        "dag_id=d/summary.log",
        "dag_id=d/run_id=r/core.dump",
        "asset_watchers/0123456789abcdef.log",
    ):
        path = logs / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        os.utime(path, (AT / 1e6,) * 2)
    (logs / "empty").mkdir()
    os.utime(logs / "empty", (AT / 1e6,) * 2)
    assert clean(world, tables=("logs",), logs=logs) == {"logs": 1}
    assert sorted(
        str(path.relative_to(logs)) for path in logs.rglob("*") if path.is_file() or path.name == "empty"
    ) == [
        "archive/report.log",
        "dag_id=d/run_id=r/core.dump",
        "dag_id=d/summary.log",
        "empty",
        "notes.txt",
    ]


def test_a_log_file_that_cannot_be_deleted_does_not_keep_the_others(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs = tmp_path / "logs"
    folder = logs / "dag_id=d/run_id=r"
    folder.mkdir(parents=True)
    for name in ("a.log", "b.log", "c.log"):
        (folder / name).write_text("x")
        os.utime(folder / name, (1, 1))
    delete = os.unlink

    def refuse(name: str, *, dir_fd: int) -> None:
        if name == "b.log":
            raise PermissionError(13, "Permission denied")
        delete(name, dir_fd=dir_fd)

    monkeypatch.setattr(os, "unlink", refuse)
    assert clean(world, logs=logs, tables=("logs",)) == {"logs": 2}
    assert [path.name for path in folder.iterdir()] == ["b.log"]


def test_facts_that_no_monitor_has_read_go_when_they_are_old(world: World) -> None:
    world.dag()
    run = world.run("d", "r")
    for at in (AT, NOW):
        world.apply(
            Changes(
                alert_events=[
                    AlertEvent(AlertKind.FAILURE, at, run.dag_pk, run.run_pk, None, UNMAPPED, AlertFacts(reason="x"))
                ]
            )
        )
    assert clean(world, tables=("alerts",), dry_run=True) == {"alerts": 1}
    assert clean(world, tables=("alerts",)) == {"alerts": 1}
    assert world.count("SELECT count(*) FROM alert_event") == 1


def test_a_log_that_is_not_uploaded_yet_stays_and_copies_of_remote_logs_go(world: World, tmp_path: Path) -> None:
    names = [
        "dag_id=d/run_id=r/task_id=sent.attempt=1.log",
        "dag_id=d/run_id=r/task_id=unsent.attempt=1.log",
        f"{COPIES}/dag_id=d/run_id=r/task_id=t.attempt=1.log",
    ]
    spool = UploadSpool(tmp_path)
    spool.mark_open(names[1])
    spool.mark_ready(names[1])
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (0, 0))
    os.utime((tmp_path / names[2]).parent, (0, 0))
    assert clean(world, tables=("logs",), logs=tmp_path) == {"logs": 2}
    assert [(tmp_path / name).exists() for name in names] == [False, True, False]
    spool.remove(names[1])
    assert clean(world, tables=("logs",), logs=tmp_path) == {"logs": 1}
    spool.close()
