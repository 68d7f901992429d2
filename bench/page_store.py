"""Fills a SQLite store for measurements of the page: 10,000 DAGs with schedules and next runs, and a history that ends now; two large DAGs; a log of 1 GB."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import msgspec

from bench.api_history import (
    DAY,
    END,
    HistorySize,
    create_store,
    dag_name,
    fill_history,
    make_plain_dag,
)
from gnomon.ground.config import load_config
from gnomon.model.attempts import build_attempt_log_path
from gnomon.model.instants import SECOND, Instant
from gnomon.model.slots import Cursor, PlannedRun, TimeRestriction, TimetableRef
from gnomon.model.spec import DagSpec, FileInputs, ParsedDag, ParsedFile, TaskSpec
from gnomon.model.upstream_edges import DependencySpec
from gnomon.rules.planning.queries import ask_next
from gnomon.rules.timetables.registry import build
from gnomon.storage.store import Database, load_cipher, open_database
from gnomon.storage.store.parsed_files import dag_files

SCHEDULES = [f"{minute} {hour} * * *" for hour in range(24) for minute in range(0, 60, 4)] + [
    "*/5 * * * *",
    "0 * * * *",
    "30 * * * *",
    "0 6 * * 1-5",
]
TIMES = ("run_after", "queued_at", "started_at", "ended_at", "logical_at", "interval_start", "interval_end")
DAILY = "0 0 * * *"
LOG_BYTES = 1_000_000_000
LOG_LINE = b"2026-01-01T00:00:%02d.000000Z INFO     line %08d of a task that tells what it does, one row of its input after the other\n"
LAST_LINE = b"2026-01-01T01:00:00.000000Z INFO     needle at the end\n"
WAITING_DAG_NUMBER = 50
"""Hourly. Twenty DAGs are upstream of it."""


class LargeDag(NamedTuple):
    """A DAG of many tasks with many runs; `layers`: how long its longest chain is."""

    dag_id: str
    tasks: int
    runs: int
    layers: int


LARGE_DAGS = (LargeDag("work_1000", 1000, 50, 50), LargeDag("work_5000", 5000, 365, 100))


class PageStore(NamedTuple):
    """A filled home. `newest_run`: the id of the newest run of `work_1000`, whose first task has the log of 1 GB and whose second has a short one."""

    environ: dict[str, str]
    newest_run: str


def fill_page_store(home: Path, size: HistorySize) -> PageStore:
    """Create and fill `gnomon.db` and the logs in the home."""
    url = f"sqlite:///{home / 'gnomon.db'}"
    environ = {"GNOMON_HOME": str(home), "GNOMON__DATABASE__SQL_ALCHEMY_CONN": url}
    create_store(url)
    config = load_config(environ, home)
    database = open_database(url, role="bench", synchronous="OFF", cipher=load_cipher(config))
    try:
        fill_history(database, size, _make_scheduled_dag)
        _add_large_dags(database)
    finally:
        database.close()
    with closing(sqlite3.connect(home / "gnomon.db")) as file, file:
        file.execute("PRAGMA synchronous = OFF")
        for large in LARGE_DAGS:
            _add_runs(file, large)
        _move_to_now(file, int(time.time()) * SECOND)
        newest_run = str(
            file.execute(
                "SELECT run_id FROM dag_run JOIN dag USING (dag_pk) WHERE dag_id = ? ORDER BY run_after DESC",
                (LARGE_DAGS[0].dag_id,),
            ).fetchone()[0]
        )
    for task, count in ((0, LOG_BYTES), (1, 20_000)):
        _write_log(
            config.logs_folder / build_attempt_log_path(LARGE_DAGS[0].dag_id, newest_run, f"task_{task:04d}", -1, 1),
            count,
        )
    return PageStore(environ, newest_run)


def _make_scheduled_dag(number: int) -> ParsedDag:
    """One of 25 has a run each five minutes, or each hour; the others one a day. One of 10 waits for three others."""
    plain = make_plain_dag(number)
    text = SCHEDULES[-1 - number % 4] if number % 25 == 0 else SCHEDULES[number % (len(SCHEDULES) - 4)]
    upstream: list[int] = list(range(max(0, number - 3), number)) if number % 10 == 0 else []
    if number == WAITING_DAG_NUMBER:
        upstream = list(range(number + 1, number + 601, 30))
    return msgspec.structs.replace(
        plain,
        spec=msgspec.structs.replace(
            plain.spec,
            timetable=_make_timetable(text),
            depends_on=tuple(DependencySpec(dag_id=dag_name(other)) for other in upstream),
        ),
    )


def _make_timetable(text: str) -> TimetableRef:
    data: dict[str, object] = {"expression": text, "timezone": "UTC", "interval": 0.0, "run_immediately": False}
    return TimetableRef(
        path="CronTriggerTimetable", data=data, summary=text, description=f"The cron expression {text} in UTC"
    )


def _add_large_dags(database: Database) -> None:
    for large in LARGE_DAGS:
        parsed = ParsedDag(spec=_make_large_spec(large), spec_hash=large.dag_id)
        with database.write() as tx:
            dag_files.record_parsed_files(
                tx,
                [
                    ParsedFile(
                        path=f"/dags/{large.dag_id}.py", inputs=FileInputs(input_hash=large.dag_id), dags=(parsed,)
                    )
                ],
                at=END,
                paused_by_default=False,
            )


def _make_large_spec(large: LargeDag) -> DagSpec:
    """Tasks in layers; each waits for two of the layer before."""
    width = large.tasks // large.layers
    names = [f"task_{number:04d}" for number in range(large.tasks)]

    def list_upstream(number: int) -> tuple[str, ...]:
        if number < width:
            return ()
        start = number // width * width - width
        return tuple(sorted({names[start + number % width], names[start + (number * 7 + 3) % width]}))

    tasks = tuple(
        TaskSpec(task_id=name, operator="PythonOperator", upstream=list_upstream(number))
        for number, name in enumerate(names)
    )
    return DagSpec(dag_id=large.dag_id, timetable=_make_timetable(DAILY), tasks=tasks)


def _add_runs(file: sqlite3.Connection, large: LargeDag) -> None:
    """One run a day up to END; the tasks of the newest run have attempts, which have logs."""
    of_dag = {"dag_id": large.dag_id, "runs": large.runs}
    file.execute(
        f"""INSERT INTO dag_run (dag_pk, group_no, run_id, slot_key, run_type, logical_at, interval_start, interval_end, run_after, version_pk,
            state, queued_at, started_at, ended_at)
        SELECT dag_pk, group_no, 'scheduled__' || run_after, 's' || run_after, 'scheduled', run_after, run_after, run_after, run_after, version_pk,
            CASE WHEN n % 9 = 0 THEN 101 ELSE 100 END, run_after + 1000, run_after + 1000000, run_after + 600000000 + n * 1000000
        FROM (WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < :runs)
            SELECT n, dag_pk, group_no, version_pk, {END} - (:runs - n) * {DAY} AS run_after FROM s CROSS JOIN dag WHERE dag_id = :dag_id)
        ORDER BY run_after""",
        of_dag,
    )
    file.execute(
        "INSERT INTO run_tally (dag_pk, state, n) SELECT dag_pk, state, count(*) FROM dag_run JOIN dag USING (dag_pk) WHERE dag_id = ? GROUP BY dag_pk, state",
        (large.dag_id,),
    )
    file.execute(
        "INSERT INTO newest_run (dag_pk, run_after, run_pk, state, started_at, ended_at) SELECT dag_pk, max(run_after), run_pk, state, started_at, ended_at FROM dag_run JOIN dag USING (dag_pk) WHERE dag_id = ?",
        (large.dag_id,),
    )
    file.execute(
        """INSERT INTO task_instance (run_pk, task_no, map_index, state, try_number, max_tries, seq, defer_seq, pool, pool_slots, priority, started_at, ended_at, version_pk)
        SELECT run_pk, task_no, -1, CASE WHEN state = 101 AND task_no % 40 = 7 THEN 101 WHEN (run_pk + task_no) % 40 = 0 THEN 102 ELSE 100 END, 1, 1, 1, 0,
            'default_pool', 1, 1, started_at + task_no * 100000, started_at + task_no * 100000 + (run_pk * 7919 + task_no * 104729) % 60000000, r.version_pk
        FROM dag_run AS r JOIN dag USING (dag_pk) JOIN task_name USING (dag_pk) WHERE dag_id = ? ORDER BY run_pk, task_no""",
        (large.dag_id,),
    )
    file.execute(
        """INSERT INTO attempt (run_pk, task_no, map_index, seq, attempt, try_number, kind, state, worker, started_at, ended_at)
        SELECT run_pk, task_no, -1, 1, 'a' || run_pk || '_' || task_no, 1, 'task', 'success', 'worker-1', started_at, ended_at
        FROM task_instance WHERE run_pk = (SELECT max(run_pk) FROM dag_run JOIN dag USING (dag_pk) WHERE dag_id = ?)""",
        (large.dag_id,),
    )


def _move_to_now(file: sqlite3.Connection, now: Instant) -> None:
    """The newest runs, which are due at END, become those of today, and every DAG gets the next run of its schedule."""
    span = (now - END) // SECOND // 3_600 * 3_600 * SECOND
    file.execute(f"UPDATE dag_run SET {', '.join(f'{name} = {name} + :span' for name in TIMES)}", {"span": span})
    file.execute(
        "UPDATE newest_run SET run_after = run_after + :span, started_at = started_at + :span, ended_at = ended_at + :span",
        {"span": span},
    )
    for table in ("task_instance", "attempt"):
        file.execute(f"UPDATE {table} SET started_at = started_at + :span, ended_at = ended_at + :span", {"span": span})
    first = {text: _find_next(text, now) for text in SCHEDULES}
    for dag_pk, dag_id in file.execute(
        "SELECT dag_pk, dag_id FROM dag WHERE dag_id LIKE 'dag\\_%' ESCAPE '\\' OR dag_id LIKE 'work\\_%' ESCAPE '\\'"
    ).fetchall():
        text = (
            _make_scheduled_dag(int(dag_id.removeprefix("dag_"))).spec.timetable.summary
            if dag_id.startswith("dag_")
            else DAILY
        )
        planned = first[text]
        file.execute(
            "UPDATE dag SET next_run_after = ?, next_body = ? WHERE dag_pk = ?",
            (planned.run_after, msgspec.json.encode(planned).decode(), dag_pk),
        )


def _find_next(text: str, now: Instant) -> PlannedRun:
    planned = ask_next(
        build(_make_timetable(text)),
        Cursor(run_after=now, interval_start=None, interval_end=None),
        TimeRestriction(None, None, True),
        now,
    )
    assert planned is not None
    return planned


def _write_log(path: Path, size: int) -> None:
    """A log of at least so many bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    block = b"".join(LOG_LINE % (number % 60, number) for number in range(50_000))
    with path.open("wb") as file:
        while file.tell() < size:
            file.write(block[: size + len(LOG_LINE) - file.tell()])
        file.write(b"\n" + LAST_LINE)
