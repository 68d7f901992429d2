"""Every list of both APIs reads the database as often for a page of many entries as for one, with each of its orders and filters, on both databases."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from bench.api_client import Ask, serve_in_process
from bench.api_filters import fill
from bench.api_history import END, HistorySize, dag_name, fill_history
from bench.api_operations import OWN, V2, ListRequest, list_requests
from tests.conformance.storeworld import raw
from tests.databases import BOTH, new_database
from tests.stored_baselines import put_forecast
from tests.unit.api.api_document import read_document

from gnomon.ground.clock import SystemClock
from gnomon.ground.config import load_config
from gnomon.model.assets import AliasKey, AssetDeclaration, AssetKey
from gnomon.model.baselines import PredictedRun
from gnomon.model.instants import to_datetime
from gnomon.model.quarantine import QuarantinedItem
from gnomon.model.slots import TimetableRef
from gnomon.model.spec import DagSpec, FileInputs, ParsedDag, ParsedFile, TaskSpec
from gnomon.queries.accounts import api_tokens
from gnomon.storage.store import Transaction, load_cipher, open_database
from gnomon.storage.store.alert_records import run_predictions
from gnomon.storage.store.coordination import leases, quarantine
from gnomon.storage.store.parsed_files import dag_files

SIZE = HistorySize(60, 1_200)
SEED = 3
MANY = 12
"""The fewest entries that a list must have, so that a statement for each is seen."""
FURTHER_MAX = 3
"""Statements that a long page may need beside those of a short one: for what only some entries have."""
DAG, RICH = dag_name(8), "rich"
"""A DAG of the history; one with many versions, and with assets, values and mapped instances in its run `r`."""
RUN = f"dags/{RICH}/dagRuns/r"
LISTS = {
    f"{V2}/dags/{{dag_id}}/dagRuns/{{dag_run_id}}/taskInstances/{{task_id}}/xcomEntries": f"{V2}/{RUN}/taskInstances/plain/xcomEntries",
    f"{V2}/dags/{{dag_id}}/dagRuns/{{dag_run_id}}/taskInstances/{{task_id}}/state-store": f"{V2}/{RUN}/taskInstances/plain/state-store",
    f"{V2}/dags/{{dag_id}}/dagRuns/{{dag_run_id}}/taskInstances/{{task_id}}/listMapped": f"{V2}/{RUN}/taskInstances/mapped/listMapped",
    f"{V2}/dags/{{dag_id}}/dagRuns/{{dag_run_id}}/taskInstances": f"{V2}/{RUN}/taskInstances",
    f"{V2}/dags/{{dag_id}}/dagRuns/{{dag_run_id}}/hitlDetails": f"{V2}/dags/~/dagRuns/~/hitlDetails",
    f"{V2}/dags/{{dag_id}}/dagRuns": f"{V2}/dags/{DAG}/dagRuns",
    f"{V2}/dags/{{dag_id}}/dagVersions": f"{V2}/dags/{RICH}/dagVersions",
    f"{V2}/backfills": f"{V2}/backfills?dag_id={dag_name(0)}",
    f"{V2}/assets/{{asset_id}}/state-store": f"{V2}/assets/{{first_asset}}/state-store",
    f"{OWN}/dags/{{dag_id}}/versions": f"{OWN}/dags/{RICH}/versions",
    f"{OWN}/dags/{{dag_id}}/audit": f"{OWN}/dags/{DAG}/audit",
    f"{OWN}/dags/{{dag_id}}/dagRuns": f"{OWN}/dags/~/dagRuns",
    f"{OWN}/dags/{{dag_id}}/taskInstances": f"{OWN}/dags/~/taskInstances",
    f"{OWN}/dags/{{dag_id}}/nextRuns": f"{OWN}/dags/{RICH}/nextRuns",
    f"{OWN}/dags/{{dag_id}}/operations/runs.list": f"{OWN}/dags/{DAG}/operations/runs.list",
    f"{OWN}/failures": f"{OWN}/failures?since={to_datetime(END - 10**14).isoformat().replace('+', '%2B')}",
    f"{OWN}/operations/failures.list": f"{OWN}/operations/failures.list?since={END - 10**14}",
}
"""By path of an operation with a parameter `limit`: what is asked. Of the others the path itself."""
WITHOUT_ROWS = {
    f"{V2}/plugins": "plugins are no rows",
    f"{V2}/providers": "installed packages are no rows",
    f"{OWN}/timeline": "`limit` is of the next runs, and the DAGs have no schedule",
    f"{OWN}/dags/{{dag_id}}/nextRuns": "the DAGs have no schedule",
    f"{OWN}/operations/alerts.list": "nothing is wrong",
    f"{OWN}/operations/alerts.messages": "nothing is wrong",
    f"{V2}/dagWarnings": "no warning of Gnomon has a type of Airflow's",
}
"""Lists that are short here, and why."""


class _Site(NamedTuple):
    ask: Ask
    token: str

    def request(self, path: str, body: dict[str, object] | None = None) -> Any:
        reply = self.ask(self.token, "GET" if body is None else "POST", path, body)
        assert reply.status in (200, 201), (path, reply.status, reply.body[:300])
        return reply.json()


@pytest.fixture(params=BOTH)
def site(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[_Site]:
    """The API over a filled store, as an administrator. The use of the token is recorded once, and not again a minute later within some list."""
    monkeypatch.setattr(api_tokens, "USED_AGAIN_S", 86_400)
    with new_database(request.param, tmp_path) as url:
        cfg = load_config({"GNOMON__DATABASE__SQL_ALCHEMY_CONN": url, "GNOMON_HOME": str(tmp_path)}, tmp_path)
        database = open_database(url, synchronous="OFF", cipher=load_cipher(cfg))
        try:
            tokens = fill_history(database, SIZE)
            with database.write() as tx:
                _add_rich_dag(tx)
                _add_predictions(tx)
                put_forecast(tx, END, [(DAG, f"r{number}", number, number + 5) for number in range(MANY)])
        finally:
            database.close()
        with serve_in_process(url, tmp_path) as ask:
            made = _Site(ask, tokens["admin"])
            _add_values(made)
            yield made


def _add_predictions(tx: Transaction) -> None:
    """Of an ended run of each DAG."""
    now = SystemClock().now()
    rows = raw(
        tx,
        "SELECT d.dag_id, min(r.run_id) FROM dag_run AS r JOIN dag AS d ON d.dag_pk = r.dag_pk "
        "WHERE r.ended_at IS NOT NULL AND r.clear_number = 0 GROUP BY d.dag_id",
    )
    assert len(rows) > MANY
    predicted = [
        PredictedRun(dag_id=dag_id, run_id=run_id, run_type="scheduled", run_after=now, end_p50=END)
        for dag_id, run_id in rows
    ]
    run_predictions.put_predictions(tx, END, [], predicted)


def _add_rich_dag(tx: Transaction) -> None:
    """A DAG with MANY versions and assets, triggers and mapped instances; MANY schedulers."""
    assets = tuple(AssetDeclaration(name=f"asset_{number}", uri=f"s3://asset_{number}") for number in range(MANY))
    outlets = tuple(AssetKey(one.name, one.uri) for one in assets)
    for number in range(MANY):
        tasks = (
            TaskSpec(task_id="plain", outlets=(*outlets, *(AliasKey(f"alias_{n}") for n in range(MANY)))),
            TaskSpec(task_id="mapped"),
            *(TaskSpec(task_id=f"t{n}") for n in range(MANY)),
        )
        spec = DagSpec(
            dag_id=RICH,
            timetable=TimetableRef(path="gnomon.timetables.Null"),
            tasks=tasks,
            assets=assets,
            max_active_runs=number + 1,
        )
        file = ParsedFile(
            path="/dags/rich.py",
            inputs=FileInputs(input_hash=f"{number}"),
            dags=(ParsedDag(spec=spec, spec_hash=f"{number}"),),
        )
        dag_files.record_parsed(tx, file, at=END, paused_by_default=False)
        execute = tx._connection.execute_raw
        if number == 0:
            execute(
                "INSERT INTO dag_run (dag_pk, group_no, run_id, run_type, state, run_after, queued_at, started_at) "
                f"SELECT dag_pk, group_no, 'r', 'manual', 2, {END}, 1, 2 FROM dag WHERE dag_id = '{RICH}'"
            )
            execute(
                "INSERT INTO task_instance (run_pk, task_no, map_index, state, try_number, max_tries, seq, defer_seq, pool_slots, priority, ended_at) "
                "SELECT run_pk, task_no, -1, 100, 1, 1, 1, 0, 1, 1, 9 FROM dag_run JOIN task_name ON task_name.dag_pk = dag_run.dag_pk "
                "WHERE run_id = 'r' AND task_id = 'plain'"
            )
        execute(
            "UPDATE dag_run SET version_pk = (SELECT d.version_pk FROM dag AS d WHERE d.dag_pk = dag_run.dag_pk) WHERE run_id = 'r'"
        )
        leases.register_scheduler(tx, f"scheduler-{number}", "host-1")
        quarantine.add_items(
            tx, [QuarantinedItem(kind="result", group_no=1, reason="no JSON", error_class="ValueError", at=END)]
        )
        execute(
            "INSERT INTO task_instance (run_pk, task_no, map_index, state, try_number, max_tries, seq, defer_seq, pool_slots, priority) "
            f"SELECT run_pk, task_no, {number}, 6, 1, 1, 1, 1, 1, 1 FROM dag_run JOIN task_name ON task_name.dag_pk = dag_run.dag_pk "
            "WHERE run_id = 'r' AND task_id = 'mapped'"
        )
        execute(
            "INSERT INTO trigger (run_pk, task_no, map_index, defer_seq, dag_pk, classpath, kwargs, held_slots, priority, created_at) "
            f"SELECT run_pk, task_no, {number}, 1, dag_run.dag_pk, 'c', '{tx.cipher.encrypt('{}')}', 0, 1, 1 FROM dag_run "
            "JOIN task_name ON task_name.dag_pk = dag_run.dag_pk WHERE run_id = 'r' AND task_id = 'mapped'"
        )


def _add_values(site: _Site) -> None:
    """What the API adds: events of assets, XComs, and values that tasks and assets keep."""
    first = site.request(f"{V2}/assets?limit=100")["assets"]
    for number in range(MANY):
        site.request(f"{V2}/assets/events", {"asset_id": first[number]["id"]})
        site.request(f"{V2}/{RUN}/taskInstances/plain/xcomEntries", {"key": f"key_{number}", "value": number})
        for path in (f"{V2}/{RUN}/taskInstances/plain/state-store", f"{V2}/assets/{first[0]['id']}/state-store"):
            reply = site.ask(site.token, "PUT", f"{path}/key_{number}", {"value": number})
            assert reply.status in (200, 201, 204), reply.body


def _list_operations() -> list[str]:
    """The paths of the operations with a parameter `limit`."""
    return [
        path
        for path, operations in read_document()["paths"].items()
        if any(one["name"] == "limit" for one in operations.get("get", {}).get("parameters", ()))
    ]


def test_every_list_operation_reads_as_often_for_many_entries_as_for_one(site: _Site) -> None:
    first_asset = site.request(f"{V2}/assets?limit=1")["assets"][0]["id"]
    operations = _list_operations()
    assert len(operations) > 35
    assert LISTS.keys() | WITHOUT_ROWS.keys() <= set(operations)
    wrong, short = {}, []
    for operation in operations:
        path = LISTS.get(operation, operation).replace("{first_asset}", str(first_asset))
        assert "{" not in path, f"say in LISTS what is asked of {operation}"
        counts = _count_both(site, ListRequest(path))
        if counts[1] > counts[0] + FURTHER_MAX:
            wrong[operation] = counts
        if (
            operation not in WITHOUT_ROWS
            and _count_entries(site.request(_with_limit(path, 100)))
            < _count_entries(site.request(_with_limit(path, 1))) + MANY - 2
        ):
            short.append(operation)
    assert wrong == {}
    assert short == []


@pytest.mark.parametrize(
    ("site", "share"),
    [
        ("sqlite", 1),
        pytest.param("postgresql", 3, marks=pytest.mark.postgres),
        pytest.param("postgresql", 1, marks=[pytest.mark.postgres, pytest.mark.soak]),
    ],
    indirect=["site"],
)
def test_every_order_and_filter_reads_as_often_for_many_entries_as_for_one(site: _Site, share: int) -> None:
    """Which statements are executed hardly depends on the database: on PostgreSQL one in `share` is asked."""
    run_id = site.request(f"{V2}/dags/{DAG}/dagRuns?limit=1")["dag_runs"][0]["dag_run_id"]
    chance = random.Random(SEED)
    wrong = {}
    requests = [
        one
        for one in list_requests(SIZE, run_id)
        if one.account == "admin" and ("limit=100" in one.path or (one.body or {}).get("page_limit") == 100)
    ]
    assert len(requests) > 300
    for one in requests[::share]:
        counts = _count_both(site, ListRequest(fill(one.path, SIZE, chance), body=one.body))
        if counts[1] > counts[0] + FURTHER_MAX:
            wrong[one.name] = counts
    assert wrong == {}


def _count_both(site: _Site, request: ListRequest) -> tuple[int, int]:
    """The statements for a page of one entry and of 100; what is remembered of an earlier request is filled before."""
    found = []
    for limit in (100, 1, 100):
        body = None if request.body is None else {**request.body, "page_limit": limit}
        with _counted() as names:
            reply = site.ask(
                site.token,
                "GET" if body is None else "POST",
                _with_limit(request.path, limit) if body is None else request.path,
                body,
            )
        assert reply.status in (200, 400, 422, 501), (request.path, reply.status, reply.body[:300])
        found.append(len(names))
    return found[1], found[2]


def _with_limit(path: str, limit: int) -> str:
    if "limit=" in path:
        return re.sub(r"limit=\d+", f"limit={limit}", path)
    return f"{path}{'&' if '?' in path else '?'}limit={limit}"


def _count_entries(answer: Any) -> int:
    """The length of the longest list in the answer."""
    if isinstance(answer, list):
        return len(answer)
    return max((_count_entries(value) for value in answer.values()), default=0) if isinstance(answer, dict) else 0


@contextmanager
def _counted() -> Iterator[list[str]]:
    """The names of the statements that are executed."""
    names: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        for name in ("all", "one", "run", "all_of"):
            patch.setattr(Transaction, name, _record(getattr(Transaction, name), names))
        yield names


def _record(method: Any, names: list[str]) -> Any:
    def execute(tx: Transaction, statement: Any, *args: Any, **kwargs: Any) -> Any:
        names.append(str(statement))
        return method(tx, statement, *args, **kwargs)

    return execute
