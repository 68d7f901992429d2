"""Runs that wait for runs of other DAGs, as a person sees them: `explain`, `runs release`, `runs clear --downstream-dags`."""

from __future__ import annotations

import json
import os
import pty

import msgspec
import pytest
from tests.unit.entry.cli.conftest import Gnomon
from tests.unit.entry.cli.deployment import HOURLY, Deployment, spec_of

from gnomon.model.slots import TimetableRef
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.model.upstream_edges import DependencySpec
from gnomon.rules.timetables.registry import reference
from gnomon.storage.store.dag_records import event_log
from gnomon.testing import Play
from gnomon.timetables import Daily, DiscreteHours, Hourly, Minutely

RUN = "scheduled__2026-03-01T10:00:00+00:00"
NOON = reference(DiscreteHours([12]))


def started(deployment: Deployment, *specs: DagSpec) -> Deployment:
    """It is ten seconds past 10:00, and the runs of 10:00 were made."""
    deployment.clock.advance(3590.0)
    deployment.add(*specs)
    deployment.start()
    deployment.move(20.0)
    return deployment


def loads(timetable: TimetableRef = HOURLY) -> DagSpec:
    return spec_of("loads", {"load": ()}, timetable=timetable)


def report(**after: object) -> DagSpec:
    return spec_of(
        "report", {"print": ()}, timetable=HOURLY, depends_on=(DependencySpec(**{"dag_id": "loads", **after}),)
    )  # type: ignore[arg-type]


@pytest.fixture
def waiting(deployment: Deployment) -> Deployment:
    """`load` takes 100 s, `report` waits for it, `summary` for `report`."""
    deployment.plays["load"] = Play(run_s=100.0)
    summary = spec_of("summary", {"sum": ()}, timetable=HOURLY, depends_on=(DependencySpec(dag_id="report"),))
    return started(deployment, loads(), report(), summary)


def told(gnomon: Gnomon, *words: str) -> list[str]:
    ended = gnomon("explain", *words)
    assert (ended.code, ended.err) == (0, "")
    return [line.replace(f"scheduled__{RUN[11:]}", "R").replace(RUN, "R") for line in ended.out.splitlines()]


# ---- explain -------------------------------------------------------------------------------------------------------------
def test_a_waiting_run_says_for_what_by_which_rule_since_when_and_what_would_release_it(
    gnomon: Gnomon, waiting: Deployment
) -> None:
    assert told(gnomon, "report", RUN) == [
        "report waits for loads (same hour: all slots of the run's hour), since 2026-03-01T10:00:00Z",
        "  run R of loads has been running since 2026-03-01T10:00:00Z",
        "  to stop waiting: gnomon runs release report R --from loads",
    ]
    assert "  run R of report is queued: waits for loads" in told(gnomon, "summary", RUN)
    assert f"run R is queued (waits for loads): gnomon explain report {'R'}" in told(gnomon, "report")
    assert told(gnomon, "report", RUN, "print")[0] == "its run is queued: it waits for loads"


def test_listings_show_what_a_run_waits_for(gnomon: Gnomon, waiting: Deployment) -> None:
    (row,) = json.loads(gnomon("runs", "list", "report", "-o", "json").out)
    assert (row["state"], row["reason"]) == ("queued", "waits for loads")
    assert "reason               waits for loads" in gnomon("runs", "show", "report", RUN).out
    shown = json.loads(gnomon("dags", "show", "report", "-o", "json").out)
    assert (shown["depends_on"], shown["needed_by"]) == (["report waits for loads"], ["summary"])
    assert "\ndependencies\n  report waits for loads\n" in gnomon("dags", "show", "report").out


def test_a_run_that_ran_says_what_it_had_waited_for(gnomon: Gnomon, waiting: Deployment) -> None:
    waiting.move(120.0)
    ended, waited = told(gnomon, "report", RUN)
    assert ended.startswith("run R ended in state success")
    assert waited.startswith(
        "report waited for loads (same hour): the slot at 2026-03-01T10:00:00Z is done, the last change at 2026-03-01T10:01:"
    )


def test_a_run_whose_upstream_was_cleared_after_it_ran_says_so(gnomon: Gnomon, waiting: Deployment) -> None:
    waiting.move(120.0)
    assert gnomon("runs", "clear", "loads", RUN).code == 0
    lines = told(gnomon, "report", RUN)
    assert lines[2].startswith("run R of loads was cleared at 2026-03-01T10:02:1")
    assert lines[2].endswith(", after this run had started, and is running")
    assert lines[3] == "to run this run again after them: gnomon runs clear report R"


