"""The requests and answers of the execution API (`/execution`): what a worker asks that has no database. All are JSON."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from gnomon.model.attempts import Attempt, AttemptResult, XComElement
from gnomon.model.instants import Instant
from gnomon.model.task_api_requests import AnyTaskApiRequest

EXECUTION_VERSION = "2026-11-26"
"""The date of the newest version of the execution API. A worker sends the version that it speaks in the header VERSION_HEADER."""
KNOWN_VERSIONS = (EXECUTION_VERSION, "2026-11-24")
"""The versions that the api-server answers: the newest one, and that of the release before."""
VERSION_HEADER = "Gnomon-Execution-Version"
EXECUTION_PREFIX = "/execution"
REPORTS_MAX = 200
"""Reports in one ReportBatch."""


QueueName = Annotated[str, Meta(pattern=r"^[^\x00-\x1f\ud800-\udfff]+\Z", max_length=255)]


class ClaimRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A worker claims an attempt before anything of it runs."""

    worker_id: Annotated[str, Meta(pattern=r"^[A-Za-z0-9-]{1,64}\Z")]
    secret: Annotated[str, Meta(pattern=r"^[A-Za-z0-9]{32,128}\Z")]
    """Random, of this worker: nobody else can claim with its id, which is not secret, and get its token."""
    host: Annotated[str, Meta(pattern=r"^[^\x00-\x1f]*\Z", max_length=255)]
    slots: Annotated[int, Meta(ge=0, lt=2**31)]
    queues: Annotated[tuple[QueueName, ...], Meta(max_length=256)] | None = None
    """The queues that it takes messages from; None: it takes none, as in a pod."""


class ClaimedAttempt(msgspec.Struct, frozen=True, kw_only=True):
    """The attempt, and the tokens with which it and its worker ask from now on."""

    attempt: Attempt
    elements: tuple[XComElement, ...]
    attempt_token: str
    worker_token: str
    dags_folder: str
    """The folder of the DAG files on the host of the scheduler: `attempt.file` lies in it."""


class EntryNotice(msgspec.Struct, frozen=True, kw_only=True):
    """Author code was entered."""

    at: Annotated[Instant, Meta(ge=0, lt=2**62)]


class ReportedClaim(msgspec.Struct, frozen=True, kw_only=True, tag="claim"):
    """A registered worker claims an attempt, as with a ClaimRequest."""

    attempt_id: str
    token: str
    """The token of the message of the broker."""


class ReportedEntry(msgspec.Struct, frozen=True, kw_only=True, tag="entry"):
    """Author code of an attempt was entered."""

    attempt_id: str
    token: str
    at: Annotated[Instant, Meta(ge=0, lt=2**62)]


class ReportedResult(msgspec.Struct, frozen=True, kw_only=True, tag="result"):
    """An attempt has ended."""

    token: str
    result: AttemptResult


Report = ReportedClaim | ReportedEntry | ReportedResult


class ReportBatch(msgspec.Struct, frozen=True, kw_only=True):
    """Reports of one worker about several attempts, each with the token of its attempt. Each is read and answered by itself."""

    reports: Annotated[tuple[msgspec.Raw, ...], Meta(max_length=REPORTS_MAX)]
    """Each is a `Report`."""


class ReportAnswer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The answer to one report, as a request with this report alone would get it."""

    status: int = 204
    """The status code of HTTP."""
    detail: str = ""
    claimed: ClaimedAttempt | None = None


class BatchAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The answers to a ReportBatch, in the order of its reports."""

    answers: tuple[ReportAnswer, ...]


Label = Annotated[str, Meta(max_length=100)]
Figure = tuple[Label, Annotated[tuple[Label, ...], Meta(max_length=4)], float]
"""The name of a metric, the values of its labels, and its value."""


class BeatNotice(msgspec.Struct, frozen=True, kw_only=True):
    """A heartbeat of a worker."""

    held: tuple[str, ...]
    """The attempts that the worker claims, runs, or has results of. A claim that is not among them for long was lost with its answer."""
    figures: Annotated[tuple[Figure, ...], Meta(max_length=200)] = ()
    """What the worker counts of itself, with some of its heartbeats."""


class Beat(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to a heartbeat of a worker. A worker that was declared lost gets the status 410: it ends its attempts and begins a new incarnation."""

    worker_token: str
    attempt_tokens: dict[str, str]
    """A new token for each attempt that the worker has claimed."""
    cancellations: tuple[tuple[str, str, float], ...]
    """(attempt id, reason, seconds between SIGTERM and SIGKILL) of attempts that are to end."""
    now: Instant = 0
    """The clock of the database; 0: the api-server is of an older release."""


class RunningLogPiece(msgspec.Struct, frozen=True, kw_only=True):
    """New bytes of the log of a running attempt. The answer is a `Reply` with the offset that is wanted next; negative: nothing more."""

    offset: Annotated[int, Meta(ge=0, lt=2**53)]
    piece: Annotated[bytes, Meta(max_length=131_072)]


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """A request of the task API."""

    request: AnyTaskApiRequest


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """The value of the answer to a `Question`."""

    value: object
