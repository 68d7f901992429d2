"""Traces of ended runs: each once, in order, with the ids that tasks were given; a collector that is away or hangs holds nothing."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from tests.databases import BOTH, create_schema, new_database
from tests.otlp_receiver import OtlpReceiver, receiving
from tests.patience import PATIENCE_S
from tests.unit.entry.cli.deployment import NOW, Deployment, spec_of

from gnomon.entry.cli.deployment.home import Home
from gnomon.entry.cli.main import main
from gnomon.ground.clock import VirtualClock
from gnomon.ground.config import OptionError, load_config
from gnomon.model.instants import SECOND
from gnomon.model.records import AttemptRecord, RunRecord
from gnomon.model.states import DagRunState, DagRunType
from gnomon.model.trace_ids import compute_attempt_span_id, compute_trace_id, format_traceparent
from gnomon.services.monitor import otlp_sender, trace_export
from gnomon.services.monitor.otlp_sender import OtlpSender, find_endpoint
from gnomon.services.monitor.run_spans import RunSpan, build_run_spans
from gnomon.services.monitor.trace_export import FIRST_PAUSE_S, POLL_S, SETTLED_S, TraceExport
from gnomon.storage.store import FencedError
from gnomon.storage.store.coordination import service_leases
from gnomon.storage.store.dag_records import dag_runs
from gnomon.storage.store.dag_records.run_listing import NamedRun
from gnomon.testing import Play

MONITOR = "monitor-1"


@pytest.fixture(params=BOTH)
def deployment(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Deployment]:
    with new_database(request.param, tmp_path) as url:
        clock = VirtualClock(NOW)
        home = Home(
            load_config(
                {"GNOMON__DATABASE__SQL_ALCHEMY_CONN": url, "GNOMON__DATABASE__SYNCHRONOUS": "NORMAL"},
                tmp_path / "home",
            ),
            clock,
            clock.advance,
        )
        made = Deployment(home, clock)
        with made.db.write() as tx:
            assert service_leases.claim_lease(tx, service_leases.MONITOR, MONITOR, "here")
        made.add(spec_of("etl", {"first": (), "second": ("first",)}))
        made.start()
        yield made
        made.close()


class Collected:
    """A sender that keeps what it gets, and refuses while `is_away`."""

    def __init__(self) -> None:
        self.spans: list[RunSpan] = []
        self.is_away = False

    def send(self, spans: Sequence[RunSpan]) -> bool:
        if self.is_away:
            raise ConnectionError("nobody listens")
        self.spans += spans
        return True

    @property
    def runs(self) -> list[object]:
        return [span.attributes["airflow.dag_run.run_id"] for span in self.spans if span.parent_id == 0]


def _export(deployment: Deployment, collected: Collected) -> TraceExport:
    return TraceExport(deployment.db, deployment.clock, MONITOR, "gnomon", collected.send)


def _run(deployment: Deployment, run_id: str, seconds: float = 5.0) -> None:
    assert main(("dags", "trigger", "etl", "--run-id", run_id), obj=deployment.home) == 0
    deployment.move(seconds)


def test_each_run_that_ends_after_the_first_round_is_sent_once_with_its_attempts(deployment: Deployment) -> None:
    collected = Collected()
    export = _export(deployment, collected)
    _run(deployment, "before")
    deployment.move(SETTLED_S)
    assert export.export_round() == 0  # the first round: no history
    deployment.plays["second"] = Play(outcome="failed", run_s=1.0, reason="it broke")
    _run(deployment, "one")
    assert export.export_round() == 0  # not settled
    deployment.move(SETTLED_S)
    assert export.export_round() == 1
    assert export.export_round() == 0
    assert _export(deployment, collected).export_round() == 0  # another monitor goes on where this one was
    run, first, second = collected.spans
    assert {span.trace_id for span in collected.spans} == {run.trace_id}
    assert (run.parent_id, first.parent_id, second.parent_id) == (0, run.span_id, run.span_id)
    assert (run.name, first.name, second.name) == ("dag_run etl", "task etl.first", "task etl.second")
    assert (run.error, first.error) == ("task second failed: it broke", None)
    assert second.error
    assert run.started_at <= first.started_at < first.ended_at <= second.started_at < second.ended_at <= run.ended_at
    assert second.attributes["airflow.task_instance.state"] == "failed"
    with deployment.db.read() as tx:
        stored = dag_runs.find_stored_run(tx, "etl", "one")
        assert stored is not None
        ids = {compute_attempt_span_id(attempt.attempt) for attempt in dag_runs.list_attempts(tx, stored.run_pk)}
    assert {first.span_id, second.span_id} == ids
    assert run.trace_id == compute_trace_id("gnomon", "etl", "one", stored.run_pk)


def test_runs_come_in_the_order_of_their_ends_whatever_their_states(deployment: Deployment) -> None:
    collected = Collected()
    export = _export(deployment, collected)
    export.export_round()
    for number in range(4):
        deployment.plays["second"] = Play(outcome="failed" if number % 2 else "success", run_s=1.0)
        _run(deployment, f"run_{number}")
    deployment.move(SETTLED_S)
    assert export.export_round() == 4
    assert collected.runs == ["run_0", "run_1", "run_2", "run_3"]


def test_a_run_that_is_cleared_after_its_end_is_another_span_in_the_same_trace(deployment: Deployment) -> None:
    collected = Collected()
    export = _export(deployment, collected)
    export.export_round()
    _run(deployment, "one")
    deployment.move(SETTLED_S)
    export.export_round()
    assert main(("tasks", "clear", "etl", "one", "second"), obj=deployment.home) == 0
    deployment.move(5.0 + SETTLED_S)
    assert export.export_round() == 1
    assert [span.name for span in collected.spans] == [
        "dag_run etl",
        "task etl.first",
        "task etl.second",
        "dag_run etl",
        "task etl.second",
    ]
    assert len({span.span_id for span in collected.spans}) == 5
    assert len({span.trace_id for span in collected.spans}) == 1


def test_while_the_collector_is_away_traces_wait_and_those_that_are_too_old_are_left_out(
    deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trace_export, "OLDEST_S", 30.0)
    collected = Collected()
    export = _export(deployment, collected)
    export.export_round()
    collected.is_away = True
    _run(deployment, "old")
    deployment.move(SETTLED_S)
    assert export.export_round() == 0
    assert export._next_at == pytest.approx(deployment.clock.monotonic() + FIRST_PAUSE_S)
    deployment.move(30.0)
    _run(deployment, "new")
    deployment.move(SETTLED_S)
    collected.is_away = False
    assert export.export_round() == 1
    assert collected.runs == ["new"]


def test_a_monitor_that_lost_its_lease_moves_nothing(deployment: Deployment) -> None:
    collected = Collected()
    export = _export(deployment, collected)
    export.export_round()
    _run(deployment, "one")
    deployment.move(SETTLED_S)
    with deployment.db.write() as tx:
        service_leases.release_lease(tx, service_leases.MONITOR, MONITOR)
        service_leases.claim_lease(tx, service_leases.MONITOR, "monitor-2", "there")
    with pytest.raises(FencedError):
        export.export_round()
    other = TraceExport(deployment.db, deployment.clock, "monitor-2", "gnomon", collected.send)
    assert other.export_round() == 1


def test_a_collector_that_hangs_holds_neither_the_round_nor_the_end_of_the_monitor(tmp_path: Path) -> None:
    clock = VirtualClock(NOW)
    home = Home(load_config({}, tmp_path), clock, clock.advance)
    create_schema(home.cfg.database_url)
    deployment = Deployment(home, clock)
    with deployment.db.write() as tx:
        service_leases.claim_lease(tx, service_leases.MONITOR, MONITOR, "here")
    deployment.add(spec_of("etl"))
    deployment.start()
    entered, released = threading.Event(), threading.Event()

    def hang(spans: Sequence[RunSpan]) -> bool:
        entered.set()
        return not released.wait(PATIENCE_S)

    export = TraceExport(deployment.db, clock, MONITOR, "gnomon", hang)
    export.export_round()
    _run(deployment, "one")
    deployment.move(SETTLED_S)
    export.tick()
    assert entered.wait(PATIENCE_S)
    threads = threading.active_count()
    for _ in range(5):
        clock.advance(POLL_S)
        export.tick()
    assert threading.active_count() == threads
    export.close()
    released.set()
    assert export._thread is not None
    export._thread.join(PATIENCE_S)
    assert not export._thread.is_alive()
    deployment.close()


# ---- the message -----------------------------------------------------------------------------------------------------
@pytest.fixture
def receiver() -> Iterator[OtlpReceiver]:
    with receiving() as made:
        yield made


def _spans() -> list[RunSpan]:
    run = RunRecord(
        7,
        1,
        "r",
        DagRunType.SCHEDULED,
        DagRunState.FAILED,
        NOW,
        NOW,
        None,
        None,
        1,
        {},
        NOW,
        NOW,
        NOW + 9 * SECOND,
        "leaf failed",
    )
    attempt = AttemptRecord(
        7, 0, 3, 1, "id-1", 1, "task", "failed", "it broke", "w", NOW + SECOND, NOW + 2 * SECOND, 1, None
    )
    unstarted = AttemptRecord(7, 0, 3, 2, "id-2", 1, "task", "lost", None, "w", None, NOW, None, None)
    return build_run_spans("prod", NamedRun("d", run), [attempt, unstarted], {0: "t"})


def _sender(tmp_path: Path, port: int) -> OtlpSender:
    options = {
        "GNOMON__TRACES__OTEL_HOST": "127.0.0.1",
        "GNOMON__TRACES__OTEL_PORT": str(port),
        "GNOMON__TRACES__OTEL_SERVICE": "prod",
    }
    return OtlpSender(load_config(options, tmp_path), "1.2.3")


def test_a_collector_reads_spans_with_ids_times_attributes_and_status(receiver: OtlpReceiver, tmp_path: Path) -> None:
    sender = _sender(tmp_path, receiver.port)
    assert sender.send(_spans())
    sender.close()
    run, task = receiver.spans
    assert (receiver.services, receiver.paths) == ({"prod"}, ["/v1/traces"])
    assert run.trace_id == task.trace_id == compute_trace_id("prod", "d", "r", 7).to_bytes(16, "big")
    assert (run.parent_span_id, task.parent_span_id) == (b"", run.span_id)
    assert task.span_id == compute_attempt_span_id("id-1").to_bytes(8, "big")
    assert (task.name, task.status.code, task.status.message) == ("task d.t[3]", 2, "it broke")
    assert (task.start_time_unix_nano, task.end_time_unix_nano) == ((NOW + SECOND) * 1000, (NOW + 2 * SECOND) * 1000)
    attributes = {one.key: one.value for one in task.attributes}
    assert (attributes["airflow.task_id"].string_value, attributes["airflow.task_instance.map_index"].int_value) == (
        "t",
        3,
    )


@pytest.mark.parametrize("status", [400, 401, 404])
def test_a_refusal_is_a_refusal(
    receiver: OtlpReceiver, tmp_path: Path, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    receiver.status = status
    sender = _sender(tmp_path, receiver.port)
    assert not sender.send(_spans())
    sender.close()


def test_without_the_extra_a_sentence_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    with pytest.raises(
        OptionError, match=r"\[traces\] otel_on .* needs packages that are not installed .*pip install 'gnomon\[otel\]'"
    ):
        otlp_sender.OtlpSender(load_config({"GNOMON__TRACES__OTEL_ON": "True"}, tmp_path), "1")


@pytest.mark.parametrize(
    ("host", "ssl", "endpoint"),
    [("localhost", "False", "http://localhost:4318/v1/traces"), ("::1", "True", "https://[::1]:4318/v1/traces")],
)
def test_the_address_is_made_of_the_options(host: str, ssl: str, endpoint: str, tmp_path: Path) -> None:
    assert (
        find_endpoint(
            load_config({"GNOMON__TRACES__OTEL_HOST": host, "GNOMON__TRACES__OTEL_SSL_ACTIVE": ssl}, tmp_path)
        )
        == endpoint
    )


# ---- ids -------------------------------------------------------------------------------------------------------------
def test_ids_are_the_same_in_every_process_and_differ_for_everything_else() -> None:
    assert format_traceparent(compute_trace_id("s", "d", "r", 1), compute_attempt_span_id("a")) == (
        f"00-{compute_trace_id('s', 'd', 'r', 1):032x}-{compute_attempt_span_id('a'):016x}-01"
    )
    made = {
        compute_trace_id(*parts)
        for parts in (
            ("s", "d", "r", 1),
            ("t", "d", "r", 1),
            ("s", "dr", "", 1),
            ("s", "d", "r", 2),
            ("s", "d", "\udcff", 1),
        )
    }
    assert len(made) == 5
    assert all(0 < one < 2**128 for one in made)
