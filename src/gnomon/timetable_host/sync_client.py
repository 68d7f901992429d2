"""One question to author code, and the wait for its answer: for commands, which may wait."""

from __future__ import annotations

import select
from typing import Any

from gnomon.clock import SystemClock
from gnomon.config import Config
from gnomon.errors.timetable import PlanningError
from gnomon.model.slots import TimetableRef
from gnomon.processes.task_api_messages import TaskApiHandler
from gnomon.timetable_host.protocol import TimetableRequest, pack_arguments, unpack_value
from gnomon.timetable_host.settings import build_timetable_host_settings
from gnomon.timetable_host.subprocess_host import SubprocessTimetableHost

_POLL_S = 0.2


def ask_and_wait(
    cfg: Config, function: str, kind: Any, *, timetable: TimetableRef | None = None, file: str | None = None,
    imports: bool = False, answers: TaskApiHandler | None = None, **arguments: Any,
) -> Any:  # fmt: skip
    """What `function(timetable=..., **arguments)` returns, as `kind`, run in a process of its own under the limits of `cfg`.

    `function`: `package.module:name` of ours. `file`: the DAG file that the timetable belongs to. `imports`: the function
    imports author's files, each of which may take as long as an import. `answers`: as for `SubprocessTimetableHost`. Raises PlanningError, in words for the author,
    when author code raises, hangs, or ends the process.
    """
    hosts = SubprocessTimetableHost(build_timetable_host_settings(cfg), SystemClock(), answers)
    try:
        hosts.ask(TimetableRequest(
            function=function, timetable=timetable, file=file, imports_author_files=imports, arguments=pack_arguments(**arguments)
        ))  # fmt: skip
        while True:
            for answer in hosts.collect():
                if answer.error is not None:
                    raise PlanningError(answer.error)
                return unpack_value(answer, kind)
            seconds = hosts.wake_in_s()
            select.select(hosts.filenos(), [], [], _POLL_S if seconds is None else min(seconds, _POLL_S))
    finally:
        hosts.close()
