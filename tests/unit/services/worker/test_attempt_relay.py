"""The relay and the store of a worker without a database, over an execution API that can be silent, refuse, and declare the worker lost."""

from __future__ import annotations

import queue
import re
import socket
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import pytest
from tests.patience import PATIENCE_S

from gnomon.author_code.processes.message_stream import FrameDecoder, encode_frame, receive_message
from gnomon.ground.clock import SystemClock, VirtualClock
from gnomon.model.attempts import Attempt, AttemptResult, RunFacts, XComElement, XComItem
from gnomon.model.execution_messages import (
    BatchAnswer,
    Beat,
    ClaimedAttempt,
    ClaimRequest,
    Reply,
    Report,
    ReportAnswer,
    ReportBatch,
    ReportedClaim,
    ReportedEntry,
    ReportedResult,
)
from gnomon.model.records import WorkerRecord
from gnomon.model.task_api_requests import GetVariable
from gnomon.services.executors.worker_protocol import (
    AcknowledgeResults,
    CancelAttempt,
    EntryReport,
    Hello,
    ResultReport,
    SubmissionRefused,
    SubmitAttempts,
    ToWorker,
)
from gnomon.services.worker.attempt_registry import AttemptRegistry
from gnomon.services.worker.incarnation import HEARTBEAT_S, WorkerIncarnation
from gnomon.services.worker.remote import attempt_relay, report_exchange
from gnomon.services.worker.remote.attempt_relay import CLAIM_PATIENCE_S, AttemptRelay
from gnomon.services.worker.remote.broker_probe import BrokerProbe
from gnomon.services.worker.remote.execution_client import (
    AWAY_MAX_S,
    ApiAway,
    ApiNotListening,
    ApiSilent,
    ClaimRefused,
    ExecutionClient,
)
from gnomon.services.worker.remote.http_store import HttpWorkerStore
from gnomon.services.worker.settings import WorkerSettings
from gnomon.services.worker.worker_store import WorkerStoreAway, WorkerStoreUnavailable

Message = TypeVar("Message", bound=msgspec.Struct)
RUN = RunFacts(run_pk=1, dag_id="d", run_id="r", run_type="manual", run_after=0)


def result_of(attempt_id: str, outcome: str = "success") -> AttemptResult:
    return AttemptResult(attempt_id=attempt_id, group_no=1, run_pk=1, task_no=0, outcome=outcome)


