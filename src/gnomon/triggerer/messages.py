"""What keeper and host say to one another. A `number` names one start of one trigger, and is never used again."""

from __future__ import annotations

import msgspec

from gnomon.model.deferral import Fired
from gnomon.model.ids import UNMAPPED
from gnomon.wire.messages import Answer, Ask


class Told(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Of the waiting task instance, what its trigger may know."""

    dag_id: str
    run_id: str
    task_id: str
    map_index: int = UNMAPPED
    try_number: int = 0
    log: str | None = None
    """The file of its trigger's log, below the log folder."""

    def named(self) -> str:
        """As people know it."""
        mapped = f"[{self.map_index}]" if self.map_index != UNMAPPED else ""
        return f"{self.dag_id} {self.run_id} {self.task_id}{mapped}"


class Start(msgspec.Struct, frozen=True, kw_only=True, tag=True, omit_defaults=True):
    """Run this trigger."""

    number: int
    classpath: str
    kwargs: str
    told: Told
    trigger_id: int = 0
    killed: bool = False
    """Its wait is over, and it has not heard so: only `on_kill` and `cleanup` are called."""


class Cancel(msgspec.Struct, frozen=True, kw_only=True, tag=True, omit_defaults=True):
    """End it. `on_kill`: a person or the engine ended the wait, so the trigger hears of it; else it goes on elsewhere, or later."""

    numbers: list[int]
    on_kill: bool = False


class Ping(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Answer with the same number."""

    number: int


class Stop(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """End all triggers without `on_kill`, and then yourself, within so many seconds."""

    within_s: float


class Ended(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """One start has ended by itself."""

    number: int
    fired: Fired


class Ends(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Several have; each is told once."""

    ends: list[Ended]


class Gone(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """What was to be cancelled has ended, cleanup included."""

    numbers: list[int]


class Pong(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """The loop turns. With the first one the host is ready."""

    number: int
    running: int


class Blocked(msgspec.Struct, frozen=True, kw_only=True, tag=True, omit_defaults=True):
    """The loop has been late for so long; `number` is the trigger that it was in, if that can be told."""

    seconds: float
    number: int | None = None
    classpath: str | None = None
    task: str | None = None
    stack: str = ""
    over: bool = False
    """The loop turns again."""


ToHost = Start | Cancel | Ping | Stop | Answer
FromHost = Ends | Gone | Pong | Blocked | Ask
