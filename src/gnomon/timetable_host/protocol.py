"""What is asked of author code, and what it answered: the seam between who asks and the process that it runs in."""

from __future__ import annotations

from typing import Any, Protocol

import msgspec

from gnomon.model.slots import TimetableRef
from gnomon.model.spec import DagSpec
from gnomon.processes.task_api_messages import TaskApiRequestMessage, TaskApiResponse

PLAN_RUNS = "gnomon.planning:plan_runs"
"""The question of the scheduler: which runs a DAG needs next."""
COMING_RUNS = "gnomon.planning.forecast:list_upcoming_runs"
"""The next runs, for people."""
FORECAST = "gnomon.planning.forecast:build_forecast"
"""The next runs with their reasons."""
UPSTREAM_SLOTS = "gnomon.timetable_host.upstream_lookup:find_upstream_slots"
"""Which slots of another DAG runs wait for."""


class TimetableRequest(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A function of ours that is to run beside author code: `function(timetable=..., **arguments)`."""

    number: int = 0
    """Who asks tells its questions apart by it."""
    function: str
    """`package.module:name`, in gnomon. Its arguments and its answer are data; the hints of its signature say which."""
    timetable: TimetableRef | None = None
    """Made again there, as the function's argument of that name; None: it takes none."""
    file: str | None = None
    """The DAG file that the timetable belongs to: its class may stand in it."""
    input_hash: str = ""
    """Of that file: with another one, nothing of what was imported for the last holds."""
    imports_author_files: bool = False
    """The function itself imports author's files: each may take as long as an import, instead of a call."""
    arguments: bytes = b"\x80"
    """The other arguments by name, as MessagePack (`pack_arguments`)."""

    def timetable_name(self) -> str:
        """The class that is asked, as its author knows it."""
        return self.function if self.timetable is None else self.timetable.path.rpartition(".")[2]


class TimetableResponse(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """What came of a question."""

    number: int
    value: bytes = b"\xc0"
    """What the function returned, as MessagePack (`unpack_value`)."""
    error: str | None = None
    """Why there is none: thing, place and remedy, for whoever wrote the timetable."""
    is_process_ended: bool = False
    """The process that gave it had to end."""


class TimetableHost(Protocol):
    """Where author code is asked. No method blocks, none raises for what author code does."""

    def ask(self, question: TimetableRequest) -> None:
        """Its answer will be collected, whatever happens."""

    def collect(self) -> list[TimetableResponse]:
        """The answers that have come since the last call."""

    def wake_in_s(self) -> float | None:
        """When to call `collect` though none of `filenos` is readable; None: there is no need."""

    def filenos(self) -> list[int]:
        """Descriptors that are readable when there is something to collect."""

    def close(self) -> None:
        """Nothing of it is left; what was asked is not answered."""


def pack_arguments(**arguments: Any) -> bytes:
    """The arguments of a question."""
    return msgspec.msgpack.encode(arguments)


def unpack_value(answer: TimetableResponse, kind: Any) -> Any:
    """The value of an answer without an error, as that type."""
    return msgspec.msgpack.decode(answer.value, type=kind)


def strip_for_planning(spec: DagSpec) -> DagSpec:
    """The spec without what planning does not read: a question is short."""
    return msgspec.structs.replace(spec, tasks=(), params={}, groups={}, edge_labels={}, doc_md=None)


class CallProgress(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Question `number` is being answered, and its author's code is not stuck: the next word comes within `patience_s`."""

    number: int
    timeout_s: float


class HostRetired(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A file that this process has imported is another now: it ends, and what it did not answer is to be asked again."""


FromTimetableHost = TimetableResponse | CallProgress | HostRetired | TaskApiRequestMessage
ToTimetableHost = TimetableRequest | TaskApiResponse