class ScriptedApi(ExecutionClient):
    """A client whose api-server is this object. It gives each attempt to the first worker that asks, like the real one."""

    def __init__(self) -> None:
        super().__init__("http://api:8080/execution", SystemClock())
        self.is_away = False
        self.silence: type[ApiSilent] = ApiSilent
        self.lost: set[str] = set()
        self.claims: dict[str, str] = {}
        self.secrets: dict[str, str] = {}
        self.ended: list[AttemptResult] = []
        self.entered: list[str] = []
        self.asked: queue.SimpleQueue[str] = queue.SimpleQueue()
        """The last word of each path, as requests come, those without an answer too."""
        self.asked_within: list[tuple[str, float]] = []
        self.cancellations: tuple[tuple[str, str, float], ...] = ()
        self.elements: tuple[XComElement, ...] = ()
        self.body_max = 1 << 20
        self.refusal = 413
        self.may_answer = threading.Event()
        """Requests wait for it."""
        self.may_answer.set()
        self.batches: list[list[tuple[str, str]]] = []
        """Of each batch that was answered, the kinds and attempts of its reports."""
        self.refuses_batches = 0
        """The status for batches as a whole; 0: they are answered."""
        self.faulty: set[str] = set()
        """Attempts of whose reports the api-server can store none now."""
        self.forged: set[str] = set()
        """Tokens of messages that are not valid."""

    def _send(self, path: str, payload: bytes, headers: dict[str, str], timeout_s: float) -> tuple[int, bytes]:
        found = re.fullmatch("/(attempts|workers)/([^/]+)/([a-z]+)", path)
        assert found is not None
        _kind, subject, verb = found.groups()
        self.asked_within.append((verb, timeout_s))
        for one in _list_verbs(verb, payload):
            self.asked.put(one)
        assert self.may_answer.wait(PATIENCE_S)
        if re.search("[\r\n]", headers["Authorization"]):
            raise ValueError("Invalid header value")  # as http.client does
        if self.is_away:
            raise self.silence("the api-server does not answer")
        self.answered_at = self._clock.monotonic()
        status, answer = getattr(self, f"_on_{verb}")(
            subject, payload, headers["Authorization"].removeprefix("Bearer ")
        )
        return status, b"" if answer is None else msgspec.json.encode(answer)

    def _on_claim(self, attempt_id: str, payload: bytes, token: str) -> tuple[int, object]:
        request = msgspec.json.decode(payload, type=ClaimRequest)
        if token in self.forged:
            return 401, {"detail": "the request has no valid token"}
        if request.worker_id in self.lost:
            return 410, {"detail": "lost"}
        if (
            self.secrets.setdefault(request.worker_id, request.secret) != request.secret
            or self.claims.setdefault(attempt_id, request.worker_id) != request.worker_id
        ):
            return 409, {"detail": "another worker has it"}
        attempt = Attempt(
            attempt_id=attempt_id, group_no=1, epoch=1, run=RUN, task_id="t", task_no=0, file="/theirs/sub/d.py"
        )
        return 200, ClaimedAttempt(
            attempt=attempt,
            elements=self.elements,
            attempt_token=f"{attempt_id} of {request.worker_id}",
            worker_token=request.worker_id,
            dags_folder="/theirs",
        )

    def _on_reports(self, worker_id: str, payload: bytes, token: str) -> tuple[int, object]:
        assert token == worker_id
        if self.refuses_batches:
            return self.refuses_batches, {"detail": "not as a batch"}
        reports = [
            msgspec.json.decode(report, type=Report)
            for report in msgspec.json.decode(payload, type=ReportBatch).reports
        ]
        self.batches.append([(type(report).__name__, _find_subject(report)) for report in reports])
        return 200, BatchAnswer(answers=tuple(self._answer_report(worker_id, report) for report in reports))

    def _answer_report(self, worker_id: str, report: Report) -> ReportAnswer:
        if _find_subject(report) in self.faulty:
            return ReportAnswer(status=503, detail="not now")
        answer: Any
        if isinstance(report, ReportedClaim):
            request = ClaimRequest(worker_id=worker_id, secret=self.secrets[worker_id], host="host", slots=4)
            status, answer = self._on_claim(report.attempt_id, msgspec.json.encode(request), report.token)
        elif isinstance(report, ReportedEntry):
            status, answer = self._on_entered(report.attempt_id, b"", report.token)
        else:
            status, answer = self._on_result(report.result.attempt_id, msgspec.json.encode(report.result), report.token)
        return (
            ReportAnswer(status=status, claimed=answer)
            if isinstance(answer, ClaimedAttempt)
            else ReportAnswer(status=status, detail=(answer or {}).get("detail", ""))
        )

    def _on_entered(self, attempt_id: str, payload: bytes, token: str) -> tuple[int, object]:
        self.entered.append(attempt_id)
        return 204, None

    def _on_result(self, attempt_id: str, payload: bytes, token: str) -> tuple[int, object]:
        if token != f"{attempt_id} of {self.claims.get(attempt_id)}":
            return 409, {"detail": "it is gone"}
        if len(payload) > self.body_max:
            return self.refusal, {"detail": f"the body has more than {self.body_max} bytes"}
        self.claims.pop(attempt_id)
        self.ended.append(msgspec.json.decode(payload, type=AttemptResult))
        return 204, None

    def _on_ask(self, subject: str, payload: bytes, token: str) -> tuple[int, object]:
        return 200, Reply(value=f"for {subject}")

    def _on_beat(self, worker_id: str, payload: bytes, token: str) -> tuple[int, object]:
        assert token == worker_id
        if worker_id in self.lost:
            return 410, {"detail": "lost"}
        tokens = {attempt: f"{attempt} of {worker}" for attempt, worker in self.claims.items() if worker == worker_id}
        return 200, Beat(worker_token=worker_id, attempt_tokens=tokens, cancellations=self.cancellations)

    def _on_retire(self, worker_id: str, payload: bytes, token: str) -> tuple[int, object]:
        self.lost.add(worker_id)
        return 204, None


def _list_verbs(verb: str, payload: bytes) -> list[str]:
    """The verb, or those of a batch in its place."""
    if verb != "reports":
        return [verb]
    names = {ReportedClaim: "claim", ReportedEntry: "entered", ReportedResult: "result"}
    return [
        names[type(msgspec.json.decode(report, type=Report))]
        for report in msgspec.json.decode(payload, type=ReportBatch).reports
    ]


def _find_subject(report: Report) -> str:
    return report.result.attempt_id if isinstance(report, ReportedResult) else report.attempt_id


