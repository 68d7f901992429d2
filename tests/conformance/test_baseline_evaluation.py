"""The monitor and the forecasts of a process: what it stores, whom it tells, and what a fault there leaves alone."""

from __future__ import annotations

import json
from dataclasses import replace

import msgspec
import pytest
from tests.conformance.monitorworld import MonitorWorld, rule
from tests.conformance.storeworld import World

from gnomon.model.baseline_specs import BaselineSpec
from gnomon.model.baselines import BaselineForecast, BaselineLevel, ForecastReport, KeyStep, PredictedRun
from gnomon.model.ids import group_of
from gnomon.model.instants import SECOND, Instant
from gnomon.model.records import RaisedPriority
from gnomon.storage.store.alert_records import baseline_states, run_predictions, stored_baselines
from gnomon.storage.store.coordination import mailbox
from gnomon.storage.store.ownership import group_state

MORNING = BaselineSpec(name="morning", of=("report",), by="07:00", place="gnomon.toml, line 1")
RULES = (rule("baseline_at_risk", "baseline_broken", "on_key_path_failed", "on_key_path_slow"),)


class Forecaster:
    """Stands for the process: what it says is set by the test."""

    limit_s = 60.0

    def __init__(self, world: MonitorWorld) -> None:
        self.world = world
        self.due_at: Instant = world.clock.now() + 3_600 * SECOND
        self.started = self.closed = 0
        self.answer: bytes | None = None
        self.fields: dict[str, object] = {}
        self.run_id = "r"
        self.run: dict[str, Instant] = {}
        self.specs: tuple[BaselineSpec, ...] = (MORNING,)
        self.is_ended = True

    def __call__(self) -> Forecaster:
        self.started += 1
        return self

    def poll(self) -> int | None:
        return 0 if self.is_ended else None

    def read(self) -> tuple[bytes, str]:
        if self.answer is not None:
            return self.answer, "it is broken"
        now = self.world.clock.now()
        given = {"samples": 50, "end_p50": self.due_at - 600 * SECOND, "end_p90": self.due_at, **self.fields}
        forecast = BaselineForecast(due_at=self.due_at, at=now, **given)  # type: ignore[arg-type]
        times = {"run_after": now, "end_p50": now, **self.run}
        run = PredictedRun(dag_id="report", run_id=self.run_id, run_type="scheduled", **times)
        report = ForecastReport(
            at=now,
            until=self.due_at,
            samples=50,
            runs=(run,),
            specs=self.specs,
            baselines=(("morning", forecast),) if self.specs else (),
        )
        return msgspec.json.encode(report), ""

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def world(world: World) -> MonitorWorld:
    return MonitorWorld(world)


def stands(world: MonitorWorld) -> list[tuple[str, BaselineLevel]]:
    with world.world.db.read() as tx:
        return [(record.baseline, record.level) for record in baseline_states.list_states(tx, 0)]


def test_each_change_of_a_level_is_told_once_and_stored(world: MonitorWorld) -> None:
    process = Forecaster(world)
    with world.monitor(
        *RULES, start_forecast=process, baselines=(MORNING,), forecast_interval_s=10.0, group_wait_s=0.0
    ) as service:
        world.let(service, 15)
        assert stands(world) == [("morning", BaselineLevel.SAFE)]
        assert world.sentences() == []
        for breach in (0.3, 0.4, 0.15, 0.99, 0.99):
            process.fields = {"breach": breach}
            world.let(service, 15)
        assert stands(world) == [("morning", BaselineLevel.CERTAIN_BREACH)]
        world.let(service, 400)
        process.fields = {"breach": 0.0}
        world.let(service, 400)
    told = [sentence.partition(":")[0] for sentence in world.sentences()]
    due = "2023-11-14T23:13:20.000000+00"
    assert told[0].startswith(f"baseline 'morning' of {due[:13]}")
    assert [("is at risk" in each, "will be broken" in each, "is safe" in each) for each in world.sentences()] == [
        (True, False, False),
        (False, True, False),
        (False, False, True),
    ]
    assert [each.startswith("+") for each in world.sentences()] == [False, False, True]
    assert len(world.audit("baseline_level_changed")) == 4
    with world.world.db.read() as tx:
        predictions = baseline_states.list_predictions(tx, "morning", process.due_at)
        report = baseline_states.find_forecast(tx)
    assert [each.breach for each in predictions][:4] == [0.0, 0.3, 0.4, 0.15]
    assert report is not None and report.runs[0].dag_id == "report"


