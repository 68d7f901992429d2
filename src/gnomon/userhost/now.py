"""One question to author code, and the wait for its answer: for commands, which may wait."""

from __future__ import annotations

import select
from typing import Any

from gnomon.clock import SystemClock
from gnomon.config import Config
from gnomon.errors.timetable import PlanningError
from gnomon.model.slots import TimetableRef
from gnomon.userhost.hosts import Hosts
from gnomon.userhost.interface import Answers, Question, packed, unpacked
from gnomon.userhost.settings import settings_from

_LOOK_S = 0.2


def ask_now(
    cfg: Config, function: str, kind: Any, *, timetable: TimetableRef | None = None, file: str | None = None,
    imports: bool = False, answers: Answers | None = None, **arguments: Any,
) -> Any:  # fmt: skip
    """What `function(timetable=..., **arguments)` returns, as `kind`, run in a process of its own under the limits of `cfg`.

    `function`: `package.module:name` of ours. `file`: the DAG file that the timetable belongs to. `imports`: the function
    imports author's files, each of which may take as long as an import. `answers`: as for `Hosts`. Raises PlanningError, in words for the author,
    when author code raises, hangs, or ends the process.
    """
    hosts = Hosts(settings_from(cfg), SystemClock(), answers)
    try:
        hosts.ask(Question(
            function=function, timetable=timetable, file=file, imports=imports, arguments=packed(**arguments)
        ))  # fmt: skip
        while True:
            for answer in hosts.collect():
                if answer.error is not None:
                    raise PlanningError(answer.error)
                return unpacked(answer, kind)
            seconds = hosts.wake_in_s()
            select.select(hosts.filenos(), [], [], _LOOK_S if seconds is None else min(seconds, _LOOK_S))
    finally:
        hosts.close()
