"""One trigger host from the side of the triggerer: its start, and the state that the pool keeps of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from msgspec.structs import replace

from gnomon.author_code.processes.host_process import HostProcess
from gnomon.model.deferral import DeferralResult
from gnomon.model.sentences import render, say
from gnomon.model.storable_text import escape_unstorable
from gnomon.services.triggerer.host_protocol import (
    FromTriggerHost,
    LoopBlocked,
)

HOST_MODULE = "gnomon.services.triggerer.host_main"
STACK_MAX = 100_000
"""Characters of the stack of a blocked loop that are kept."""
REAP_S = 0.5
"""A host closes its socket a moment before its process ends; waiting for the end takes at most this time."""
_SEND_BUFFER_BYTES = 1024 * 1024
"""Send buffer of the socket: large enough for a burst of events."""


def start_host(environ: Mapping[str, str]) -> HostProcess[FromTriggerHost]:
    """Start a host process; raises OSError when the machine refuses. Its output goes to the output of this process."""
    return HostProcess(HOST_MODULE, environ, FromTriggerHost, send_buffer_bytes=_SEND_BUFFER_BYTES)


def escape_report(report: LoopBlocked) -> LoopBlocked:
    """The report with texts that the store takes: they come from the process of the triggers."""
    return replace(
        report,
        seconds=report.seconds if math.isfinite(report.seconds) else 0.0,
        stack=escape_unstorable(report.stack)[:STACK_MAX],
        classpath=None if report.classpath is None else escape_unstorable(report.classpath),
        task=None if report.task is None else escape_unstorable(report.task),
    )


def build_block_result(block: LoopBlocked, silent_s: float) -> DeferralResult:
    """The result of a trigger that blocked its host for `silent_s` seconds."""
    reason = render(say("trigger_blocked_the_loop", duration=silent_s))
    return DeferralResult(outcome="error", reason=reason, traceback=block.stack)


@dataclass(slots=True)
class HostHandle:
    """One host process and its state; times are monotonic seconds."""

    process: HostProcess[FromTriggerHost]
    started_at: float
    last_message_at: float
    suspicion: int = 0
    """How many hosts before this one ended unexpectedly and soon after their start, with these triggers in them."""
    numbers: set[int] = field(default_factory=set)
    """Numbers of the starts that have not finished in this host."""
    block_report: LoopBlocked | None = None
    is_ready: bool = False
    is_retired: bool = False
    """The host gets no new triggers, and will end."""
    outdated: bool = False
    """A reload was requested; the host is retired as soon as another host can run its triggers."""
    pinged_at: float = 0.0
    idle_since: float = 0.0
