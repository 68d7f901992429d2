"""Runs custom timetables in a child process, each call under a time limit, and never in the calling process.

    caller (scheduler, a command)
      └─ host process: a separate interpreter without database access, one request after the other

`SubprocessTimetableHost` is for services: it sends requests, collects responses, and never blocks. `ask_and_wait` is for
commands, `in_process.InProcessTimetableHost` for simulations. A request names a function of Gnomon that the host calls with
the timetable, which is rebuilt from its stored form.

Failures: an exception of author code is a response. A call that takes too long is ended inside the process, by an exception
that names the line. A process that hangs in compiled code, crashes or exits is ended from outside. In both cases the request
that was being answered is to blame, and the others are sent again to a new process. A process whose imported files have
changed retires.

Open `protocol.py` first, then `subprocess_host.py` and `request_queue.py` (this side), `host_main.py` (inside the host).
"""

from __future__ import annotations

from gnomon.author_code.timetable_host.host_slots import HostsBusy, HostSlots
from gnomon.author_code.timetable_host.protocol import (
    BACKFILL_SLOTS,
    COMING_RUNS,
    FORECAST,
    MUTATE_INSTANCES,
    PARTITION_ANSWERS,
    PARTITION_DATE,
    PLAN_RUNS,
    UPSTREAM_SLOTS,
    TimetableHost,
    TimetableRequest,
    TimetableResponse,
    check_answer,
    pack_arguments,
    strip_for_planning,
    unpack_value,
)
from gnomon.author_code.timetable_host.settings import CallLimits, TimetableHostSettings, build_timetable_host_settings
from gnomon.author_code.timetable_host.subprocess_host import SubprocessTimetableHost
from gnomon.author_code.timetable_host.sync_client import ask_and_wait, share_hosts

__all__ = [
    "BACKFILL_SLOTS",
    "COMING_RUNS",
    "FORECAST",
    "MUTATE_INSTANCES",
    "PARTITION_ANSWERS",
    "PARTITION_DATE",
    "PLAN_RUNS",
    "UPSTREAM_SLOTS",
    "CallLimits",
    "HostSlots",
    "HostsBusy",
    "SubprocessTimetableHost",
    "TimetableHost",
    "TimetableHostSettings",
    "TimetableRequest",
    "TimetableResponse",
    "ask_and_wait",
    "build_timetable_host_settings",
    "check_answer",
    "pack_arguments",
    "share_hosts",
    "strip_for_planning",
    "unpack_value",
]