class LoopOfWorker:
    """The socket of a worker: its incarnations, the messages that it gets, and its reports."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.messages: queue.SimpleQueue[ToWorker] = queue.SimpleQueue()
        self.worker_id = self.address = ""
        self._listener: socket.socket | None = None
        self._connection: socket.socket | None = None
        self.begin("w1")

    def begin(self, worker_id: str, *, listens: bool = True) -> None:
        """A new incarnation; the connections of the old one end."""
        self.close()
        address = str(self._folder / f"{worker_id}.sock")
        if listens:
            self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self._listener.bind(address)
            self._listener.listen()
            threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()
        self.worker_id, self.address = worker_id, address

    def report(self, message: msgspec.Struct) -> None:
        assert self._connection is not None
        self._connection.sendall(encode_frame(message))

    def get(self, kind: type[Message]) -> Message:
        """The next message, which is of this kind."""
        message = self.messages.get(timeout=PATIENCE_S)
        assert isinstance(message, kind), message
        return message

    def close(self) -> None:
        for one in (self._listener, self._connection):
            if one is not None:
                try:
                    one.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
                one.close()
        self._listener = self._connection = None

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            self._connection = connection
            decoder: FrameDecoder[ToWorker] = FrameDecoder(ToWorker)
            with connection:
                try:
                    while (message := receive_message(connection, decoder)) is not None:
                        self.messages.put(message)
                except OSError:
                    continue


class RelayWorld:
    """A relay, its api-server, and the worker that it is connected to."""

    def __init__(self, folder: Path, claim_patience_s: float = CLAIM_PATIENCE_S) -> None:
        self.api = ScriptedApi()
        self.store = HttpWorkerStore(self.api)
        self.loop = LoopOfWorker(folder)
        self.relay = AttemptRelay(
            self.api,
            self.store,
            lambda: (self.loop.worker_id, self.loop.address),
            "host",
            4,
            Path("/own"),
            SystemClock(),
            claim_patience_s=claim_patience_s,
        )
        self.outcomes: queue.SimpleQueue[str] = queue.SimpleQueue()

    def carry(self, attempt_id: str = "a1", token: str = "token") -> None:
        """A message of the broker came."""
        threading.Thread(target=lambda: self.outcomes.put(self.relay.carry(attempt_id, token)), daemon=True).start()

    def outcome(self) -> str:
        return self.outcomes.get(timeout=PATIENCE_S)

    def await_request(self, verb: str) -> None:
        while self.api.asked.get(timeout=PATIENCE_S) != verb:
            pass

    def start(self) -> None:
        self.relay.start()
        self.loop.get(Hello)

    def submitted(self, attempt_id: str = "a1") -> Attempt:
        """The worker has got it."""
        [attempt] = self.loop.get(SubmitAttempts).attempts
        assert attempt.attempt_id == attempt_id
        return attempt


@pytest.fixture
def claim_patience_s() -> float:
    """How long a claim is tried again while the api-server is away."""
    return CLAIM_PATIENCE_S


@pytest.fixture
def world(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, claim_patience_s: float
) -> Iterator[RelayWorld]:
    monkeypatch.setattr(attempt_relay, "RETRY_S", 0.01)
    monkeypatch.setattr(report_exchange, "RETRY_S", 0.01)
    monkeypatch.setattr(attempt_relay, "STEP_S", 0.01)
    monkeypatch.setattr(attempt_relay, "SILENCE_S", 1e9)
    made = RelayWorld(tmp_path_factory.mktemp("c"), claim_patience_s)
    yield made
    if made.relay._thread.ident is not None:
        made.relay.close()
    made.loop.close()


def test_an_attempt_is_claimed_submitted_reported_and_acknowledged(world: RelayWorld) -> None:
    world.api.elements = (XComElement(task_id="t", number=0, container="list", length=1, value="1"),)
    world.start()
    world.carry()
    attempt = world.submitted()
    assert attempt.file == "/own/sub/d.py"
    assert world.store.read_elements(attempt) == world.api.elements
    world.loop.report(EntryReport(attempts=(("a1", 1, 5),)))
    world.loop.report(ResultReport(results=(result_of("a1"),)))
    assert world.outcome() == "success"
    assert world.loop.get(AcknowledgeResults).attempt_ids == ("a1",)
    assert (world.api.entered, world.api.ended) == (["a1"], [result_of("a1")])


def test_a_message_about_an_attempt_that_another_worker_has_runs_nothing(world: RelayWorld) -> None:
    world.api.claims["a1"] = "another"
    world.start()
    world.carry()
    assert world.outcome() == "was not claimed"
    assert world.loop.messages.empty()


def test_a_message_that_comes_twice_is_carried_once(world: RelayWorld) -> None:
    world.start()
    world.carry()
    world.submitted()
    world.carry()
    assert world.outcome() == "is running here"
    world.loop.report(ResultReport(results=(result_of("a1"), result_of("a1"))))
    assert world.outcome() == "success"
    assert len(world.api.ended) == 1


def test_a_claim_waits_for_the_api_server(world: RelayWorld) -> None:
    world.start()
    world.api.is_away = True
    world.carry()
    world.await_request("claim")
    world.await_request("claim")
    world.api.is_away = False
    world.submitted()


@pytest.mark.parametrize("claim_patience_s", [0.0])
def test_a_claim_is_given_up_after_its_patience_and_no_message_is_taken_until_the_api_server_answers(
    world: RelayWorld,
) -> None:
    rests: queue.SimpleQueue[bool] = queue.SimpleQueue()
    world.relay.on_rest = rests.put
    world.start()
    world.store.register(WorkerRecord("w", "host", "address", 4, 0, False))
    world.carry("a0")
    world.submitted("a0")  # the api-server knows the worker
    world.api.is_away = True
    for attempt_id in ("a1", "a2"):
        world.carry(attempt_id)
    assert [world.outcome(), world.outcome()] == ["was given back", "was given back"]
    assert rests.get(timeout=PATIENCE_S) is True
    assert rests.empty()
    world.api.is_away = False
    world.api.answered_at = SystemClock().monotonic()  # a heartbeat
    assert rests.get(timeout=PATIENCE_S) is False


@pytest.mark.parametrize("claim_patience_s", [0.0])
def test_a_worker_that_the_api_server_does_not_know_tries_again_after_a_while(
    world: RelayWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has no heartbeats that would show that the api-server answers."""
    monkeypatch.setattr(attempt_relay, "REST_S", 0.05)
    rests: queue.SimpleQueue[bool] = queue.SimpleQueue()
    world.relay.on_rest = rests.put
    world.start()
    world.api.is_away = True
    world.carry()
    assert world.outcome() == "was given back"
    assert [rests.get(timeout=PATIENCE_S) for _ in range(2)] == [True, False]


