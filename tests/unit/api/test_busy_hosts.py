"""Requests about timetables of authors while all processes for code of authors are busy."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from tests.unit.api.served import Client
from tests.unit.entry.cli.deployment import HOURLY, Deployment, spec_of

from gnomon.author_code.timetable_host import (
    HostSlots,
    SubprocessTimetableHost,
    build_timetable_host_settings,
    share_hosts,
)
from gnomon.ground.clock import SystemClock
from gnomon.model.slots import TimetableRef


@pytest.fixture
def busy(deployment: Deployment) -> Iterator[None]:
    """The only host process of this service is busy."""
    cfg = deployment.home.cfg
    slots = HostSlots(1, 1)
    with ExitStack() as stack:
        stack.enter_context(
            slots.take(
                lambda: SubprocessTimetableHost(build_timetable_host_settings(cfg), SystemClock()), is_kept=False
            )
        )
        share_hosts(slots)
        stack.callback(share_hosts, None)
        yield


@pytest.mark.usefixtures("busy")
def test_the_next_runs_of_an_authors_timetable_are_refused_for_a_second(api: Client, deployment: Deployment) -> None:
    deployment.add(
        spec_of("strange", timetable=TimetableRef(path="plugin.Strange", builtin=False)), file="/dags/strange.py"
    )
    reply = api.request("GET", "/api/gnomon/v1/dags/strange/nextRuns")
    assert (reply.status, reply.headers["retry-after"], reply.headers["gnomon-error"]) == (503, "1", "HostsBusy")
    assert "try again in a second" in reply.json()["detail"]


@pytest.mark.usefixtures("busy")
def test_the_next_runs_of_a_built_in_timetable_need_no_process(api: Client, deployment: Deployment) -> None:
    deployment.add(spec_of("hourly", timetable=HOURLY), file="/dags/hourly.py")
    assert api.own("/dags/hourly/nextRuns?limit=1")["next_runs"]
    assert api.own("/dags/hourly/explain")["state"]
