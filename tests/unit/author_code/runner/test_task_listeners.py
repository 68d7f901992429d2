"""Listeners of task instances are called by the attempt; none of them changes its outcome."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gnomon.author_code.loading import listeners
from gnomon.author_code.loading.hooks import LISTENER_MARK
from gnomon.author_code.runner import run_attempt
from gnomon.authoring.operators.python import PythonOperator
from gnomon.authoring.sdk import DAG
from gnomon.authoring.sdk.assets import Asset, AssetAlias
from gnomon.authoring.sdk.assets.emitted_event import EmittedAssetEvent
from gnomon.authoring.sdk.connections.channel import install_channel
from gnomon.ground.config import load_config, set_current_config
from gnomon.model.attempts import Attempt, AttemptResult, RunFacts
from gnomon.model.errors.authoring import AirflowSkipException
from gnomon.model.task_api_requests import GetRunRemarks


class Silent:
    def ask(self, question: object) -> object:
        return None


class Watch:
    def __init__(self) -> None:
        self.seen: list[tuple[str, str, str, str]] = []

    @LISTENER_MARK
    def on_task_instance_running(self, previous_state: Any, task_instance: Any) -> None:
        self.seen.append(("running", previous_state.value, str(task_instance.state.value), ""))

    @LISTENER_MARK
    def on_task_instance_success(self, previous_state: Any, task_instance: Any) -> None:
        self.seen.append(("success", previous_state.value, task_instance.state.value, ""))
        raise SystemExit(3)

    @LISTENER_MARK
    def on_task_instance_failed(self, previous_state: Any, task_instance: Any, error: Any) -> None:
        self.seen.append(("failed", previous_state.value, task_instance.state.value, str(error)))

    @LISTENER_MARK
    def on_task_instance_skipped(self, previous_state: Any, task_instance: Any) -> None:
        self.seen.append(("skipped", previous_state.value, task_instance.state.value, ""))


@pytest.fixture
def watch(tmp_path: Path) -> Iterator[Watch]:
    set_current_config(load_config({}, tmp_path))
    made = Watch()
    listeners.get_listener_manager().add_listener(made)
    yield made
    listeners.forget_listeners()
    install_channel(None)


def run(function: Callable[[], object], **fields: Any) -> AttemptResult:
    dag = DAG("d", schedule=None)
    PythonOperator(task_id="t", python_callable=function, dag=dag)
    facts = RunFacts(run_pk=7, dag_id="d", run_id="r", run_type="manual", run_after=0, logical_at=0)
    return run_attempt(
        dag,
        Attempt(attempt_id="a", group_no=3, epoch=1, run=facts, task_id="t", task_no=5, file="/d.py", **fields),
        Silent(),
    )


def _fail() -> None:
    raise ValueError("no rows")


def _skip() -> None:
    raise AirflowSkipException("nothing to do")


@pytest.mark.parametrize(
    ("function", "fields", "last", "outcome"),
    [
        (lambda: 1, {}, ("success", "running", "success", ""), "success"),
        (_fail, {}, ("failed", "running", "failed", "no rows"), "failed"),
        (_fail, {"max_tries": 1}, ("failed", "running", "up_for_retry", "no rows"), "failed"),
        (_skip, {}, ("skipped", "running", "skipped", ""), "skipped"),
    ],
)
def test_listeners_see_the_start_and_the_end(
    watch: Watch, function: Any, fields: dict[str, Any], last: tuple[str, ...], outcome: str
) -> None:
    assert run(function, calls_listeners=True, **fields).outcome == outcome
    assert watch.seen == [("running", "queued", "running", ""), last]


def test_an_attempt_of_a_dag_without_listeners_calls_none(watch: Watch) -> None:
    run(lambda: 1)
    assert watch.seen == []


class WatchAssets:
    def __init__(self) -> None:
        self.seen: list[object] = []

    @LISTENER_MARK
    def on_starting(self, component: object) -> None:
        self.seen.append(("starting", type(component).__name__))

    @LISTENER_MARK
    def before_stopping(self, component: object) -> None:
        self.seen.append(("stopping", type(component).__name__))

    @LISTENER_MARK
    def on_asset_changed(self, asset: Asset) -> None:
        self.seen.append((asset.name, asset.group))
        raise ValueError("a listener that fails")

    @LISTENER_MARK
    def on_asset_event_emitted(self, asset_event: EmittedAssetEvent) -> None:
        self.seen.append(
            (
                asset_event.asset.name,
                asset_event.extra,
                asset_event.source_task_id,
                [alias.name for alias in asset_event.source_aliases],
            )
        )


def _emit(*, outlet_events: Any) -> None:
    outlet_events[AssetAlias("daily")].add(Asset("added"), extra={"day": 1})


@pytest.mark.parametrize("fails", [False, True])
def test_listeners_of_assets_see_the_events_of_a_success_only(watch: Watch, fails: bool) -> None:
    seen = WatchAssets()
    listeners.get_listener_manager().add_listener(seen)
    dag = DAG("d", schedule=None)
    outlets = [Asset("orders", group="sales"), AssetAlias("daily")]
    PythonOperator(task_id="t", python_callable=_fail if fails else _emit, outlets=outlets, dag=dag)
    facts = RunFacts(run_pk=7, dag_id="d", run_id="r", run_type="manual", run_after=0, logical_at=0)
    attempt = Attempt(
        attempt_id="a", group_no=3, epoch=1, run=facts, task_id="t", task_no=5, file="/d.py", calls_listeners=True
    )
    result = run_attempt(dag, attempt, Silent())
    assert result.outcome == ("failed" if fails else "success")
    events = (
        []
        if fails
        else [
            ("orders", "sales"),
            ("orders", {}, "t", []),
            ("added", "asset"),
            ("added", {"day": 1}, "t", ["daily"]),
        ]
    )
    assert seen.seen == [("starting", "TaskRunnerMarker"), *events, ("stopping", "TaskRunnerMarker")]


class Remarks:
    """Answers as the server does, and counts."""

    def __init__(self) -> None:
        self.asked = 0

    def ask(self, question: object) -> object:
        if isinstance(question, GetRunRemarks):
            self.asked += 1
            return {"note": "late again", "triggering_user_name": "ann"}
        return None


class Gone:
    def ask(self, question: object) -> object:
        raise RuntimeError("a fork cannot ask")


class Forks:
    """As OpenLineage's listener: a fork looks at the run, and has no connection."""

    def __init__(self) -> None:
        self.seen: list[tuple[str | None, str | None]] = []

    @LISTENER_MARK
    def on_task_instance_running(self, previous_state: Any, task_instance: Any) -> None:
        former = install_channel(Gone())
        run = task_instance.dag_run
        self.seen.append((run.note, run.triggering_user_name))
        install_channel(former)


def test_a_listener_knows_the_note_of_the_run_where_it_cannot_ask_and_nobody_asks_without_listeners(
    tmp_path: Path,
) -> None:
    set_current_config(load_config({}, tmp_path))
    listener, server = Forks(), Remarks()
    try:
        for listens in (False, True):
            if listens:
                listeners.get_listener_manager().add_listener(listener)
            before = server.asked
            install_channel(server)
            dag = DAG("d", schedule=None)
            PythonOperator(task_id="t", python_callable=int, dag=dag)
            facts = RunFacts(run_pk=7, dag_id="d", run_id="r", run_type="manual", run_after=0, logical_at=0)
            attempt = Attempt(
                attempt_id="a",
                group_no=3,
                epoch=1,
                run=facts,
                task_id="t",
                task_no=5,
                file="/d.py",
                calls_listeners=listens,
            )
            assert run_attempt(dag, attempt, server).outcome == "success"
            assert server.asked - before == int(listens)
        assert listener.seen == [("late again", "ann")]
    finally:
        listeners.forget_listeners()
        install_channel(None)
        set_current_config(None)
