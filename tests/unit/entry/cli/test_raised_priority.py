"""A baseline at risk lets the tasks of its key path go first: in a pool, between pools, in a projection, and in the words of `explain` and the audit log."""

from __future__ import annotations

import json
from dataclasses import replace as replace_record

import pytest
from msgspec.structs import replace
from tests.unit.entry.cli.conftest import Gnomon
from tests.unit.entry.cli.deployment import Deployment, spec_of

from gnomon.entry.projection.forecast import forecast
from gnomon.entry.projection.snapshot import read_snapshot
from gnomon.model.baseline_specs import BaselineSpec
from gnomon.model.baselines import BaselineForecast, ForecastReport, KeyStep
from gnomon.model.instants import SECOND
from gnomon.model.sentences import render
from gnomon.services.monitor.baseline_evaluation import BaselineEvaluation
from gnomon.services.monitor.settings import MonitorSettings
from gnomon.services.scheduler.settings import build_scheduler_settings
from gnomon.storage.store.dag_records.event_log import list_events
from gnomon.testing import Play

PROMISE = BaselineSpec(name="morning", of=("c",), by="07:00", priority=(40, 80))


class Case:
    """Four DAGs of one task each, in a pool of one slot; a run of `first` holds it, and runs of `a`, `b` and `c` wait in this order."""

    def __init__(self, gnomon: Gnomon, deployment: Deployment, **pools: str) -> None:
        self.gnomon, self.deployment = gnomon, deployment
        gnomon("pools", "set", "etl", "1", "narrow")
        gnomon("pools", "set", "other", "1", "narrow")
        specs = [spec_of(name) for name in ("first", "a", "b", "c")]
        deployment.add(
            *(replace(spec, tasks=(replace(spec.tasks[0], pool=pools.get(spec.dag_id, "etl")),)) for spec in specs)
        )
        deployment.plays["only"] = Play(run_s=100)
        deployment.start()
        for name in ("first", "a", "b", "c"):
            assert gnomon("dags", "trigger", name, "--run-id", "r").code == 0
            deployment.move(2)
        self.monitor = BaselineEvaluation(MonitorSettings(), lambda: None)  # type: ignore[arg-type, return-value]

    def judge(self, spec: BaselineSpec = PROMISE, *, is_over: bool = False) -> None:
        """The monitor stores a forecast in which the baseline will be late, or is done."""
        now = self.deployment.clock.now()
        due_at = 1_772_355_600_000_000 + 10_000 * SECOND
        step = KeyStep(dag_id="c", run_id="r", task="only", start=now + 300 * SECOND, end=now + 400 * SECOND)
        judged = BaselineForecast(
            due_at=due_at, at=now, samples=50, breach=1.0, key_path=(step,), ended_at=now if is_over else None
        )
        report = ForecastReport(at=now, until=due_at, specs=(spec,), baselines=((spec.name, judged),))
        with self.deployment.db.write() as tx:
            self.monitor.store(tx, report, now)
        self.deployment.move(10)

    def explain(self, name: str) -> str:
        return self.gnomon("explain", name, "r", "only").out

    def audit(self, kind: str) -> list[dict[str, object]]:
        with self.deployment.db.read() as tx:
            return [json.loads(event.body) for event in list_events(tx) if event.kind == kind]


def test_a_raised_task_goes_first_in_its_pool(gnomon: Gnomon, deployment: Deployment) -> None:
    case = Case(gnomon, deployment)
    assert case.explain("c") == "pool etl is full: 1 of 1 slots are used and it needs 1\n"
    case.judge()
    assert case.explain("c") == (
        "pool etl is full: 1 of 1 slots are used and it needs 1; its priority is 80 instead of 1, as it is on the key path of baseline 'morning'\n"
    )
    snapshot = read_snapshot(deployment.db, deployment.clock.now())
    settings = build_scheduler_settings(deployment.home.cfg)
    settings = replace_record(settings, limits=replace_record(settings.limits, executors=None))
    answer = forecast(snapshot, settings, deployment.clock.now() + 3600 * SECOND, samples=1)
    starts = {row.dag_id: row.end_p50 or 0 for row in answer.rows}
    assert starts["first"] < starts["c"] < starts["a"] < starts["b"]
    assert "those that will be raised later are not projected" in " ".join(map(render, answer.assumptions))
    deployment.move(100)
    assert "pool etl" not in case.explain("c") and "pool etl is full" in case.explain("a")


def test_another_owner_has_it_too_and_the_end_of_the_due_time_restores_it(
    gnomon: Gnomon, deployment: Deployment
) -> None:
    case = Case(gnomon, deployment)
    case.judge()
    deployment.start()  # another scheduler object takes all groups over
    deployment.move(110)
    assert "pool etl" not in case.explain("c") and "pool etl is full" in case.explain("a")
    case.judge(is_over=True)
    assert "baseline" not in case.explain("a") + case.explain("c")
    raised, restored = case.audit("priority_raised"), case.audit("priority_restored")
    assert (
        raised
        == restored
        == [{"baseline": "morning", "dag_id": "c", "tasks": [{"run_id": "r", "task_id": "only", "priority": 80}]}]
    )


def test_without_the_option_no_priority_is_raised(gnomon: Gnomon, deployment: Deployment) -> None:
    case = Case(gnomon, deployment)
    case.judge(replace_record(PROMISE, priority=None))
    assert "baseline" not in case.explain("a") + case.explain("c")
    assert case.audit("priority_raised") == []


def test_a_due_time_that_is_never_met_restores_the_priority_after_two_days(
    gnomon: Gnomon, deployment: Deployment
) -> None:
    case = Case(gnomon, deployment)
    case.judge()
    for days, is_raised in ((1, True), (3, False)):
        now = deployment.clock.now() + days * 86_400 * SECOND
        with deployment.db.write() as tx:
            case.monitor.store(tx, ForecastReport(at=now, until=now, specs=(PROMISE,)), now)
        deployment.move(10)
        assert ("baseline" in case.explain("c")) == is_raised


def test_an_option_that_is_taken_away_restores_the_priority(gnomon: Gnomon, deployment: Deployment) -> None:
    case = Case(gnomon, deployment)
    case.judge()
    case.judge(replace_record(PROMISE, priority=None))
    assert "baseline" not in case.explain("a") + case.explain("c")
    assert len(case.audit("priority_restored")) == 1


@pytest.mark.parametrize("text", ["9,1", "-5", "high", "1-2-x", "9" * 5000])
def test_a_priority_that_is_no_weight_is_refused_as_it_was_written(gnomon: Gnomon, text: str) -> None:
    code, out, err = gnomon("baselines", "create", "x", "--of", "a", "--by", "07:00", f"--priority={text}")
    assert (code, out) == (1, "")
    assert err.startswith(f"gnomon: --priority '{text[:100]}' is not a weight such as 100, or the least and the most")