def test_a_forged_message_about_an_attempt_does_not_take_the_place_of_the_real_one(world: RelayWorld) -> None:
    """The real one comes while the token of the forged one is tried, and others after it."""
    world.start()
    world.api.forged.update(("forged", "also forged"))
    world.api.may_answer.clear()
    outcomes: dict[str, str] = {}
    ended: queue.SimpleQueue[str] = queue.SimpleQueue()

    def end(token: str, outcome: str) -> None:
        outcomes[token] = outcome
        ended.put(token)

    def accept(token: str) -> None:
        world.relay.accept("a1", token, partial(end, token))

    accept("forged")
    world.await_request("claim")
    for token in ("also forged", "real", "late"):
        accept(token)
    world.api.may_answer.set()
    world.submitted()
    assert [ended.get(timeout=PATIENCE_S) for _ in range(3)] == ["forged", "also forged", "late"]
    accept("after it")
    assert outcomes == {
        "forged": "was not claimed",
        "also forged": "was not claimed",
        "late": "is running here",
        "after it": "is running here",
    }
    world.loop.report(ResultReport(results=(result_of("a1"),)))
    assert [ended.get(timeout=PATIENCE_S) for _ in range(2)] == ["after it", "real"]
    assert (outcomes["real"], world.relay._list_carried()) == ("success", ())


def test_the_end_of_the_relay_ends_all_messages_about_an_attempt(world: RelayWorld) -> None:
    world.start()
    world.api.is_away = True
    for token in ("one", "another"):
        world.relay.accept("a1", token, world.outcomes.put)
    world.await_request("claim")
    world.relay.close()
    assert [world.outcome(), world.outcome()] == ["was given up", "was given up"]


def test_forged_messages_do_not_keep_a_new_worker_from_the_claim_that_registers_it(
    world: RelayWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report_exchange, "RETRY_S", 2 * PATIENCE_S)
    world.api.forged.add("forged")
    for number in range(20):
        world.relay.accept(f"f{number}", "forged", world.outcomes.put)
    world.relay.accept("a1", "token", world.outcomes.put)
    world.start()
    world.submitted()
    assert [world.outcome() for _ in range(20)] == ["was not claimed"] * 20


def test_a_claim_that_can_never_be_sent_is_dropped_and_holds_no_other(world: RelayWorld) -> None:
    world.start()
    world.carry("a0", "token\r\nX-Other: 1")
    assert world.outcome() == "was not claimed"
    world.carry()
    world.submitted()


