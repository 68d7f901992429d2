"""Messages between the triggerer and its hosts. A `number` identifies one start of one trigger and is never reused."""

from __future__ import annotations

import msgspec

from gnomon.author_code.processes.task_api_messages import TaskApiRequestMessage, TaskApiResponse
from gnomon.model.asset_watchers import WatcherEvent
from gnomon.model.deferral import DeferralResult
from gnomon.model.ids import UNMAPPED


class WatchedAssets(msgspec.Struct, frozen=True, kw_only=True):
    """What the trigger of watchers watches."""

    names: tuple[str, ...]
    """The names of the watchers."""
    assets: tuple[tuple[str, str], ...]
    """(name, uri) of the assets."""
    identity: str
    """Hash of class and arguments of the trigger."""


class TriggerTaskInstance(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The part of the deferred task instance that its trigger may read."""

    dag_id: str
    run_id: str
    task_id: str
    map_index: int = UNMAPPED
    try_number: int = 0
    log: str | None = None
    """Path of the trigger's log file, relative to the log folder."""
    watched: WatchedAssets | None = None
    """Set for the trigger of watchers, which has no task instance: the other fields are empty, except `log`."""

    def describe(self) -> str:
        """The task instance, or the watchers, as shown to users."""
        if self.watched is not None:
            return (
                f"watcher {', '.join(self.watched.names)} of asset {', '.join(name for name, _ in self.watched.assets)}"
            )
        mapped = f"[{self.map_index}]" if self.map_index != UNMAPPED else ""
        return f"{self.dag_id} {self.run_id} {self.task_id}{mapped}"


class StartTrigger(msgspec.Struct, frozen=True, kw_only=True, tag=True, omit_defaults=True):
    """To the host: run this trigger."""

    number: int
    classpath: str
    kwargs: str
    task_instance: TriggerTaskInstance
    trigger_id: int = 0
    is_on_kill_only: bool = False
    """The wait is over, and `on_kill` has not run: call only `on_kill` and `cleanup`."""


class CancelTriggers(msgspec.Struct, frozen=True, kw_only=True, tag=True, omit_defaults=True):
    """To the host: end these starts. `on_kill`: the wait was ended by a user or the engine, so the trigger runs `on_kill`;
    otherwise the trigger runs in another host, or later.
    """

    numbers: list[int]
    on_kill: bool = False


class WatcherEventsStored(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """To the host: the last events of these starts are stored, and their triggers go on."""

    numbers: list[int]


class Ping(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """To the host: answer with the same number."""

    number: int


class StopHost(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """To the host: end all triggers without `on_kill`, then the process, within `within_s` seconds."""

    within_s: float


class TriggerEnd(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """One start that has ended by itself, and its result."""

    number: int
    result: DeferralResult


class TriggersEnded(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """From the host: these starts have ended by themselves; each is sent once."""

    ends: list[TriggerEnd]


class TriggersFinished(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """From the host: these starts are over, cleanup included."""

    numbers: list[int]


class WatcherEventYielded(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """From the host: the trigger of watchers has yielded this event, and waits until it is stored."""

    number: int
    event: WatcherEvent


class Pong(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """From the host: the event loop runs. The first Pong says that the host is ready."""

    number: int
    running: int


class LoopBlocked(msgspec.Struct, frozen=True, kw_only=True, tag=True, omit_defaults=True):
    """From the host: the event loop has been blocked for `seconds`; `number` is the trigger that runs, if known."""

    seconds: float
    number: int | None = None
    classpath: str | None = None
    task: str | None = None
    stack: str = ""
    is_over: bool = False
    """The block has ended."""


ToTriggerHost = StartTrigger | CancelTriggers | WatcherEventsStored | Ping | StopHost | TaskApiResponse
FromTriggerHost = TriggersEnded | TriggersFinished | WatcherEventYielded | Pong | LoopBlocked | TaskApiRequestMessage
