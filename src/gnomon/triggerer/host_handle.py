"""How a host of triggers is started, from the keeper's side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from gnomon.processes.host_process import HostProcess
from gnomon.triggerer.host_protocol import (
    FromTriggerHost,
    LoopBlocked,
    TriggerTaskInstance,
)

HOST_MODULE = "gnomon.triggerer.host_main"
REAP_S = 0.5
"""So long a host may take from the end of its words to its own: it closes its socket a moment before it is gone."""
_SEND_BUFFER_BYTES = 1024 * 1024
"""Of the socket: what a burst of events needs."""


def start_host(environ: Mapping[str, str]) -> HostProcess[FromTriggerHost]:
    """It starts now; OSError when the machine refuses. What it prints goes where this process prints."""
    return HostProcess(HOST_MODULE, environ, FromTriggerHost, send_buffer_bytes=_SEND_BUFFER_BYTES)


@dataclass(slots=True)
class HostHandle:
    process: HostProcess[FromTriggerHost]
    started_at: float
    last_message_at: float
    suspicion: int = 0
    """Hosts before this one that ended with these triggers, without a word and soon."""
    numbers: set[int] = field(default_factory=set)
    block_report: LoopBlocked | None = None
    is_ready: bool = False
    is_retired: bool = False
    """It gets no new triggers, and ends."""
    outdated: bool = False
    """A reload has asked for its end; it is retired as soon as another host can run its triggers."""
    pinged_at: float = 0.0
    idle_since: float = 0.0


class TriggerJob(Protocol):
    """A trigger to be run."""

    @property
    def trigger_pk(self) -> int: ...
    @property
    def classpath(self) -> str: ...
    @property
    def kwargs(self) -> str: ...


@dataclass(slots=True)
class CancellingTrigger:
    """A start that has ended or was told to; its cleanup may still run."""

    job: TriggerJob
    task_instance: TriggerTaskInstance
    cancelled_at: float
    on_kill: bool = False
    """Somebody wants to know when it is gone."""
    on_kill_tries: int = 1
