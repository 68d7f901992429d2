"""Author code that the server must ask: timetables. It runs in a child process, each call under a limit, never here.

    who asks (scheduler, a command)
      └─ host process: an interpreter of its own, no database, one question after the other, each call under a limit

`SubprocessTimetableHost` is for a service: it posts questions and collects answers, and never waits. `ask_and_wait` is for a command;
`here.HostHere` for simulations. A question
names a function of ours that is called there with the timetable, made again from its stored form.

Failures. Author code that raises is an answer. A call that takes too long is ended inside the process, by an exception
that names the line; a process that hangs in compiled code, crashes or exits is ended from outside. Either way the
question that it was at is to blame, and the others are asked again in a new process. A process whose imported files have
changed retires.
"""

from __future__ import annotations

from gnomon.timetable_host.protocol import (
    COMING_RUNS,
    FORECAST,
    PLAN_RUNS,
    UPSTREAM_SLOTS,
    TimetableHost,
    TimetableRequest,
    TimetableResponse,
    pack_arguments,
    strip_for_planning,
    unpack_value,
)
from gnomon.timetable_host.settings import CallLimits, TimetableHostSettings, build_timetable_host_settings
from gnomon.timetable_host.subprocess_host import SubprocessTimetableHost
from gnomon.timetable_host.sync_client import ask_and_wait

__all__ = [
    "COMING_RUNS",
    "FORECAST",
    "PLAN_RUNS",
    "UPSTREAM_SLOTS",
    "CallLimits",
    "SubprocessTimetableHost",
    "TimetableHost",
    "TimetableHostSettings",
    "TimetableRequest",
    "TimetableResponse",
    "ask_and_wait",
    "build_timetable_host_settings",
    "pack_arguments",
    "strip_for_planning",
    "unpack_value",
]
