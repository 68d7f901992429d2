"""Author code that the server must ask: timetables. It runs in a child process, each call under a limit, never here.

    who asks (scheduler, a command)
      └─ host process: an interpreter of its own, no database, one question after the other, each call under a limit

`Hosts` is for a service: it posts questions and collects answers, and never waits. `ask_now` is for a command;
`here.HostHere` for simulations. A question
names a function of ours that is called there with the timetable, made again from its stored form.

Failures. Author code that raises is an answer. A call that takes too long is ended inside the process, by an exception
that names the line; a process that hangs in compiled code, crashes or exits is ended from outside. Either way the
question that it was at is to blame, and the others are asked again in a new process. A process whose imported files have
changed retires.
"""

from __future__ import annotations

from gnomon.userhost.hosts import Hosts
from gnomon.userhost.interface import (
    COMING,
    FORECAST,
    PLAN,
    UPSTREAM,
    Answer,
    Question,
    TimetableHost,
    bare,
    packed,
    unpacked,
)
from gnomon.userhost.now import ask_now
from gnomon.userhost.settings import Limits, Settings, settings_from

__all__ = [
    "COMING", "FORECAST", "PLAN", "UPSTREAM", "Answer", "Hosts", "Limits", "Question", "Settings", "TimetableHost", "ask_now",
    "bare", "packed", "settings_from", "unpacked",
]
