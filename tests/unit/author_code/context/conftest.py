"""A run with its context, and a channel that answers from what a test put there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from gnomon.author_code.context import Context, build_context
from gnomon.authoring.sdk.connections import channel as sdk_channel
from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.authoring.sdk.tasks.operator import BaseOperator
from gnomon.ground.config import load_config, set_current_config
from gnomon.model.attempts import Attempt, RunFacts
from gnomon.model.instants import to_instant
from gnomon.model.serde import dumps
from gnomon.model.task_api_requests import GetPreviousRun, GetRunState, GetTaskStates, GetXComs

MONDAY = datetime(2024, 3, 4, tzinfo=UTC)
TUESDAY = datetime(2024, 3, 5, tzinfo=UTC)


@dataclass
class Server:
    """Answers from memory, and remembers what it was asked."""

    xcoms: dict[tuple[str, int, str], object] = field(default_factory=dict)
    previous: RunFacts | None = None
    asked: list[Any] = field(default_factory=list)

    def ask(self, question: Any) -> object:
        self.asked.append(question)
        if isinstance(question, GetXComs):
            return [
                {"task_id": task_id, "map_index": index, "value": dumps(value), "run_id": question.run_id}
                for (task_id, index, key), value in self.xcoms.items()
                if key == question.key
                and (question.task_ids is None or task_id in question.task_ids)
                and (question.map_indexes is None or index in question.map_indexes)
            ]
        if isinstance(question, GetPreviousRun):
            return None if self.previous is None else msgspec.to_builtins(self.previous)
        if isinstance(question, GetRunState):
            return "success"
        assert isinstance(question, GetTaskStates)
        tasks = {"a": "success", "m[0]": "failed", "m[1]": "success", "g.b": None}
        return {
            "r1": {
                name: state
                for name, state in tasks.items()
                if name.startswith(f"{question.group}.") or question.group is None
            }
        }


@pytest.fixture(autouse=True)
def default_options(tmp_path: Path) -> Iterator[Callable[..., None]]:
    def use(**environ: str) -> None:
        set_current_config(load_config(environ, tmp_path))

    use()
    yield use
    set_current_config(None)
    sdk_channel.install_channel(None)


@pytest.fixture
def server() -> Server:
    server = Server()
    sdk_channel.install_channel(server)
    return server


@pytest.fixture
def make(server: Server) -> Callable[..., Context]:
    """`make(schedule=..., params=..., task_params=..., **run facts)` gives the context of one attempt."""

    def context(
        schedule: Any = "0 0 * * *",
        params: dict[str, Any] | None = None,
        task_params: dict[str, Any] | None = None,
        logical_date: datetime | None = MONDAY,
        end: datetime | None = None,
        run_type: str = "scheduled",
        **facts: Any,
    ) -> Context:
        with DAG("d", schedule=schedule, start_date=datetime(2024, 1, 1, tzinfo=UTC), params=params) as dag:
            task = BaseOperator(task_id="t", params=task_params, owner="ada", email=["a@example.org", "b@example.org"])
        at = None if logical_date is None else to_instant(logical_date)
        until = at if end is None else to_instant(end)
        run = RunFacts(
            run_pk=7,
            dag_id="d",
            run_id="r",
            run_type=run_type,
            run_after=until or to_instant(TUESDAY),
            logical_at=at,
            interval_start=at,
            interval_end=until,
            **facts,
        )
        attempt = Attempt(
            attempt_id="u-1", group_no=0, epoch=1, run=run, task_id="t", task_no=0, file="", try_number=2, max_tries=3
        )
        return build_context(task=task, dag=dag, run=run, attempt=attempt, channel=server)

    return context
