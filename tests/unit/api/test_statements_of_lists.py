"""A list reads the database as often for a page of many entries as for one: the lists of task instances and of DAGs."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from tests.unit.api.served import Client
from tests.unit.entry.cli.deployment import Deployment, spec_of

from gnomon.model.spec import ParseFailure, TaskSpec
from gnomon.storage.store import Transaction

MANY = 30
PATHS = (
    "/api/v2/dags/~/dagRuns/~/taskInstances",
    "/api/v2/dags/wide/dagRuns/r/taskInstances",
    "/api/v2/dags",
    "/api/gnomon/v1/dags",
    "/api/v2/importErrors",
    "/api/v2/eventLogs",
)


def test_a_list_takes_no_statement_for_each_entry(api: Client, deployment: Deployment) -> None:
    wide = spec_of("wide", tasks=tuple(TaskSpec(task_id=f"task_{number}") for number in range(MANY)))
    others = [spec_of(f"dag_{number}", tags=(f"tag_{number}",)) for number in range(MANY)]
    deployment.add(
        wide, *others, failures=tuple(ParseFailure(kind="syntax", message=f"{number}") for number in range(MANY))
    )
    deployment.start()
    api.send("POST", "/dags/wide/dagRuns", {"logical_date": None, "dag_run_id": "r"})
    deployment.move(20)
    instances = api.get("/dags/~/dagRuns/~/taskInstances?limit=100")["task_instances"]
    assert {(one["state"], one["hostname"]) for one in instances} == {("success", "scripted")}
    assert len(instances) == MANY
    counts = {
        path: (_count_statements(api, f"{path}?limit=1"), _count_statements(api, f"{path}?limit=100")) for path in PATHS
    }
    assert {path: count for path, count in counts.items() if count[1] > count[0] + 3} == {}
    assert all(few for few, _ in counts.values())


def _count_statements(api: Client, path: str) -> int:
    """The statements of the second of two requests: the first one fills what is remembered."""
    assert api.request("GET", path).status == 200
    with _counted() as names:
        api.request("GET", path)
    return len(names)


@contextmanager
def _counted() -> Iterator[list[str]]:
    """The names of the statements that threads other than this one execute."""
    names: list[str] = []
    here = threading.get_ident()
    with pytest.MonkeyPatch.context() as patch:
        for name in ("all", "one", "run", "all_of"):
            patch.setattr(Transaction, name, _record(getattr(Transaction, name), names, here))
        yield names


def _record(method: Any, names: list[str], here: int) -> Any:
    def execute(tx: Transaction, statement: Any, *args: Any, **kwargs: Any) -> Any:
        if threading.get_ident() != here:
            names.append(str(statement))
        return method(tx, statement, *args, **kwargs)

    return execute
