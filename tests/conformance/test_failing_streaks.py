"""A DAG that fails again and again has one open alert for each rule, which counts its runs, on both databases."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.conformance.monitorworld import MonitorWorld, rule
from tests.conformance.storeworld import AT, World

from gnomon.model.alerts import AlertRecord
from gnomon.model.records import RunRecord
from gnomon.storage.store.alert_records import alerts

SOON = {"group_wait_s": 0.0, "group_interval_s": 0.0}


@pytest.fixture
def deployment(world: World) -> MonitorWorld:
    return MonitorWorld(world)


def start_at(deployment: MonitorWorld, place: int, dag_id: str = "d") -> RunRecord:
    """A running run at a place in the order of runs."""
    run = deployment.start(dag_id)
    with deployment.world.db.write() as tx:
        tx._connection.execute_raw(f"UPDATE dag_run SET run_after = {AT + place} WHERE run_pk = {run.run_pk}")
    return replace(run, run_after=AT + place)


def open_alerts(deployment: MonitorWorld) -> list[AlertRecord]:
    with deployment.world.db.read() as tx:
        return alerts.list_open_alerts(tx)


def test_a_streak_has_one_open_alert_and_a_message_for_each_failure_and_one_success_resolves_it(
    deployment: MonitorWorld,
) -> None:
    deployment.world.dag()
    deployment.world.dag("other")
    with deployment.monitor(rule("failure"), rule("failure", name="second"), **SOON) as monitor:
        deployment.round(monitor)
        deployment.fail(start_at(deployment, 1, "other"))
        runs = []
        for place in range(1, 6):
            runs.append(deployment.fail(start_at(deployment, place)))
            deployment.let(monitor, 12)
        found = [alert for alert in open_alerts(deployment) if alert.item.dag_id == "d"]
        assert [(alert.rule, alert.run_pk, alert.item.failed_runs) for alert in found] == [
            ("r", runs[-1].run_pk, 5),
            ("second", runs[-1].run_pk, 5),
        ]
        assert [sentence.split()[3] for sentence in deployment.sentences() if "DAG d:" in sentence] == [
            run.run_id for run in runs
        ], "the message about both rules has it once"
        assert len(deployment.audit("alert_raised")) == 12
        deployment.succeed(start_at(deployment, 6))
        deployment.let(monitor, 20)
        assert [alert.item.dag_id for alert in open_alerts(deployment)] == ["other", "other"]
        resolved = [sentence for sentence in deployment.sentences() if sentence.startswith("+")]
        assert resolved == [f"+DAG d: run {runs[-1].run_id} had failed; a later run has succeeded; 5 runs had failed"]
        deployment.fail(start_at(deployment, 7))
        deployment.let(monitor, 12)
        assert [alert.item.failed_runs for alert in open_alerts(deployment) if alert.item.dag_id == "d"] == [1, 1]


def test_failures_of_one_round_are_one_alert_that_counts_them(deployment: MonitorWorld) -> None:
    deployment.world.dag()
    with deployment.monitor(rule("failure")) as monitor:
        deployment.round(monitor)
        for place in range(70):
            deployment.fail(start_at(deployment, place))
        deployment.let(monitor, 12)
        (alert,) = open_alerts(deployment)
        ((_, delivery),) = deployment.sent
    assert alert.item.failed_runs == delivery.body.count == 70, "the message counts all, as before"
    assert [item.failed_runs for item in delivery.body.items[:3]] == [1, 2, 3]


def test_an_earlier_run_that_fails_later_does_not_make_a_success_between_them_resolve_the_alert(
    deployment: MonitorWorld,
) -> None:
    deployment.world.dag()
    with deployment.monitor(rule("failure"), **SOON) as monitor:
        deployment.round(monitor)
        late = deployment.fail(start_at(deployment, 5))
        deployment.let(monitor, 12)
        early = deployment.fail(start_at(deployment, 1))
        deployment.let(monitor, 12)
        assert f"DAG d: run {early.run_id} failed" in deployment.sentences()[1]
        deployment.succeed(start_at(deployment, 3))
        deployment.let(monitor, 12)
        (alert,) = open_alerts(deployment)
        assert (alert.run_pk, alert.item.run_id, alert.item.failed_runs) == (late.run_pk, late.run_id, 2)
        deployment.succeed(late)
        deployment.let(monitor, 12)
        assert open_alerts(deployment) == []


def test_a_cleared_run_that_fails_again_is_counted_once_and_told_again(deployment: MonitorWorld) -> None:
    deployment.world.dag()
    with deployment.monitor(rule("failure"), **SOON) as monitor:
        deployment.round(monitor)
        run = deployment.fail(start_at(deployment, 1))
        deployment.let(monitor, 12)
        deployment.fail(replace(run, clear_number=1))
        deployment.let(monitor, 12)
        (alert,) = open_alerts(deployment)
    assert alert.item.failed_runs == 1
    assert len(deployment.sent) == 2


def test_a_run_that_fails_in_the_round_in_which_an_earlier_failure_is_resolved_has_an_open_alert(
    deployment: MonitorWorld,
) -> None:
    deployment.world.dag()
    with deployment.monitor(rule("failure"), **SOON) as monitor:
        deployment.round(monitor)
        deployment.fail(start_at(deployment, 1))
        deployment.let(monitor, 12)
        deployment.succeed(start_at(deployment, 2))
        newest = deployment.fail(start_at(deployment, 3))
        deployment.let(monitor, 20)
        (alert,) = open_alerts(deployment)
    assert (alert.run_pk, alert.item.failed_runs) in {(newest.run_pk, 1), (newest.run_pk, 2)}
    assert len([sentence for sentence in deployment.sentences() if not sentence.startswith("+")]) == 2