def test_a_failed_upstream_names_the_run_and_how_to_run_it_again(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.plays["load"] = Play(run_s=1.0, outcome="failed", reason="ValueError: no")
    started(deployment, loads(), report())
    (line,) = [line for line in told(gnomon, "report", RUN) if " failed at " in line]
    assert line.startswith("  run R of loads failed at 2026-03-01T10:00:0")
    assert line.endswith("; run it again with: gnomon runs clear loads R")


def test_a_slot_that_is_not_due_yet_is_told_with_its_time_and_a_paused_dag_with_the_remedy(
    gnomon: Gnomon, deployment: Deployment
) -> None:
    started(deployment, loads(NOON), report())
    assert "  loads: its run is due at 2026-03-01T12:00:00Z and is not created yet" in told(gnomon, "report", RUN)
    assert "(whole" not in told(gnomon, "report", RUN)[0] and "(rule two, forward: " in told(gnomon, "report", RUN)[0]
    gnomon("dags", "pause", "loads")
    assert any(
        "not created yet; DAG loads is paused; unpause it with: gnomon dags unpause loads" in line
        for line in told(gnomon, "report", RUN)
    )


def test_an_upstream_that_there_is_not_is_waited_for_in_words(gnomon: Gnomon, deployment: Deployment) -> None:
    started(deployment, report(dag_id="laods"))
    assert told(gnomon, "report", RUN)[1] == "  there is no DAG laods; the wait lasts until a file defines it"


def test_a_limit_is_told_with_its_instant_and_what_it_ended(gnomon: Gnomon, deployment: Deployment) -> None:
    started(deployment, loads(NOON), report(max_wait_s=60.0))
    assert told(gnomon, "report", RUN)[0].endswith("; it fails at 2026-03-01T10:01:00Z if the wait lasts until then")
    deployment.move(60.0)
    assert told(gnomon, "report", RUN)[0].startswith("run R ended in state failed at 2026-03-01T10:01:0")


def test_a_task_that_waits_is_told_with_the_task_that_it_waits_for(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.plays["load"] = Play(run_s=100.0)
    tasks = (
        TaskSpec(task_id="print", depends_on=(DependencySpec(dag_id="loads", task_id="load"),)),
        TaskSpec(task_id="free"),
    )
    started(deployment, loads(), spec_of("report", timetable=HOURLY, tasks=tasks))
    for words in (("report", RUN), ("report", RUN, "print")):
        assert told(gnomon, *words)[-3:] == [
            "report.print waits for loads.load (same hour: all slots of the run's hour), since 2026-03-01T10:00:00Z",
            "  task load of run R of loads is in state running",
            "  to stop waiting: gnomon runs release report R --from loads",
        ]
    assert not any("waits for" in line for line in told(gnomon, "report", RUN, "free"))
    deployment.move(120.0)
    assert told(gnomon, "report", RUN, "print")[1].startswith(
        "report.print waited for loads.load (same hour): the slot at "
    )


def test_a_task_that_is_waited_for_and_has_not_begun_has_no_status_yet(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.plays["get"] = Play(run_s=100.0)
    up = spec_of("loads", {"get": (), "load": ("get",)}, timetable=HOURLY)
    task = TaskSpec(task_id="print", depends_on=(DependencySpec(dag_id="loads", task_id="load"),))
    started(deployment, up, spec_of("report", timetable=HOURLY, tasks=(task,)))
    assert "  task load of run R of loads has no status yet" in told(gnomon, "report", RUN)


def test_several_slots_are_told_in_one_sentence(gnomon: Gnomon, deployment: Deployment) -> None:
    started(deployment, loads(reference(Minutely(every=10))), report())
    deployment.move(10.0)
    _, waited = told(gnomon, "report", RUN)
    assert (
        "the slot at 2026-03-01T10:00:00Z is done; each of the slots at 2026-03-01T09:10:00Z, at 2026-03-01T09:20:00Z, at "
        in waited
    )
    assert "at 2026-03-01T09:50:00Z has no run, and is not waited for" in waited


def test_a_run_that_a_failed_upstream_ended_says_which(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.plays["load"] = Play(run_s=1.0, outcome="failed", reason="ValueError: no")
    started(deployment, loads(), report(on_failure="cancel"))
    ended, waited = told(gnomon, "report", RUN)
    assert ended.startswith("run R ended in state failed at ") and "cancelled: loads" in ended
    assert waited.startswith(
        "report waited for loads, fails when they fail (same hour): the slot at 2026-03-01T10:00:00Z is no longer waited for (run R failed)"
    )


@pytest.mark.parametrize("timetable", [HOURLY, reference(Hourly())], ids=["cron", "hourly"])
def test_a_slot_that_planning_goes_past_is_told_with_the_next_one_and_with_the_command_that_makes_it(
    timetable: TimetableRef, gnomon: Gnomon, deployment: Deployment
) -> None:
    deployment.clock.advance(3590.0)
    deployment.add(report(on_absent="wait"), file="/dags/report.py")
    deployment.add(msgspec.structs.replace(loads(timetable), misfire="skip"), paused=True, file="/dags/loads.py")
    deployment.start()
    deployment.move(700.0)
    gnomon("dags", "unpause", "loads")
    deployment.move(5.0)
    line = told(gnomon, "report", RUN)[1]
    command = "dags trigger loads --slot 2026-03-01T10:00:00Z"
    assert line == (
        "  loads: its run was due at 2026-03-01T10:00:00Z and is not created yet; its next planned run is due at 2026-03-01T11:00:00Z; "
        f"create this one with: gnomon {command}"
    )
    assert "stands for the slot due at 2026-03-01T10:00:00Z" in gnomon(*command.split()).err
    deployment.move(10.0)
    assert told(gnomon, "report", RUN)[0].startswith("run R ended in state success")


def test_a_slot_that_was_passed_is_told_with_the_command_that_makes_its_run(
    gnomon: Gnomon, deployment: Deployment
) -> None:
    deployment.clock.advance(3590.0)
    fives = reference(Minutely(every=5))
    deployment.add(msgspec.structs.replace(report(on_absent="wait"), timetable=fives), file="/dags/report.py")
    deployment.add(msgspec.structs.replace(loads(fives), misfire="skip"), paused=True, file="/dags/loads.py")
    deployment.start()
    deployment.move(400.0)
    gnomon("dags", "unpause", "loads")
    deployment.move(230.0)
    line = told(gnomon, "report", RUN)[1]
    assert line == (
        "  no run of loads was created for its slot at 2026-03-01T10:00:00Z; this run waits until it is released, or until the missing run is created with: "
        "gnomon dags trigger loads --slot 2026-03-01T10:00:00Z"
    )


def test_many_open_slots_are_counted(gnomon: Gnomon, deployment: Deployment) -> None:
    minutely = reference(Minutely())
    started(
        deployment,
        loads(minutely),
        spec_of(
            "report", {"print": ()}, timetable=reference(Daily("10:00")), depends_on=(DependencySpec(dag_id="loads"),)
        ),
    )
    lines = told(gnomon, "report", RUN)
    assert len(lines) <= 11
    assert (
        "  every one of 600 slots, the first at 2026-03-01T00:00:00Z, the last at 2026-03-01T09:59:00Z, has no run, and is not waited for"
        in lines
    )
    assert any(line.startswith("  and 8") and line.endswith(" more slots that are not done") for line in lines)


# ---- runs release --------------------------------------------------------------------------------------------------------
def test_a_released_run_starts_and_it_is_kept_who_let_it_go_and_why(gnomon: Gnomon, waiting: Deployment) -> None:
    ended = gnomon("runs", "release", "report", RUN, "--from", "loads", "--reason", "the report is late")
    assert ended == (0, f"released run '{RUN}' of DAG 'report' from loads\n", "")
    waiting.move(5.0)
    assert told(gnomon, "report", RUN)[1].startswith("report waited for loads: released by cli:")
    assert ": the report is late at 2026-03-01T10:00:" in told(gnomon, "report", RUN)[1]
    with waiting.db.read() as tx:
        (event,) = [event for event in event_log.list_events(tx) if event.kind == "released"]
    assert (event.by.partition(":")[0], event.body) == ("cli", "loads: the report is late")


def test_all_that_a_run_waits_for_is_released_at_once(gnomon: Gnomon, waiting: Deployment) -> None:
    assert gnomon("runs", "release", "report", RUN, "--all").out.endswith(" from loads\n")
    waiting.move(5.0)
    assert told(gnomon, "report", RUN)[0].startswith("run R ended in state success")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("report", RUN, "--from", "laods"),
            f"run '{RUN}' does not depend on DAG 'laods'; it depends on loads; did you mean 'loads'?",
        ),
        (("loads", RUN, "--all"), f"run '{RUN}' of DAG 'loads' waits for no other DAG"),
        (("report", "nowhere", "--all"), "there is no run 'nowhere' of DAG 'report'"),
        (("nowhere", RUN, "--all"), "there is no DAG 'nowhere'"),
    ],
)
def test_a_release_that_makes_no_sense_is_answered_in_words(
    words: tuple[str, ...], said: str, gnomon: Gnomon, waiting: Deployment
) -> None:
    code, out, err = gnomon("runs", "release", *words)
    assert (code, out) == (1, "")
    assert said in err


def test_a_run_that_has_ended_is_not_released(gnomon: Gnomon, waiting: Deployment) -> None:
    waiting.move(120.0)
    assert (
        f"run '{RUN}' ended in state success; it waits for nothing"
        in gnomon("runs", "release", "report", RUN, "--all").err
    )


def test_a_run_that_was_released_before_is_not_released_again(gnomon: Gnomon, waiting: Deployment) -> None:
    waiting.plays["print"] = Play(run_s=1000.0)
    gnomon("runs", "release", "report", RUN, "--all")
    assert gnomon("runs", "release", "report", RUN, "--all") == (
        1,
        "",
        "gnomon: refused: the run waits for nothing that could be released\n",
    )


@pytest.mark.parametrize("words", [(), ("--all", "--from", "loads")])
def test_one_must_say_from_what_a_run_is_released(words: tuple[str, ...], gnomon: Gnomon, waiting: Deployment) -> None:
    code, _, err = gnomon("runs", "release", "report", RUN, *words)
    assert code == 2
    assert "give either --from UPSTREAM_DAG or --all" in err


def test_a_release_without_a_scheduler_stands(gnomon: Gnomon, waiting: Deployment) -> None:
    waiting.clock.advance(60.0)
    code, out, err = gnomon("runs", "release", "report", RUN, "--all")
    assert (code, out) == (0, "")
    assert "no scheduler is alive; it will be applied when one starts" in err


# ---- runs clear --downstream-dags ----------------------------------------------------------------------------------------
CHAIN = [["loads", None, []], ["report", None, ["loads"]], ["summary", None, ["report"]]]


def rows(text: str) -> list[list[object]]:
    return [[row["dag_id"], row["tasks"], row["waited_for"]] for row in json.loads(text)]


def test_a_dry_run_shows_all_that_came_after_in_order(gnomon: Gnomon, waiting: Deployment) -> None:
    waiting.move(120.0)
    code, out, err = gnomon("runs", "clear", "loads", RUN, "--downstream-dags", "--dry-run", "-o", "json")
    assert (code, rows(out), err) == (0, CHAIN, "")
    shown = gnomon("runs", "clear", "loads", RUN, "--downstream-dags", "--dry-run").out
    assert shown.splitlines()[0] == "3 runs would be cleared, in this order"
    assert told(gnomon, "loads", RUN)[0].startswith("run R ended in state success")


def test_what_came_after_runs_again_in_order(gnomon: Gnomon, waiting: Deployment) -> None:
    waiting.move(120.0)
    code, out, _ = gnomon("runs", "clear", "loads", RUN, "--downstream-dags", "-o", "json")
    assert (code, rows(out)) == (0, CHAIN)
    assert [(row["previous_state"], row["state"]) for row in json.loads(out)] == [
        ("success", "running"),
        ("success", "queued"),
        ("success", "queued"),
    ]
    assert told(gnomon, "report", RUN)[0].startswith("report waits for loads (")
    assert told(gnomon, "summary", RUN)[0].startswith("summary waits for report (")
    waiting.move(130.0)
    ends = [
        json.loads(gnomon("runs", "show", dag_id, RUN, "-o", "json").out) for dag_id in ("loads", "report", "summary")
    ]
    assert [run["state"] for run in ends] == ["success"] * 3
    assert ends[0]["end_date"] <= ends[1]["start_date"] <= ends[1]["end_date"] <= ends[2]["start_date"]


def test_runs_that_wait_still_are_left_alone(gnomon: Gnomon, waiting: Deployment) -> None:
    assert rows(gnomon("runs", "clear", "loads", RUN, "--downstream-dags", "--dry-run", "-o", "json").out) == [
        ["loads", None, []]
    ]


def test_of_a_run_in_which_a_task_waited_that_task_and_those_after_it_run_again(
    gnomon: Gnomon, deployment: Deployment
) -> None:
    tasks = (
        TaskSpec(task_id="free"),
        TaskSpec(task_id="print", depends_on=(DependencySpec(dag_id="loads", task_id="load"),)),
        TaskSpec(task_id="send", upstream=("print",)),
    )
    started(deployment, loads(), spec_of("report", timetable=HOURLY, tasks=tasks))
    out = gnomon("runs", "clear", "loads", RUN, "--downstream-dags", "-o", "json").out
    assert rows(out) == [["loads", None, []], ["report", ["print", "send"], ["loads"]]]
    deployment.move(10.0)
    tries = {
        row["task_id"]: row["try_number"]
        for row in json.loads(gnomon("tasks", "states", "report", RUN, "-o", "json").out)
    }
    assert tries == {"free": 1, "print": 2, "send": 2}


def test_a_run_that_two_ways_lead_to_comes_after_both(gnomon: Gnomon, deployment: Deployment) -> None:
    both = spec_of(
        "both", timetable=HOURLY, depends_on=(DependencySpec(dag_id="report"), DependencySpec(dag_id="loads"))
    )
    started(deployment, loads(), report(), both)
    out = gnomon("runs", "clear", "loads", RUN, "--downstream-dags", "--dry-run", "-o", "json").out
    assert rows(out) == [["loads", None, []], ["report", None, ["loads"]], ["both", None, ["loads", "report"]]]


def test_a_run_in_which_nothing_was_to_be_cleared_is_named(gnomon: Gnomon, deployment: Deployment) -> None:
    tasks = (TaskSpec(task_id="print", start_at=deployment.clock.now() + 86_400_000_000),)
    started(
        deployment,
        loads(),
        spec_of("report", timetable=HOURLY, tasks=tasks, depends_on=(DependencySpec(dag_id="loads"),)),
    )
    code, out, err = gnomon("runs", "clear", "loads", RUN, "--downstream-dags")
    assert out.startswith("1 run cleared, in this order\n")
    assert (code, err) == (0, f"run '{RUN}' of DAG 'report' was not changed: none of its tasks was to be cleared\n")


def test_a_person_at_a_terminal_is_asked_before_and_not_with_yes(
    gnomon: Gnomon, waiting: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting.move(120.0)
    ours, theirs = pty.openpty()
    with os.fdopen(theirs) as terminal, os.fdopen(ours, "wb", 0) as person:
        monkeypatch.setattr("sys.stdin", terminal)
        person.write(b"n\n")
        code, out, err = gnomon("runs", "clear", "loads", RUN, "--downstream-dags")
        assert (code, out) == (1, "")
        assert "3 runs will be cleared, in this order" in err and "nothing was changed" in err
        assert gnomon("runs", "clear", "loads", RUN, "--downstream-dags", "--yes").code == 0


# ---- a run that is marked success ----------------------------------------------------------------------------------------
def test_what_failed_because_of_a_run_runs_again_when_that_run_is_marked_success(
    gnomon: Gnomon, deployment: Deployment
) -> None:
    deployment.plays["load"] = Play(outcome="failed", reason="ValueError: no")
    tasks = (
        TaskSpec(task_id="free"),
        TaskSpec(task_id="print", depends_on=(DependencySpec(dag_id="loads", on_failure="cancel"),)),
        TaskSpec(task_id="last", upstream=("print",)),
    )
    started(
        deployment,
        loads(),
        report(on_failure="cancel"),
        spec_of(
            "summary", {"sum": ()}, timetable=HOURLY, depends_on=(DependencySpec(dag_id="report", on_failure="cancel"),)
        ),
        spec_of("partly", timetable=HOURLY, tasks=tasks),
        spec_of("apart", timetable=HOURLY),
    )
    deployment.move(30.0)

    def states() -> dict[str, str]:
        return {
            dag_id: json.loads(gnomon("runs", "show", dag_id, RUN, "-o", "json").out)["state"]
            for dag_id in ("loads", "report", "summary", "partly", "apart")
        }

    assert states() == {
        "loads": "failed",
        "report": "failed",
        "summary": "failed",
        "partly": "failed",
        "apart": "success",
    }
    shown = json.loads(gnomon("runs", "mark", "loads", RUN, "--state", "success", "--dry-run", "-o", "json").out)
    wanted = {("report", "print"), ("summary", "sum"), ("partly", "print"), ("partly", "last")}
    assert {(row["dag_id"], row["task_id"]) for row in shown if row["becomes"] == "cleared"} == wanted
    assert json.loads(gnomon("runs", "mark", "loads", RUN, "--state", "failed", "--dry-run", "-o", "json").out) == []
    changed = json.loads(gnomon("runs", "mark", "loads", RUN, "--state", "success", "-o", "json").out)
    assert {(row["dag_id"], row["task_id"]) for row in changed} == wanted
    deployment.move(30.0)
    assert set(states().values()) == {"success"}
