"""The client of the execution API: one kept connection for each thread, JSON bodies, and the tokens of this worker."""

from __future__ import annotations

import hashlib
import hmac
import http.client
import secrets
import ssl
import threading
from collections.abc import Iterable, Sequence
from typing import TypeVar
from urllib.parse import urlsplit

import msgspec

from gnomon.ground.clock import Clock
from gnomon.model.attempts import AttemptResult
from gnomon.model.errors.product import ConfigurationError
from gnomon.model.execution_messages import (
    EXECUTION_VERSION,
    VERSION_HEADER,
    BatchAnswer,
    Beat,
    BeatNotice,
    ClaimedAttempt,
    ClaimRequest,
    EntryNotice,
    Figure,
    Question,
    Reply,
    Report,
    ReportAnswer,
    ReportedClaim,
    RunningLogPiece,
)
from gnomon.model.instants import Instant
from gnomon.model.sentences import say
from gnomon.model.task_api_requests import AnyTaskApiRequest
from gnomon.queries.taskapi import TaskApiRefused
from gnomon.services.worker.remote.joined_requests import PlainConnection, SecureConnection

TIMEOUT_S = 20.0
"""For requests that a thread of the relay makes."""
LOOP_TIMEOUT_S = 3.0
"""For requests that the loop of the worker waits for: it sends the heartbeats, and a worker without one for WORKER_TTL_S is lost while an api-server is up."""
AWAY_MAX_S = 300.0
"""How long attempts go on, claims are tried again and questions wait while the api-server is away. Less than the lifetime of the tokens (TOKEN_LIFETIME_S)."""
CLAIM_ANSWER_MAX_S = 5.0
"""The first claim registers the worker, which may be declared lost a time to live later: its attempt must not begin long after it. Later, heartbeats count."""
Answer = TypeVar("Answer")


class ApiAway(Exception):
    """The api-server does not answer, or cannot answer now; a later request may succeed."""


class ApiSilent(ApiAway):
    """No answer at all came: other requests would wait in vain as well."""


class ApiNotListening(ApiSilent):
    """The host of the address was reached, and no api-server listens there: it is the api-server that is away, not the network of this worker."""


class ClaimRefused(Exception):
    """The attempt is not, or no longer, that of this worker."""


class UnreadableRequest(ApiAway):
    """The api-server cannot read the request; the same request is refused again."""


class WorkerGivenUp(Exception):
    """The worker was declared lost."""


class _Refused(msgspec.Struct):
    detail: object = ""


class _ReportBatch(msgspec.Struct):
    """A `ReportBatch` that is not encoded yet."""

    reports: tuple[Report, ...]


