"""Edges with an author's timetable: asked elsewhere, answered later, and whatever goes wrong stands on the runs that wait."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest
from tests.databases import create_schema
from tests.unit.services.scheduler.between import HOUR, MINUTE, START, World, cron
from tests.unit.services.scheduler.test_author_plans import FAULT, Hourly

from gnomon.author_code.timetable_host import UPSTREAM_SLOTS, TimetableRequest, TimetableResponse, ask_and_wait
from gnomon.author_code.timetable_host.in_process import InProcessTimetableHost
from gnomon.ground.config import load_config
from gnomon.model.errors.timetable import PlanningError
from gnomon.model.slots import TimetableRef
from gnomon.model.upstream_edges import DependencySpec
from gnomon.rules.dependencies.upstream_query import DagSide, RecordedSlots, ResolvedSlots, UpstreamAnswer
from gnomon.rules.timetables.registry import reference
from gnomon.services.scheduler import upstream_reader as upstreams_module
from gnomon.services.scheduler.settings import PLAN_RETRY_S
from gnomon.services.scheduler.timetable_multiplexer import TimetableHostMultiplexer

TEN_MINUTES = 1 / 6


class Slow(InProcessTimetableHost):
    """A host that answers nothing about upstreams while it is told not to."""

    def __init__(self) -> None:
        super().__init__()
        self.silent = False
        self.kept: list[TimetableRequest] = []
        self.asked = 0

    def ask(self, question: TimetableRequest) -> None:
        if question.function == UPSTREAM_SLOTS:
            self.asked += 1
            if self.silent:
                self.kept.append(question)
                return
        super().ask(question)

    def answer_all(self) -> None:
        kept, self.kept, self.silent = self.kept, [], False
        for question in kept:
            super().ask(question)


@pytest.fixture
def host() -> Slow:
    FAULT.clear()
    return Slow()


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, host: Slow) -> Iterator[World]:
    url = f"sqlite:///{tmp_path / 'gnomon.db'}"
    create_schema(url)
    made = World(url, monkeypatch, host=host)
    yield made
    made.db.close()
    FAULT.clear()


@pytest.mark.parametrize(
    ("up", "down"), [(Hourly(), cron("0 * * * *")), (cron("0 * * * *"), Hourly()), (Hourly(), Hourly())]
)
def test_an_authors_timetable_on_either_side_is_asked(world: World, host: Slow, up: Hourly, down: Hourly) -> None:
    world.dag("up", up, run_s=600)
    world.dag("down", down, DependencySpec(dag_id="up"))
    world.dag("itself", down, DependencySpec(dag_id="itself", previous=1), run_s=5400)
    world.until(3.9)
    assert world.started("down") == {hour: hour + TEN_MINUTES for hour in range(4)}
    assert world.started("itself") == {0: 0, 1: 1.5, 2: 3}
    assert host.asked


def test_one_question_an_edge_is_under_way_and_nobody_else_waits_for_it(world: World, host: Slow) -> None:
    world.dag("up", Hourly(), run_s=60)
    world.dag("down", cron("0 * * * *"), DependencySpec(dag_id="up"), start_at=START - 15 * HOUR)
    world.dag("late", cron("0 * * * *"), DependencySpec(dag_id="other"))
    world.dag("other", cron("0 * * * *"), run_s=60)
    host.silent = True
    world.until(0.9)
    assert len(host.kept) == 1 and not world.started("down") and world.started("late") == {0: pytest.approx(1 / 60)}
    host.answer_all()
    world.until(1.5)
    assert world.started("down") == {
        **dict.fromkeys(range(-15, 1), 0.9),
        1: pytest.approx(1 + 1 / 60),
    }


def test_a_timetable_that_fails_is_the_reason_and_asked_again_after_a_minute(world: World, host: Slow) -> None:
    world.dag("up", Hourly(), run_s=60)
    world.until(0.5)
    FAULT.append("moody")
    world.dag("down", cron("0 * * * *"), DependencySpec(dag_id="up"), start_at=START - HOUR)
    world.until(0.5)
    for hour in (-1, 0):
        assert "ValueError: moody" in (world.run("down", hour).reason or "")
    asked = host.asked
    FAULT.clear()
    world.until(0.5 + (PLAN_RETRY_S - 1) / 3600)
    assert host.asked == asked and not world.started("down")
    world.until(0.5 + (PLAN_RETRY_S + 1) / 3600)
    assert world.started("down") == dict.fromkeys((-1, 0), 0.5 + PLAN_RETRY_S / 3600)


def test_the_next_version_of_the_dag_is_asked_at_once(world: World) -> None:
    world.dag("up", Hourly(), run_s=60)
    world.until(0.5)
    FAULT.append("moody")
    world.dag("down", cron("0 * * * *"), DependencySpec(dag_id="up"))
    world.until(0.5)
    assert not world.started("down")
    FAULT.clear()
    world.dag("down", cron("0 * * * *"), DependencySpec(dag_id="up"), max_active_runs=3)
    world.until(0.5)
    assert world.started("down") == {0: 0.5}


def test_an_answer_about_an_upstream_that_is_another_now_does_not_count(world: World, host: Slow) -> None:
    world.dag("up", Hourly(), run_s=60)
    host.silent = True
    world.dag("down", cron("0 * * * *"), DependencySpec(dag_id="up"), start_at=START + HOUR)
    world.until(1.1)
    world.dag("up", cron("45 * * * *"), run_s=60)
    world.until(1.2)
    host.answer_all()
    world.until(1.3)
    assert [wait.up_at for wait in world.waits("down", 1)] == [START + HOUR, START + HOUR + 45 * MINUTE]


def test_a_dependency_without_an_answer_stands_on_its_runs_alone(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    really = upstreams_module.upstream_dags.find_upstream_dag

    def find(tx: object, dag_id: str) -> object:
        if dag_id == "broken":
            raise msgspec.DecodeError("no spec")
        return really(tx, dag_id)  # type: ignore[arg-type]

    monkeypatch.setattr(upstreams_module.upstream_dags, "find_upstream_dag", find)
    world.dag("up", cron("0 * * * *"))
    world.dag("down", cron("0 * * * *"), DependencySpec(dag_id="up"))
    world.dag("circle", cron("0 * * * *"), DependencySpec(dag_id="circle"))
    world.dag("zoned", cron("0 * * * *"), DependencySpec(dag_id="up", zone="Nowhere/Else"))
    world.dag("late", cron("0 * * * *"), DependencySpec(dag_id="broken"))
    world.until(0.5)
    assert world.started("down") == {0: 0}
    assert "write After('circle', previous=1)" in (world.run("circle", 0).reason or "")
    assert "time zone 'Nowhere/Else' is not in the tz database" in (world.run("zoned", 0).reason or "")
    assert "DAG broken cannot be read (no spec)" in (world.run("late", 0).reason or "")


# ---- where they are asked --------------------------------------------------------------------------------------------
FILE = """
from datetime import timedelta
from gnomon.timetables import DagRunInfo, DataInterval, Timetable