@pytest.mark.parametrize("status", [400, 413])
def test_a_claim_that_the_api_server_cannot_read_is_dropped_at_once(
    world: RelayWorld, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    monkeypatch.setattr(world.api, "_on_claim", lambda *_: (status, {"detail": "no"}))
    world.start()
    world.carry()
    assert world.outcome() == "was not claimed"


def test_a_result_waits_for_the_api_server_and_is_delivered_once(world: RelayWorld) -> None:
    world.start()
    world.carry()
    world.submitted()
    world.api.is_away = True
    world.loop.report(EntryReport(attempts=(("a1", 1, 5),)))
    world.loop.report(ResultReport(results=(result_of("a1", "failed"),)))
    world.await_request("entered")
    world.await_request("entered")
    assert world.api.ended == []
    world.api.is_away = False
    assert world.outcome() == "failed"
    assert world.loop.get(AcknowledgeResults).attempt_ids == ("a1",)
    assert world.api.ended == [result_of("a1", "failed")]


def test_a_result_that_the_loop_delivered_frees_the_message(world: RelayWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    """While the api-server is silent the relay leaves the worker; when it answers again, the loop may be first to deliver, and then forgets the result."""
    world.start()
    world.carry()
    world.submitted()
    world.store.mail_results("w1", [result_of("a1")])
    assert world.outcome() == "success"
    assert world.api.ended == [result_of("a1")]


def test_a_result_that_is_refused_ends_the_message(world: RelayWorld) -> None:
    world.start()
    world.carry()
    world.submitted()
    world.api.claims.clear()
    world.loop.report(ResultReport(results=(result_of("a1"),)))
    assert world.outcome() == "success"
    assert world.loop.get(AcknowledgeResults).attempt_ids == ("a1",)
    assert world.api.ended == []


@pytest.mark.parametrize("status", [400, 413])
def test_a_result_that_the_api_server_cannot_take_becomes_a_failure_that_says_so(
    world: RelayWorld, status: int
) -> None:
    """It was sent again for ever, and held a place of the worker."""
    world.start()
    world.carry()
    world.submitted()
    world.api.body_max, world.api.refusal = 1000, status
    large = msgspec.structs.replace(
        result_of("a1"), started_at=5, xcoms=(XComItem(key="k", value='"' + "x" * 2000 + '"'),)
    )
    world.loop.report(ResultReport(results=(large,)))
    assert world.outcome() == "failed"
    assert world.loop.get(AcknowledgeResults).attempt_ids == ("a1",)
    [ended] = world.api.ended
    assert (ended.outcome, ended.retryable, ended.xcoms, ended.started_at) == ("failed", False, (), 5)
    assert (
        ended.reason == "the api-server refused the result of this attempt (success): the body has more than 1000 bytes"
    )


def test_a_result_that_is_refused_as_a_failure_too_ends_the_message(world: RelayWorld) -> None:
    world.start()
    world.carry()
    world.submitted()
    world.api.body_max = 0
    world.loop.report(ResultReport(results=(result_of("a1"),)))
    assert world.outcome() == "success"
    assert world.loop.get(AcknowledgeResults).attempt_ids == ("a1",)
    assert world.api.ended == []


def test_a_refused_submission_ends_the_message(world: RelayWorld) -> None:
    world.start()
    world.carry()
    world.submitted()
    world.loop.report(SubmissionRefused(attempt_ids=("a1",), reason="a higher epoch"))
    assert world.outcome() == "was given up"


def test_attempts_of_an_incarnation_that_ended_are_given_up(world: RelayWorld) -> None:
    world.start()
    world.carry()
    world.submitted()
    world.loop.begin("w2")
    assert world.outcome() == "was given up"
    world.loop.get(Hello)
    world.carry("a2")
    world.submitted("a2")
    assert world.api.claims["a2"] == "w2"


def test_an_attempt_that_an_earlier_incarnation_claimed_never_runs_in_the_next(world: RelayWorld) -> None:
    """The earlier one sends no heartbeats any more, so the attempt is given to another worker in a moment."""
    world.loop.begin("w2", listens=False)
    world.relay.start()
    world.carry()
    world.await_request("claim")
    world.loop.begin("w3")
    assert world.outcome() == "was given up"
    world.loop.get(Hello)
    assert world.loop.messages.empty()


def test_while_the_api_server_is_silent_the_relay_leaves_the_worker_alone(
    world: RelayWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.start()
    world.carry()
    world.submitted()
    connection = world.loop._connection
    monkeypatch.setattr(attempt_relay, "SILENCE_S", -1.0)
    world.api.is_away = True
    _until(lambda: world.relay._sock is None)
    monkeypatch.setattr(attempt_relay, "SILENCE_S", 1e9)
    world.loop.get(Hello)
    assert world.loop._connection is not connection
    world.api.is_away = False
    world.loop.report(ResultReport(results=(result_of("a1"),)))
    assert world.outcome() == "success"


def test_cancellations_reach_the_worker(world: RelayWorld) -> None:
    world.start()
    world.carry()
    world.submitted()
    world.api.cancellations = (("a1", "marked failed by ann", 2.5),)
    assert world.store.beat("w1")
    cancel = world.loop.get(CancelAttempt)
    assert (cancel.attempt_id, cancel.reason, cancel.grace_s) == ("a1", "marked failed by ann", 2.5)


def test_the_end_of_the_relay_ends_its_messages(world: RelayWorld) -> None:
    world.start()
    world.carry()
    world.submitted()
    world.relay.close()
    assert world.outcome() == "was given up"


# ---- batches -----------------------------------------------------------------------------------------------------------
@pytest.fixture
def busy(world: RelayWorld) -> RelayWorld:
    """Attempt a0 runs, so the worker is registered."""
    world.start()
    world.carry("a0")
    world.submitted("a0")
    return world


def _hold_a_request(world: RelayWorld) -> None:
    """The entry of a0 is on its way to the api-server, which does not answer yet."""
    world.api.may_answer.clear()
    world.loop.report(EntryReport(attempts=(("a0", 1, 5),)))
    world.await_request("entered")


def _carry_in_order(world: RelayWorld, *attempt_ids: str) -> None:
    for attempt_id in attempt_ids:
        world.relay.accept(attempt_id, "token", world.outcomes.put)


def test_what_comes_during_a_request_goes_with_the_next_one(busy: RelayWorld) -> None:
    _hold_a_request(busy)
    _carry_in_order(busy, "a1", "a2")
    busy.loop.report(ResultReport(results=(result_of("a0"),)))
    _until(lambda: busy.relay._exchange._orders.qsize() == 3)
    busy.api.may_answer.set()
    assert busy.outcome() == "success"
    assert [attempt.attempt_id for attempt in busy.loop.get(SubmitAttempts).attempts] == ["a1", "a2"]
    assert [sorted(batch) for batch in busy.api.batches[1:]] == [
        [("ReportedClaim", "a1"), ("ReportedClaim", "a2"), ("ReportedResult", "a0")]
    ]


def test_the_entry_of_an_attempt_that_has_ended_goes_with_its_result(busy: RelayWorld) -> None:
    _hold_a_request(busy)
    _carry_in_order(busy, "a1")
    busy.api.may_answer.set()
    busy.submitted("a1")
    busy.api.may_answer.clear()
    _carry_in_order(busy, "a2")
    busy.await_request("claim")
    busy.await_request("claim")
    busy.loop.report(EntryReport(attempts=(("a1", 1, 5),)))
    busy.loop.report(ResultReport(results=(msgspec.structs.replace(result_of("a1"), started_at=5),)))
    _until(lambda: busy.relay._exchange._orders.qsize() == 2)
    busy.api.may_answer.set()
    assert busy.outcome() == "success"
    assert busy.api.batches[-1] == [("ReportedResult", "a1")]
    assert busy.api.ended[0].started_at == 5


def test_an_entry_waits_for_the_result_that_says_when_the_attempt_began(
    busy: RelayWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report_exchange, "ENTRY_S", 600.0)
    busy.loop.report(EntryReport(attempts=(("a0", 1, 5),)))
    _until(lambda: "a0" in busy.relay._exchange._entries)
    _carry_in_order(busy, "a1")
    busy.submitted("a1")
    busy.loop.report(EntryReport(attempts=(("a1", 1, 6),)))
    _until(lambda: "a1" in busy.relay._exchange._entries)
    busy.loop.report(ResultReport(results=(msgspec.structs.replace(result_of("a0"), started_at=5),)))
    assert busy.outcome() == "success"
    busy.loop.report(ResultReport(results=(result_of("a1"),)))
    assert busy.outcome() == "success"
    assert busy.api.batches == [
        [("ReportedClaim", "a1")],
        [("ReportedResult", "a0")],
        [("ReportedEntry", "a1"), ("ReportedResult", "a1")],
    ]


def test_an_entry_that_waits_while_its_result_is_reported_alone_is_dropped(
    busy: RelayWorld, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(attempt_relay, "LARGE_BYTES", 0)
    monkeypatch.setattr(report_exchange, "ENTRY_S", 0.5)
    busy.loop.report(EntryReport(attempts=(("a0", 1, 5),)))
    _until(lambda: "a0" in busy.relay._exchange._entries)
    busy.loop.report(ResultReport(results=(result_of("a0"),)))
    assert busy.outcome() == "success"
    assert busy.loop.get(AcknowledgeResults).attempt_ids == ("a0",)
    _until(lambda: not busy.relay._exchange._entries)
    _carry_in_order(busy, "a1")
    busy.submitted("a1")
    assert (busy.api.entered, busy.api.ended, busy.api.batches) == ([], [result_of("a0")], [[("ReportedClaim", "a1")]])
    assert not caplog.records


def test_a_report_that_cannot_be_stored_now_does_not_hold_the_others(busy: RelayWorld) -> None:
    busy.api.faulty.add("a1")
    _carry_in_order(busy, "a1", "a2")
    busy.submitted("a2")
    busy.api.claims["a3"] = "another"
    _carry_in_order(busy, "a3")
    assert busy.outcome() == "was not claimed"
    busy.loop.report(ResultReport(results=(result_of("a2"),)))
    assert busy.outcome() == "success"
    busy.api.faulty.clear()
    busy.loop.get(AcknowledgeResults)
    busy.submitted("a1")


@pytest.mark.parametrize("status", [400, 401, 413])
def test_reports_of_a_batch_that_is_refused_as_a_whole_go_one_by_one(busy: RelayWorld, status: int) -> None:
    busy.api.refuses_batches = status
    busy.loop.report(EntryReport(attempts=(("a0", 1, 5),)))
    busy.loop.report(ResultReport(results=(result_of("a0"),)))
    assert busy.outcome() == "success"
    busy.loop.get(AcknowledgeResults)
    _carry_in_order(busy, "a1")
    busy.submitted("a1")
    assert (busy.api.ended, busy.api.batches) == ([result_of("a0")], [])


def test_the_slot_is_free_before_the_result_is_reported(busy: RelayWorld) -> None:
    free: queue.SimpleQueue[str] = queue.SimpleQueue()
    busy.relay.accept("a1", "token", busy.outcomes.put, lambda: free.put("a1"))
    busy.submitted("a1")
    busy.api.may_answer.clear()
    busy.loop.report(ResultReport(results=(result_of("a1"),)))
    assert free.get(timeout=PATIENCE_S) == "a1"
    assert busy.outcomes.empty()
    busy.api.may_answer.set()
    assert busy.outcome() == "success"


def test_a_result_that_the_worker_sends_again_after_its_end_is_acknowledged(busy: RelayWorld) -> None:
    for _ in range(2):
        busy.loop.report(ResultReport(results=(result_of("a0"),)))
        assert busy.loop.get(AcknowledgeResults).attempt_ids == ("a0",)
    assert len(busy.api.ended) == 1


# ---- the store ---------------------------------------------------------------------------------------------------------
def register(world: RelayWorld, worker_id: str = "w1") -> None:
    world.store.register(WorkerRecord(worker_id, "host", "", 4, 0, False))


def test_a_worker_without_a_claim_sends_nothing(world: RelayWorld) -> None:
    register(world)
    assert world.store.beat("w1")
    world.store.retire("w1")
    assert world.api.asked.empty()


def test_an_idle_worker_that_was_declared_lost_gets_a_new_incarnation(world: RelayWorld, tmp_path: Path) -> None:
    """Also when it was declared lost without a token for heartbeats: then only its claim is refused."""
    clock = VirtualClock(1_700_000_000_000_000)
    incarnation = WorkerIncarnation(WorkerSettings(tmp_path, tmp_path, 4, {}), world.store, clock)
    world.loop.begin(incarnation.worker_id)
    assert incarnation.heartbeat(connected=True)
    world.api.lost.add(incarnation.worker_id)
    world.start()
    world.carry()
    world.await_request("claim")
    world.await_request("claim")
    clock.advance(HEARTBEAT_S)
    assert not incarnation.heartbeat(connected=True)
    incarnation.renew()
    world.loop.begin(incarnation.worker_id)
    assert incarnation.heartbeat(connected=True)
    world.loop.get(Hello)
    world.submitted()
    clock.advance(HEARTBEAT_S)
    assert incarnation.heartbeat(connected=True)
    assert world.api.claims == {"a1": incarnation.worker_id}
    incarnation.shut_down(AttemptRegistry())
    assert incarnation.worker_id in world.api.lost


def test_a_lost_worker_hears_it_at_its_heartbeat(world: RelayWorld) -> None:
    register(world)
    world.api.claim("a1", "token", "w1", "host", 4)
    assert world.store.beat("w1")
    world.api.lost.add("w1")
    assert not world.store.beat("w1")


def test_a_claim_between_the_begin_of_an_incarnation_and_its_registration_keeps_its_token(world: RelayWorld) -> None:
    register(world)
    world.api.claim("a1", "token", "w1", "host", 4)
    world.api.claim("a2", "token", "w2", "host", 4)
    register(world, "w2")
    assert (world.api.is_known("w1"), world.api.is_known("w2")) == (False, True)
    with pytest.raises(ClaimRefused):
        world.api.end(result_of("a1"))
    world.api.end(result_of("a2"))
    # An answer to the earlier incarnation that comes late does not take the place of the token.
    world.api.claim("a3", "token", "w1", "host", 4)
    assert world.store.beat("w2")


def test_a_silent_api_server_is_asked_once_until_a_heartbeat_is_answered(world: RelayWorld) -> None:
    """Each question would hold the loop, which sends the heartbeats."""
    register(world)
    attempt = world.api.claim("a1", "token", "w1", "host", 4).attempt
    world.api.is_away = True
    for ask in (
        lambda: world.store.answer_request(attempt, GetVariable(key="k")),
        lambda: world.store.answer_request(None, GetVariable(key="k")),
        lambda: world.store.mail_results("w1", [result_of("a1")]),
    ):
        with pytest.raises(WorkerStoreUnavailable):
            ask()
    assert [verb for verb, _ in world.api.asked_within] == ["claim", "ask"]
    with pytest.raises(WorkerStoreUnavailable):
        world.store.beat("w1")
    world.api.is_away = False
    assert world.store.beat("w1")
    assert world.store.answer_request(attempt, GetVariable(key="k")) == "for a1"
    assert world.store.answer_request(None, GetVariable(key="k")) == "for w1"
    world.store.mail_results("w1", [result_of("a1")])
    assert world.api.ended == [result_of("a1")]
    assert all(timeout_s < 5 for verb, timeout_s in world.api.asked_within if verb in ("ask", "beat"))


@pytest.mark.parametrize(
    ("silence", "is_broker_reachable", "goes_on"),
    [
        (ApiNotListening, False, True),
        (ApiSilent, True, True),
        (ApiSilent, False, False),
    ],
)
def test_a_worker_ends_its_attempts_only_if_nothing_shows_that_it_is_the_api_server_that_is_away(
    world: RelayWorld,
    tmp_path: Path,
    silence: type[ApiSilent],
    is_broker_reachable: bool,
    goes_on: bool,
) -> None:
    clock = VirtualClock(1_700_000_000_000_000)
    store = HttpWorkerStore(world.api, lambda: is_broker_reachable)
    incarnation = WorkerIncarnation(WorkerSettings(tmp_path, tmp_path, 4, {}), store, clock)

    def pass_time(seconds: float) -> bool:
        for _ in range(round(seconds)):
            clock.advance(1.0)
            if not incarnation.heartbeat(connected=False):
                return False
        return True

    assert incarnation.heartbeat(connected=False)
    world.api.claim("a1", "token", incarnation.worker_id, "host", 4)
    world.api.silence, world.api.is_away = silence, True
    assert pass_time(9)
    assert pass_time(60) == goes_on
    if goes_on:
        world.api.is_away = False
        assert pass_time(1)
        world.api.is_away = True
        assert not pass_time(AWAY_MAX_S + 1), "it does not go on for ever"


def test_a_request_of_author_code_may_wait_for_the_api_server_and_not_for_a_claim_that_is_gone(
    world: RelayWorld,
) -> None:
    register(world)
    attempt = world.api.claim("a1", "token", "w1", "host", 4).attempt
    world.api.is_away = True
    with pytest.raises(WorkerStoreAway):
        world.store.answer_request(attempt, GetVariable(key="k"))
    with pytest.raises(WorkerStoreAway):
        world.store.answer_request(attempt, GetVariable(key="k"))
    world.api.drop("a1")
    world.api.is_away = False
    assert world.store.beat("w1")
    with pytest.raises(WorkerStoreUnavailable) as refused:
        world.store.answer_request(attempt, GetVariable(key="k"))
    assert not isinstance(refused.value, WorkerStoreAway)


# ---- the network -------------------------------------------------------------------------------------------------------
def test_a_port_without_a_listener_is_told_from_a_network_that_is_cut() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    client = ExecutionClient(f"http://127.0.0.1:{port}/execution", SystemClock())
    with pytest.raises(ApiNotListening):
        client.claim("a", "token", "w", "host", 1)
    with socket.create_server(("127.0.0.1", 0)) as silent:  # accepts and never answers
        client = ExecutionClient(f"http://127.0.0.1:{silent.getsockname()[1]}/execution", SystemClock())
        with pytest.raises(ApiSilent) as cut:
            client._send("/x", b"", {}, 0.1)
        assert not isinstance(cut.value, ApiNotListening)


@pytest.mark.parametrize(("api_host", "reachable"), [("127.0.0.1", True), ("localhost", True), ("192.0.2.1", False)])
def test_a_broker_of_this_machine_proves_nothing_about_another_machine(api_host: str, reachable: bool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as broker:
        port = broker.getsockname()[1]
        assert BrokerProbe(f"redis://127.0.0.1:{port}/0", api_host).is_reachable() == reachable
        assert BrokerProbe(f"sqs://;amqp://u:p@127.0.0.1:{port}//", api_host).is_reachable() == reachable
    assert not BrokerProbe(f"redis://127.0.0.1:{port}/0", api_host).is_reachable()
    assert not BrokerProbe("redis+socket:///run/redis.sock;sqs://", api_host).is_reachable()


def test_a_mailed_result_that_is_refused_does_not_hold_the_others(world: RelayWorld) -> None:
    register(world)
    world.api.claim("a2", "token", "w1", "host", 4)
    world.store.mail_results("w1", [result_of("a1"), result_of("a2")])
    assert world.api.ended == [result_of("a2")]


def test_a_mailed_result_that_the_api_server_cannot_take_is_mailed_as_a_failure(world: RelayWorld) -> None:
    register(world)
    world.api.claim("a1", "token", "w1", "host", 4)
    world.api.body_max = 1000
    world.store.mail_results("w1", [msgspec.structs.replace(result_of("a1"), reason="x" * 2000)])
    assert [ended.outcome for ended in world.api.ended] == ["failed"]
    assert world.store.ended.get_nowait().outcome == "failed"


def _until(holds: Callable[[], Any]) -> None:
    waiting = threading.Event()
    for _ in range(int(PATIENCE_S / 0.01)):
        if holds():
            return
        waiting.wait(0.01)
    raise AssertionError("never")


def test_an_answer_to_the_first_claim_that_comes_late_does_not_begin_the_attempt(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The time to live of the worker counts from the claim; it is claimed again, by a worker that now sends heartbeats."""
    clock = VirtualClock(1_700_000_000_000_000)
    client = ExecutionClient("http://127.0.0.1:1/execution", clock)
    attempt = ScriptedApi().claim("a1", "token", "w1", "host", 4).attempt
    answer = msgspec.json.encode(
        ClaimedAttempt(attempt=attempt, elements=(), dags_folder="/dags", attempt_token="t", worker_token="w")
    )
    took_s = [6.0, 6.0]

    def send(*_: object) -> tuple[int, bytes]:
        clock.advance(took_s.pop(0))
        return 200, answer

    monkeypatch.setattr(client, "_send", send)
    with pytest.raises(ApiAway):
        client.claim("a1", "token", "w1", "host", 4)
    assert client.is_known("w1")
    assert client.claim("a1", "token", "w1", "host", 4).attempt.attempt_id == "a1"
