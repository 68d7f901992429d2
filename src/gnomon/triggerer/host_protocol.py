"""What keeper and host say to one another. A `number` names one start of one trigger, and is never used again."""

from __future__ import annotations

import msgspec

from gnomon.model.deferral import DeferralResult
from gnomon.model.ids import UNMAPPED
from gnomon.processes.task_api_messages import TaskApiRequestMessage, TaskApiResponse


class TriggerTaskInstance(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Of the waiting task instance, what its trigger may know."""

    dag_id: str
    run_id: str
    task_id: str
    map_index: int = UNMAPPED
    try_number: int = 0
    log: str | None = None
    """The file of its trigger's log, below the log folder."""

    def describe(self) -> str:
        """As people know it."""
        mapped = f"[{self.map_index}]" if self.map_index != UNMAPPED else ""
        return f"{self.dag_id} {self.run_id} {self.task_id}{mapped}"


class StartTrigger(msgspec.Struct, frozen=True, kw_only=True, tag=True, omit_defaults=True):
    """Run this trigger."""

    number: int
    classpath: str
    kwargs: str
    task_instance: TriggerTaskInstance
    trigger_id: int = 0
    is_on_kill_only: bool = False
    """Its wait is over, and it has not heard so: only `on_kill` and `cleanup` are called."""


class CancelTriggers(msgspec.Struct, frozen=True, kw_only=True, tag=True, omit_defaults=True):
    """End it. `on_kill`: a person or the engine ended the wait, so the trigger hears of it; else it goes on elsewhere, or later."""

    numbers: list[int]
    on_kill: bool = False


class Ping(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Answer with the same number."""

    number: int


class StopHost(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """End all triggers without `on_kill`, and then yourself, within so many seconds."""

    within_s: float


class TriggerEnd(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """One start has ended by itself."""

    number: int
    fired: DeferralResult


class TriggersEnded(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Several have; each is told once."""

    ends: list[TriggerEnd]


class TriggersFinished(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """What was to be cancelled has ended, cleanup included."""

    numbers: list[int]


class Pong(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """The loop turns. With the first one the host is ready."""

    number: int
    running: int


class LoopBlocked(msgspec.Struct, frozen=True, kw_only=True, tag=True, omit_defaults=True):
    """The loop has been late for so long; `number` is the trigger that it was in, if that can be told."""

    seconds: float
    number: int | None = None
    classpath: str | None = None
    task: str | None = None
    stack: str = ""
    is_over: bool = False
    """The loop turns again."""


ToTriggerHost = StartTrigger | CancelTriggers | Ping | StopHost | TaskApiResponse
FromTriggerHost = TriggersEnded | TriggersFinished | Pong | LoopBlocked | TaskApiRequestMessage