class ExecutionClient:
    """Asks one api-server, or several behind one address. Safe for several threads."""

    def __init__(self, url: str, clock: Clock) -> None:
        """`url`: the address of the execution API, such as `http://api:8080/execution`. Raises ConfigurationError for another form."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ConfigurationError(say("execution_address_is_wrong", url=url))
        self._is_secure = parts.scheme == "https"
        self.host, self._port, self._path = parts.hostname, parts.port, parts.path.rstrip("/")
        self._clock = clock
        self._kept = threading.local()
        self._guard = threading.Lock()
        self._attempt_tokens: dict[str, tuple[str, str]] = {}
        """(worker id, token) by attempt id."""
        self._worker_tokens: dict[str, str] = {}
        """By worker id: claims of an incarnation that has ended may still be answered."""
        self._key = secrets.token_bytes(32)
        self.answered_at = clock.monotonic()
        """When the api-server last answered, in monotonic seconds."""

    def is_known(self, worker_id: str) -> bool:
        """True once this incarnation of the worker has claimed an attempt: from then on it sends heartbeats."""
        return worker_id in self._worker_tokens

    def begin(self, worker_id: str) -> None:
        """Drop the tokens of earlier incarnations of the worker. This one may have claimed attempts already."""
        with self._guard:
            self._attempt_tokens = {
                attempt: known_token
                for attempt, known_token in self._attempt_tokens.items()
                if known_token[0] == worker_id
            }
            self._worker_tokens = {
                worker: token for worker, token in self._worker_tokens.items() if worker == worker_id
            }

    def claim(
        self, attempt_id: str, token: str, worker_id: str, host: str, slots: int, queues: tuple[str, ...] | None = None
    ) -> ClaimedAttempt:
        """Claim the attempt for this incarnation of the worker. Raises ClaimRefused, WorkerGivenUp, ApiAway, also for an answer that came late."""
        secret = hmac.new(self._key, worker_id.encode(), hashlib.sha256).hexdigest()
        request = ClaimRequest(worker_id=worker_id, secret=secret, host=host, slots=slots, queues=queues)
        asked_at, is_first = self._clock.monotonic(), not self.is_known(worker_id)
        claimed = self._post(f"/attempts/{attempt_id}/claim", token, request, ClaimedAttempt)
        with self._guard:
            self._attempt_tokens[attempt_id] = (worker_id, claimed.attempt_token)
            self._worker_tokens[worker_id] = claimed.worker_token
        if is_first and self._clock.monotonic() - asked_at > CLAIM_ANSWER_MAX_S:
            raise ApiAway("the answer to the claim came late; it is claimed again")
        return claimed

    def enter(self, attempt_id: str, at: Instant) -> None:
        """Report that author code was entered. Raises as `claim`."""
        self._post(f"/attempts/{attempt_id}/entered", self._find_token(attempt_id), EntryNotice(at=at), None)

    def end(self, result: AttemptResult) -> AttemptResult:
        """Report the result, or, when the api-server cannot take it, a failure that says so. Returns what was reported. Raises as `claim`."""
        try:
            self._end(result)
        except UnreadableRequest as error:
            failure = _build_failure(
                result, f"the api-server refused the result of this attempt ({result.outcome}): {error}"
            )
            try:
                self._end(failure)
            except UnreadableRequest as again:
                raise ClaimRefused(str(again)) from error
            result = failure
        self.drop(result.attempt_id)
        return result

    def _end(self, result: AttemptResult) -> None:
        self._post(f"/attempts/{result.attempt_id}/result", self._find_token(result.attempt_id), result, None)

    def report(self, worker_id: str, reports: Sequence[Report]) -> tuple[ReportAnswer, ...]:
        """Send reports in one request; returns the answer to each. Raises as `claim`, then nothing is known about any of them."""
        answers = self._post(
            f"/workers/{worker_id}/reports",
            self._find_worker_token(worker_id),
            _ReportBatch(reports=tuple(reports)),
            BatchAnswer,
        ).answers
        if len(answers) != len(reports):
            raise ApiAway(f"the api-server has answered {len(answers)} of {len(reports)} reports")
        with self._guard:
            for report, answer in zip(reports, answers, strict=True):
                if isinstance(report, ReportedClaim) and answer.claimed is not None:
                    self._attempt_tokens[report.attempt_id] = (worker_id, answer.claimed.attempt_token)
        return answers

    def find_token(self, attempt_id: str) -> str:
        """The token of a claimed attempt. Raises ClaimRefused."""
        return self._find_token(attempt_id)

    def drop(self, attempt_id: str) -> None:
        """Forget the token of an attempt that has ended."""
        with self._guard:
            self._attempt_tokens.pop(attempt_id, None)

    def ask(self, attempt_id: str, request: AnyTaskApiRequest) -> object:
        """The answer to author code of the attempt. Raises as `claim`, and TaskApiRefused."""
        try:
            return self._post(
                f"/attempts/{attempt_id}/ask",
                self._find_token(attempt_id),
                Question(request=request),
                Reply,
                LOOP_TIMEOUT_S,
            ).value
        except UnreadableRequest as error:
            raise TaskApiRefused(say("request_is_unreadable", error=str(error))) from error

    def ask_for_import(self, worker_id: str, request: AnyTaskApiRequest) -> object:
        """The answer to a DAG file that is being imported. Raises as `ask`."""
        return self._post(
            f"/workers/{worker_id}/ask",
            self._find_worker_token(worker_id),
            Question(request=request),
            Reply,
            LOOP_TIMEOUT_S,
        ).value

    def beat(self, worker_id: str, held_ids: Iterable[str], figures: Iterable[Figure] = ()) -> Beat:
        """Send a heartbeat. Raises as `claim`."""
        notice = BeatNotice(held=tuple(held_ids), figures=tuple(figures))
        beat = self._post(
            f"/workers/{worker_id}/beat", self._find_worker_token(worker_id), notice, Beat, LOOP_TIMEOUT_S
        )
        with self._guard:
            self._worker_tokens[worker_id] = beat.worker_token
            for attempt_id, token in beat.attempt_tokens.items():
                if attempt_id in self._attempt_tokens:
                    self._attempt_tokens[attempt_id] = (worker_id, token)
        return beat

    def send_log(self, attempt_id: str, offset: int, piece: bytes) -> int:
        """Send bytes of the log; the offset that is wanted next, negative for nothing more. Raises as `claim`."""
        reply = self._post(
            f"/attempts/{attempt_id}/log",
            self._find_token(attempt_id),
            RunningLogPiece(offset=offset, piece=piece),
            Reply,
        )
        return reply.value if isinstance(reply.value, int) else -1

    def retire(self, worker_id: str) -> None:
        """Report the orderly end of the worker. Raises as `claim`."""
        self._post(f"/workers/{worker_id}/retire", self._find_worker_token(worker_id), None, None, LOOP_TIMEOUT_S)

    def _find_token(self, attempt_id: str) -> str:
        known_token = self._attempt_tokens.get(attempt_id)
        if known_token is None:
            raise ClaimRefused(f"this worker has no token for attempt {attempt_id}")
        return known_token[1]

    def _find_worker_token(self, worker_id: str) -> str:
        token = self._worker_tokens.get(worker_id)
        if token is None:
            raise ClaimRefused(f"worker {worker_id} has no token: it has not claimed an attempt")
        return token

    def _post(
        self,
        path: str,
        token: str,
        body: msgspec.Struct | None,
        kind: type[Answer] | None,
        timeout_s: float = TIMEOUT_S,
    ) -> Answer:
        payload = b"" if body is None else msgspec.json.encode(body)
        headers = {
            "Authorization": f"Bearer {token}",
            "Content-Type": "application/json",
            VERSION_HEADER: EXECUTION_VERSION,
        }
        status, answer = self._send(path, payload, headers, timeout_s)
        if status in (200, 204):
            return msgspec.json.decode(answer, type=kind) if kind is not None else None  # type: ignore[return-value]
        raise build_refusal(status, _read_detail(answer))

    def _send(self, path: str, payload: bytes, headers: dict[str, str], timeout_s: float) -> tuple[int, bytes]:
        """A kept connection may have been closed by the server: then the request is sent again, once, over a new one. Every request may be repeated."""
        for is_last in (False, True):
            connection, is_new = self._find_connection()
            connection.timeout = timeout_s
            if connection.sock is not None:
                connection.sock.settimeout(timeout_s)
            try:
                connection.post(self._path + path, payload, headers)
                response = connection.getresponse()
                answer = response.read()
            except (OSError, http.client.HTTPException) as error:
                connection.close()
                self._kept.connection = None
                if is_last or is_new or isinstance(error, TimeoutError):
                    kind = ApiNotListening if isinstance(error, ConnectionError) else ApiSilent
                    raise kind(
                        f"the api-server at {self.host}:{connection.port} does not answer: {type(error).__name__}: {error}"
                    ) from error
                continue
            self.answered_at = self._clock.monotonic()
            return response.status, answer
        raise AssertionError

    def _find_connection(self) -> tuple[PlainConnection | SecureConnection, bool]:
        connection = getattr(self._kept, "connection", None)
        if connection is not None:
            return connection, False
        if self._is_secure:
            self._kept.connection = SecureConnection(
                self.host, self._port, timeout=TIMEOUT_S, context=ssl.create_default_context()
            )
        else:
            self._kept.connection = PlainConnection(self.host, self._port, timeout=TIMEOUT_S)
        return self._kept.connection, True


def build_refusal(status: int, detail: str) -> Exception:
    """The exception that an answer with this status of HTTP means."""
    detail = detail or f"the api-server answered with status {status}"
    return _REFUSALS.get(status, ApiAway)(detail)


_REFUSALS: dict[int, type[Exception]] = {
    422: TaskApiRefused,
    401: ClaimRefused,
    409: ClaimRefused,
    410: WorkerGivenUp,
    400: UnreadableRequest,
    413: UnreadableRequest,
}


def _build_failure(result: AttemptResult, reason: str) -> AttemptResult:
    """The attempt as failed for good, without what it produced: the next try would end like this one."""
    return AttemptResult(
        attempt_id=result.attempt_id,
        group_no=result.group_no,
        run_pk=result.run_pk,
        task_no=result.task_no,
        map_index=result.map_index,
        outcome="failed",
        retryable=False,
        callbacks_called=result.callbacks_called,
        entered=result.entered,
        started_at=result.started_at,
        ended_at=result.ended_at,
        reason=reason,
        exit_code=result.exit_code,
    )


def _read_detail(answer: bytes) -> str:
    try:
        return str(msgspec.json.decode(answer, type=_Refused).detail)
    except msgspec.DecodeError:
        return ""
