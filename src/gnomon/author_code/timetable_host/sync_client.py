"""Sends one request to a timetable host and waits for the response: for commands, and for requests of the API, which may block a thread."""

from __future__ import annotations

import select
from typing import Any

from gnomon.author_code.processes.task_api_messages import TaskApiHandler
from gnomon.author_code.timetable_host.host_slots import HostSlots
from gnomon.author_code.timetable_host.protocol import (
    CHECK_PARAMS,
    TimetableRequest,
    check_answer,
    pack_arguments,
    unpack_value,
)
from gnomon.author_code.timetable_host.settings import build_timetable_host_settings
from gnomon.author_code.timetable_host.subprocess_host import SubprocessTimetableHost
from gnomon.ground.clock import SystemClock
from gnomon.ground.config import Config
from gnomon.model.errors.timetable import PlanningError
from gnomon.model.slots import TimetableRef

_POLL_S = 0.2
_slots: HostSlots | None = None
"""None: each request starts and ends a host, however many there are."""
_check_slots: HostSlots | None = None
"""The same for CHECK_PARAMS: a pattern that takes long takes no host of a timetable, and meets none that author code was loaded into."""


def share_hosts(slots: HostSlots | None, check_slots: HostSlots | None = None) -> None:
    """From now on take the hosts of this process from these slots, those that check params from others. All requests must have the same configuration."""
    global _slots, _check_slots
    _slots, _check_slots = slots, check_slots


def ask_and_wait(
    cfg: Config,
    function: str,
    kind: Any,
    *,
    timetable: TimetableRef | None = None,
    file: str | None = None,
    classes: tuple[str, ...] = (),
    imports: bool = False,
    answers: TaskApiHandler | None = None,
    **arguments: Any,
) -> Any:
    """The result of `function(timetable=..., **arguments)` as the type `kind`, run in a host process under the limits of `cfg`.

    `function`: `package.module:name` of Gnomon. `file`: the DAG file of the timetable. `classes`: paths of other classes of
    authors that the function uses. `imports`: the function imports author files, so the time limit is that of an import. `answers`: as for `SubprocessTimetableHost`. Raises PlanningError, with a
    message for the author, when author code raises, hangs, or ends the process; after `share_hosts` HostsBusy when all slots are taken.
    """

    def create() -> SubprocessTimetableHost:
        return SubprocessTimetableHost(build_timetable_host_settings(cfg), SystemClock(), answers)

    request = TimetableRequest(
        function=function,
        timetable=timetable,
        file=file,
        author_classes=classes,
        imports_author_files=imports,
        arguments=pack_arguments(**arguments),
    )
    is_check = function == CHECK_PARAMS
    slots = _check_slots if is_check else _slots
    if slots is not None:
        with slots.take(create, is_kept=is_check or (answers is not None and not imports)) as hosts:
            return _wait(hosts, request, kind)
    hosts = create()
    try:
        return _wait(hosts, request, kind)
    finally:
        hosts.close()


def _wait(hosts: SubprocessTimetableHost, request: TimetableRequest, kind: Any) -> Any:
    hosts.ask(request)
    while True:
        for answer in hosts.collect():
            answer = check_answer(answer, kind)
            if answer.error is not None:
                raise PlanningError(answer.error)
            return unpack_value(answer, kind)
        seconds = hosts.wake_in_s()
        select.select(hosts.filenos(), [], [], _POLL_S if seconds is None else min(seconds, _POLL_S))
