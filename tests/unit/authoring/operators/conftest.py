"""What operators need to run: a DAG, a channel that remembers, a context."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from gnomon.author_code.context import build_context
from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.ground.config import load_config, set_current_config
from gnomon.model.attempts import Attempt, RunFacts
from gnomon.model.instants import to_instant

MONDAY = datetime(2024, 3, 4, tzinfo=UTC)


class Nobody:
    """A channel on which nothing may be asked."""

    def ask(self, question: object) -> object:
        raise AssertionError(f"asked {question!r}")


@pytest.fixture(autouse=True)
def default_options(tmp_path: Path) -> Iterator[None]:
    set_current_config(load_config({}, tmp_path))
    yield
    set_current_config(None)


@pytest.fixture
def dag() -> Iterator[DAG]:
    with DAG("made_here", schedule="@daily", start_date=MONDAY) as dag:
        yield dag


@pytest.fixture
def context_of() -> Callable[..., Any]:
    def make(task: Any, logical_date: datetime | None = MONDAY, run_type: str = "scheduled") -> Any:
        at = None if logical_date is None else to_instant(logical_date)
        run = RunFacts(
            run_pk=1,
            dag_id=task.dag_id,
            run_id="r",
            run_type=run_type,
            run_after=at or 0,
            logical_at=at,
            interval_start=at,
            interval_end=at,
        )
        attempt = Attempt(attempt_id="a", group_no=0, epoch=1, run=run, task_id=task.task_id, task_no=0, file="")
        return build_context(task=task, dag=task.dag, run=run, attempt=attempt, channel=Nobody())

    return make


@pytest.fixture
def execute(context_of: Callable[..., Any]) -> Callable[..., Any]:
    """Renders a copy of the task and gives what its execute returns."""

    def run(task: Any, **kwargs: Any) -> Any:
        copy = task.prepare_for_execution()
        context = context_of(copy, **kwargs)
        copy.render_template_fields(context)
        return copy.execute(context)

    return run
