"""Requests to custom timetables and their responses: the interface between callers and the host process."""

from __future__ import annotations

from typing import Any, Protocol

import msgspec

from gnomon.author_code.processes.task_api_messages import TaskApiRequestMessage, TaskApiResponse
from gnomon.model.message_bounds import find_message_fault
from gnomon.model.sentences import Sentence, say
from gnomon.model.slots import TimetableRef
from gnomon.model.spec import DagSpec
from gnomon.model.storable_text import escape_unstorable

PLAN_RUNS = "gnomon.rules.planning:plan_runs"
"""The request of the scheduler: which runs a DAG needs next."""
COMING_RUNS = "gnomon.rules.planning.forecast:list_upcoming_runs"
"""The next runs, for display."""
FORECAST = "gnomon.rules.planning.forecast:build_forecast"
"""The next runs with their reasons."""
BACKFILL_SLOTS = "gnomon.rules.planning.backfill_slots:find_backfill_slots"
"""The slots of a DAG in a range of time."""
UPSTREAM_SLOTS = "gnomon.author_code.timetable_host.upstream_lookup:find_upstream_slots"
"""The slots of another DAG that runs wait for."""
PARTITION_ANSWERS = "gnomon.author_code.timetable_host.partition_lookup:answer_partitions"
"""What the partition mappers of a DAG say about the events in its queue."""
PARTITION_DATE = "gnomon.author_code.timetable_host.partition_lookup:resolve_author_partition_date"
"""The date that a partition key of a DAG names."""

MUTATE_INSTANCES = "gnomon.author_code.timetable_host.instance_mutation:mutate_instances"
"""What the cluster policies set on task instances before their next try."""
MUTATION_HOOK = "task_instance_mutation_hook"

CHECK_PARAMS = "gnomon.author_code.timetable_host.param_checks:check_params"
"""What is wrong with values of params by the schemas of their authors."""


class TimetableRequest(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A request to call a function of Gnomon beside author code: `function(timetable=..., **arguments)`."""

    number: int = 0
    """Identifies the request; the response has the same number."""
    function: str
    """`package.module:name`, in gnomon. Arguments and result are data; the type hints of the function give their types."""
    timetable: TimetableRef | None = None
    """Rebuilt in the host and passed as the argument `timetable`; None: the function takes none."""
    file: str | None = None
    """The DAG file of the timetable; it may define the timetable's class."""
    input_hash: str = ""
    """Of that file. A request with another hash is sent to a new process, because the old one has imported the old file."""
    author_classes: tuple[str, ...] = ()
    """Paths of the classes of authors that the function uses without a timetable; they are loaded before it is called."""
    imports_author_files: bool = False
    """The function imports author files: the time limit is that of an import instead of a call."""
    arguments: bytes = b"\x80"
    """The other arguments by name, as MessagePack (see `pack_arguments`)."""

    def author_path(self) -> str | None:
        """The path of the author's class that the request is about, or the name of the hook; None when it is about none."""
        if self.function == MUTATE_INSTANCES:
            return MUTATION_HOOK
        return (
            self.author_classes[0] if self.author_classes else None if self.timetable is None else self.timetable.path
        )

    def author_name(self) -> str:
        """The class, or the hook, that the request is about, for messages; the function when it is about none."""
        return (self.author_path() or self.function).rpartition(".")[2]

    def advice(self) -> Sentence:
        """What a message about the class advises."""
        if self.function == MUTATE_INSTANCES:
            return say("check_the_policies")
        if self.function == CHECK_PARAMS:
            return say("check_the_schemas")
        return say("fix_the_mapper" if self.author_classes else "fix_the_timetable")


class TimetableResponse(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """The result of a request, or its error."""

    number: int
    value: bytes = b"\xc0"
    """The result of the function, as MessagePack (see `unpack_value`)."""
    error: str | None = None
    """Why there is no result, as a message for the author of the timetable."""
    is_process_ended: bool = False
    """The host process had to end with this response."""


class TimetableHost(Protocol):
    """Runs requests beside author code. No method blocks, and no method raises for what author code does."""

    def ask(self, question: TimetableRequest) -> None:
        """Send a request; `collect` returns its response later, in any case."""

    def collect(self) -> list[TimetableResponse]:
        """The responses that have arrived since the last call."""

    def wake_in_s(self) -> float | None:
        """Seconds after which to call `collect` although none of `filenos` is readable; None: not needed."""

    def filenos(self) -> list[int]:
        """Descriptors that become readable when `collect` has something to do."""

    def close(self) -> None:
        """End the processes; open requests get no response."""


def pack_arguments(**arguments: Any) -> bytes:
    """Encode the arguments of a request."""
    return msgspec.msgpack.encode(arguments)


def unpack_value(answer: TimetableResponse, kind: Any) -> Any:
    """The result in a response without an error, as the type `kind`. For one that `check_answer` has returned."""
    return msgspec.msgpack.decode(answer.value, type=kind)


def check_answer(answer: TimetableResponse, kind: Any) -> TimetableResponse:
    """The response, if it has an error or a result of this type that can be stored; else one with an error: code of an author shares the process."""
    if answer.error is not None:
        error = escape_unstorable(answer.error)
        return answer if error == answer.error else msgspec.structs.replace(answer, error=error)
    try:
        fault = find_message_fault(unpack_value(answer, kind))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        fault = str(error)
    if fault is None:
        return answer
    shown = escape_unstorable(fault)[:_FAULT_SHOWN]
    return msgspec.structs.replace(
        answer, value=b"\xc0", error=f"the process of the author's code sent an answer that cannot be used: {shown}"
    )


_FAULT_SHOWN = 400
"""Characters of a fault that an error shows."""


def strip_for_planning(spec: DagSpec) -> DagSpec:
    """The spec without the parts that planning does not read, to keep requests small."""
    return msgspec.structs.replace(spec, tasks=(), params={}, groups={}, edge_labels={}, doc_md=None)


class CallProgress(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Request `number` is being answered and author code makes progress: the next message comes within `timeout_s`."""

    number: int
    timeout_s: float


class HostRetired(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A file that this process has imported has changed: the process ends, and open requests must be sent again."""


FromTimetableHost = TimetableResponse | CallProgress | HostRetired | TaskApiRequestMessage
ToTimetableHost = TimetableRequest | TaskApiResponse