def test_the_prediction_an_hour_before_a_run_and_the_first_one_after_its_start_are_kept(world: MonitorWorld) -> None:
    process = Forecaster(world)
    world.world.dag("report")
    ended = world.start("report")
    begins_at = world.clock.now() + 2 * 3_600 * SECOND
    with world.monitor(start_forecast=process, baselines=(MORNING,), forecast_interval_s=600.0) as service:
        for _ in range(30):
            process.run = {"run_after": begins_at, "start_p50": begins_at, "end_p50": begins_at + 60 * SECOND}
            process.run_id = ended.run_id
            world.let(service, 300)
    world.succeed(ended)
    with world.world.db.read() as tx:
        predictions = {each.basis: each for each in run_predictions.list_judged(tx, 0)}
    assert predictions.keys() == {"before", "start"}
    before_s, start_s = ((predictions[basis].predicted_at - begins_at) / SECOND for basis in ("before", "start"))
    assert -3_600 - 700 <= before_s <= -3_600
    assert 0 < start_s <= 700


def test_a_step_that_fails_is_told_and_told_again_when_it_is_over(world: MonitorWorld) -> None:
    process = Forecaster(world)
    now = world.clock.now()
    step = KeyStep(dag_id="orders", run_id="r", task="load", start=now, end=now + SECOND, trouble="failed")
    with world.monitor(
        *RULES,
        start_forecast=process,
        baselines=(MORNING,),
        forecast_interval_s=10.0,
        group_wait_s=0.0,
        group_interval_s=1.0,
    ) as service:
        process.fields = {"key_path": (step,)}
        world.let(service, 40)
        process.fields = {}
        world.let(service, 40)
    first, second = world.sentences()
    assert first.startswith("'load' of DAG orders, on the key path of baseline 'morning', has failed")
    assert second == f"+no longer: {first}"


def test_an_end_after_the_due_time_is_broken_and_final(world: MonitorWorld) -> None:
    process = Forecaster(world)
    with world.monitor(*RULES, start_forecast=process, baselines=(MORNING,), forecast_interval_s=10.0) as service:
        process.fields = {"breach": 1.0, "ended_at": process.due_at + 90 * SECOND}
        world.let(service, 15)
    with world.world.db.read() as tx:
        (record,) = baseline_states.list_states_of(tx, "morning", 5)
    assert (record.level, record.is_final) == (BaselineLevel.BROKEN, True)


def test_without_a_baseline_no_process_starts(world: MonitorWorld) -> None:
    process = Forecaster(world)
    with world.monitor(*RULES, start_forecast=process, forecast_interval_s=1.0) as service:
        world.let(service, 100)
    assert process.started == 0


def test_a_process_that_breaks_or_hangs_is_ended_and_alerts_go_on(world: MonitorWorld) -> None:
    process = Forecaster(world)
    world.world.dag()
    with world.monitor(
        *RULES,
        rule("failure", name="f"),
        start_forecast=process,
        baselines=(MORNING,),
        forecast_interval_s=10.0,
        group_wait_s=0.0,
    ) as service:
        process.answer = b"{"
        world.let(service, 30)
        process.answer = msgspec.json.encode(
            {"at": 1, "until": 2, "baselines": [["morning", {"due_at": "x", "at": 1}]]}
        )
        world.let(service, 30)
        process.is_ended = False
        world.let(service, 200)
        world.fail(world.start("d"))
        world.let(service, 30)
    assert stands(world) == []
    assert any("failed" in sentence for sentence in world.sentences())
    assert process.started >= 3
    assert process.closed >= process.started


def test_a_baseline_that_is_gone_is_judged_no_longer(world: MonitorWorld) -> None:
    process = Forecaster(world)
    with world.monitor(
        *RULES,
        start_forecast=process,
        forecasts_always=True,
        forecast_interval_s=10.0,
        group_wait_s=0.0,
        group_interval_s=1.0,
    ) as service:
        process.fields = {"breach": 0.5}
        world.let(service, 40)
        process.specs = ()
        world.let(service, 60)
    assert [sentence.startswith("+") for sentence in world.sentences()] == [False, True]


def store(world: MonitorWorld, spec: BaselineSpec | None) -> None:
    """As a user changes it."""
    with world.world.db.write() as tx:
        assert stored_baselines.add_version(tx, "morning", spec, world.clock.now(), "api:ann")