class {name}(Timetable):
    def infer_manual_data_interval(self, *, run_after):
        return DataInterval.exact(run_after)

    def next_dagrun_info(self, *, last_automated_data_interval, restriction):
        if last_automated_data_interval is None:
            return DagRunInfo.exact(restriction.earliest)
        return DagRunInfo.exact(last_automated_data_interval.end + timedelta(hours={hours}))
"""


def _sides(folder: Path, *, broken: bool = False) -> tuple[DagSide, DagSide]:
    """Two DAGs, each with a class of its own in a file of its own."""
    from gnomon.author_code.loading.dagfile import module_name

    found = []
    for name, hours in (("EverySix", 6), ("EveryThree", 3)):
        path = folder / f"{name.lower()}.py"
        path.write_text(FILE.format(name=name, hours=hours) + ("1 / 0\n" if broken and hours == 3 else ""))
        ref = TimetableRef(path=f"{module_name(str(path))}.{name}", builtin=False)
        found.append(DagSide(dag_id=name, timetable=ref, file=str(path), start_at=START))
    return found[0], found[1]


def _asked(tmp_path: Path, past: RecordedSlots | None, *, broken: bool = False) -> UpstreamAnswer:
    folder = tmp_path / "dags"
    folder.mkdir()
    down, up = _sides(folder, broken=broken)
    cfg = load_config({"GNOMON__CORE__DAGS_FOLDER": str(folder)}, tmp_path)
    told: UpstreamAnswer = ask_and_wait(
        cfg,
        UPSTREAM_SLOTS,
        UpstreamAnswer,
        timetable=down.timetable,
        file=down.file,
        imports=True,
        dependency=DependencySpec(dag_id=up.dag_id),
        down=down,
        up=up,
        ats=(START + 6 * HOUR,),
        past=past,
    )
    return told


def test_two_classes_of_two_files_are_asked_in_one_process(tmp_path: Path) -> None:
    moment = datetime.fromtimestamp(START / 1_000_000, UTC) + timedelta(hours=6)
    assert moment.hour == 6
    assert _asked(tmp_path, None).wanted_range == (START, START + 24 * HOUR)


def test_with_the_past_they_find_the_slots(tmp_path: Path) -> None:
    told = _asked(tmp_path, RecordedSlots((START, START + 3 * HOUR), START + 3 * HOUR))
    assert told.resolved == (ResolvedSlots((START + 6 * HOUR,), "same_hour"),)


def test_a_file_of_the_two_that_cannot_be_imported_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        PlanningError, match=r"everythree\..*EveryThree cannot be loaded: importing it raised ZeroDivisionError"
    ):
        _asked(tmp_path, None, broken=True)


# ---- the desk --------------------------------------------------------------------------------------------------------
def test_each_place_at_the_desk_gets_its_own_answers() -> None:
    desk = TimetableHostMultiplexer(InProcessTimetableHost())
    one, other = desk.open_client(), desk.open_client()
    one.ask(TimetableRequest(number=7, function="no.function:here"))
    other.ask(TimetableRequest(number=7, function="none.either:here"))
    (answer,) = one.collect()
    assert answer.number == 7 and "no.function:here" in (answer.error or "")
    assert desk.wake_in_s() == 0.0, "an answer is still to be collected"
    (answer,) = other.collect()
    assert isinstance(answer, TimetableResponse) and "none.either:here" in (answer.error or "")
    assert one.collect() == other.collect() == [] and desk.wake_in_s() is None and desk.filenos() == []


def test_references_of_authors_are_no_builtin_ones() -> None:
    assert not reference(Hourly()).builtin
