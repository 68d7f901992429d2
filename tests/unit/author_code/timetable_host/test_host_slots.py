"""The bound on host processes of one service, and hosts that are kept for the next request."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.patience import PATIENCE_S
from tests.unit.author_code.timetable_host.asking import MOODY, NOW

from gnomon.author_code.timetable_host import (
    PLAN_RUNS,
    HostsBusy,
    HostSlots,
    SubprocessTimetableHost,
    ask_and_wait,
    build_timetable_host_settings,
    share_hosts,
)
from gnomon.ground.clock import SystemClock
from gnomon.ground.config import Config, load_config
from gnomon.model.errors.timetable import PlanningError
from gnomon.model.instants import SECOND
from gnomon.model.slots import TimetableRef
from gnomon.model.spec import DagSpec
from gnomon.rules.planning import Plan


class CountedHosts(HostSlots):
    """Slots that count the hosts that were created."""

    created = 0

    def take(self, create, *, is_kept):  # type: ignore[no-untyped-def]
        def create_and_count() -> SubprocessTimetableHost:
            self.created += 1
            return create()  # type: ignore[no-any-return]

        return super().take(create_and_count, is_kept=is_kept)


@pytest.fixture
def cfg(tmp_path: Path) -> Config:
    (tmp_path / "dags").mkdir()
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins" / "moody.py").write_text(MOODY)
    return load_config({"GNOMON__SCHEDULER__TIMETABLE_TIMEOUT": "30"}, tmp_path)


@pytest.fixture
def slots() -> Iterator[CountedHosts]:
    made = CountedHosts(2, 1)
    share_hosts(made)
    yield made
    share_hosts(None)
    made.close()


def count_runs(cfg: Config, mood: str = "well", hours: int = 3) -> int:
    ref = TimetableRef(path="moody.Moody", data={"mood": mood}, builtin=False)
    dag = DagSpec(dag_id="a", timetable=ref, start_at=NOW - hours * 3600 * SECOND, catchup=True)
    plan: Plan = ask_and_wait(
        cfg,
        PLAN_RUNS,
        Plan,
        timetable=ref,
        file=str(cfg.dags_folder / "a.py"),
        answers=lambda _question: None,
        dag=dag,
        cursor=None,
        now=NOW,
        max_new_runs=200,
        has_unfinished_runs=False,
    )
    return len(plan.runs)


def create_idle(cfg: Config) -> SubprocessTimetableHost:
    return SubprocessTimetableHost(build_timetable_host_settings(cfg), SystemClock())


def test_a_request_takes_the_host_of_the_one_before_it(cfg: Config, slots: CountedHosts) -> None:
    assert [count_runs(cfg), count_runs(cfg, hours=5)] == [3, 5]
    assert slots.created == 1


def test_a_kept_host_sees_the_file_as_it_is_now(cfg: Config, slots: CountedHosts) -> None:
    assert count_runs(cfg) == 3
    (cfg.home / "plugins" / "moody.py").write_text(MOODY.replace("timedelta(hours=1)", "timedelta(minutes=30)"))
    assert count_runs(cfg) == 6
    assert slots.created == 1


def test_a_host_whose_request_failed_is_not_kept(cfg: Config, slots: CountedHosts) -> None:
    with pytest.raises(PlanningError):
        count_runs(cfg, "leave")
    assert count_runs(cfg) == 3
    assert slots.created == 2


def test_a_request_beyond_the_bound_is_refused_and_the_next_one_is_not(cfg: Config) -> None:
    slots = HostSlots(2, 1)
    with ExitStack() as stack:
        for _ in range(2):
            stack.enter_context(slots.take(lambda: create_idle(cfg), is_kept=True))
        with (
            pytest.raises(
                HostsBusy, match="runs 2 processes with code of authors at the same time.*try again in a second"
            ),
            slots.take(lambda: create_idle(cfg), is_kept=True),
        ):
            pass
    with slots.take(lambda: create_idle(cfg), is_kept=False):
        slots.close()


def test_a_kept_host_that_nobody_takes_is_ended(cfg: Config) -> None:
    ended = threading.Event()

    class Host(SubprocessTimetableHost):
        def close(self) -> None:
            super().close()
            ended.set()

    slots = HostSlots(1, 1, kept_s=0.01)
    with slots.take(lambda: Host(build_timetable_host_settings(cfg), SystemClock()), is_kept=True):
        pass
    assert ended.wait(PATIENCE_S)