def read_stored(world: MonitorWorld) -> tuple[BaselineSpec, ...]:
    with world.world.db.read() as tx:
        return tuple(stored_baselines.list_specs(tx))


def test_a_stored_baseline_starts_a_forecast_without_a_restart_and_a_change_the_next_one(world: MonitorWorld) -> None:
    process = Forecaster(world)
    with world.monitor(*RULES, start_forecast=process, forecast_interval_s=10_000.0) as service:
        world.let(service, 20)
        assert process.started == 0
        store(world, MORNING)
        process.specs = read_stored(world)
        world.let(service, 5)
        assert (process.started, stands(world)) == (1, [("morning", BaselineLevel.SAFE)])
        store(world, replace(MORNING, owner="ann"))
        world.let(service, 5)
        assert process.started == 2
        world.let(service, 20)
        assert process.started == 2


def test_a_report_from_before_a_change_is_not_applied(world: MonitorWorld) -> None:
    process = Forecaster(world)
    with world.monitor(*RULES, start_forecast=process, forecast_interval_s=10.0) as service:
        store(world, MORNING)
        process.specs = read_stored(world)
        process.is_ended = False
        world.let(service, 5)
        store(world, None)
        process.is_ended = True
        world.let(service, 30)
    assert process.started >= 1 and stands(world) == []


def test_a_coming_due_time_that_a_changed_file_has_no_longer_goes(world: MonitorWorld) -> None:
    process = Forecaster(world)
    with world.monitor(*RULES, start_forecast=process, baselines=(MORNING,), forecast_interval_s=10.0) as service:
        world.let(service, 15)
        process.due_at += 600 * SECOND
        world.let(service, 60)
    with world.world.db.read() as tx:
        assert [record.due_at for record in baseline_states.list_states_of(tx, "morning", 9)] == [process.due_at]


def test_channels_of_a_baseline_are_told_without_a_rule(world: MonitorWorld) -> None:
    process = Forecaster(world)
    process.specs = (replace(MORNING, to=("ops", "missing")),)
    with world.monitor(
        start_forecast=process,
        baselines=process.specs,
        forecast_interval_s=10.0,
        group_wait_s=0.0,
        group_interval_s=1.0,
    ) as service:
        process.fields = {"breach": 0.5}
        world.let(service, 40)
        process.fields = {"breach": 0.0}
        world.let(service, 60)
    assert [sentence.startswith("+") for sentence in world.sentences()] == [False, True]
    assert {name for name, _ in world.sent} == {"ops"}


def test_a_raised_priority_is_told_to_the_owner_of_each_dag_and_read_at_a_take_over(world: MonitorWorld) -> None:
    """The DAGs belong to different groups, which different schedulers may own."""
    process = Forecaster(world)
    process.specs = (replace(MORNING, priority=(10, 20)),)
    records = [world.world.dag(name) for name in ("orders", "report")]
    groups = sorted({group_of(name) for name in ("orders", "report")})
    assert len(groups) == len(records)
    now = world.clock.now()
    steps = tuple(
        KeyStep(dag_id=dag_id, run_id="r", task="load", start=now + 9_000 * SECOND, end=now + 9_100 * SECOND)
        for dag_id in ("orders", "report")
    )
    with world.monitor(start_forecast=process, baselines=process.specs, forecast_interval_s=10.0) as service:
        process.fields = {"breach": 1.0, "key_path": steps}
        world.let(service, 15)
        with world.world.db.read() as tx:
            mail = [
                message for message in mailbox.read_messages(tx, groups, 100) if message.kind == "priorities_raised"
            ]
            state = group_state.load_groups(tx, groups)
        assert [json.loads(message.body) for message in mail] == [
            {"dag_id": dag_id, "tasks": [["r", "load", 20, "morning"]]} for dag_id in ("orders", "report")
        ]
        raised = {("r", "load"): RaisedPriority(20, "morning")}
        assert state.raised_priorities == {"orders": raised, "report": raised}
        world.let(service, 60)
        assert len(world.audit("priority_raised")) == 2  # once for each DAG, however often it is judged
        process.fields = {"ended_at": process.due_at}
        world.let(service, 15)
    with world.world.db.read() as tx:
        assert group_state.load_groups(tx, groups).raised_priorities == {}
    assert len(world.audit("priority_restored")) == 2
