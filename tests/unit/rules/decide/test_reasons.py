"""Reasons name runs, tasks and DAGs as such, so that pages can link them; their texts are what the store keeps."""

from __future__ import annotations

from msgspec.structs import replace

from gnomon.model.run_waits import RunWait, WaitState, missing_dag_note
from gnomon.model.sentences import ArgumentKind, RunName, Sentence, TaskName, list_spans, render
from gnomon.model.spec import TaskSpec
from gnomon.model.states import TaskInstanceState as S
from gnomon.model.upstream_edges import DependencySpec, Edge
from gnomon.rules.decide.previous_run import decide_skip, evaluate_previous_run, evaluate_without_previous
from gnomon.rules.decide.trigger_rules import RuleOutcome, Tally, Verdict, evaluate_trigger_rule
from gnomon.rules.engine.state.edge_waits import EdgeWaits, describe_upstream_waits

RUN = RunName("daily", "r1")
TASK = TaskSpec(task_id="load", depends_on_past=True)


def named(reason: Sentence | None) -> list[object]:
    assert reason is not None
    return [span.value for span in list_spans(reason) if span.kind is not ArgumentKind.TEXT]


def test_the_previous_run_and_its_task_are_named() -> None:
    verdict = evaluate_previous_run(TASK, RUN, S.FAILED, ())
    assert verdict.text == "depends_on_past: load in run r1 is failed"
    assert named(verdict.reason) == [TaskName("daily", "r1", "load"), RUN]
    without = evaluate_without_previous(replace(TASK, ignore_first_depends_on_past=False), RUN)
    assert without.text == ("depends_on_past: run r1 has no task load, and its ignore_first_depends_on_past is False")
    assert named(without.reason) == [RUN]


def test_an_instance_below_is_named_with_its_index() -> None:
    task = replace(TASK, wait_for_downstream=True)
    verdict = evaluate_previous_run(task, RUN, S.SUCCESS, [("send", 2, None)])
    assert verdict.text == "wait_for_downstream: send[2] in run r1 has no status yet"
    assert named(verdict.reason) == [TaskName("daily", "r1", "send", 2), RUN]


def test_a_skip_that_waits_says_both() -> None:
    tally = Tally(1)
    tally.add(S.SKIPPED, 1)
    skip = evaluate_trigger_rule("all_success", tally)
    assert skip.text == "trigger rule all_success skips it: 1 skipped"
    both = decide_skip(skip, evaluate_previous_run(TASK, RUN, None, ()))
    assert both.text == (
        "depends_on_past: load in run r1 has no status yet; wait_for_past_depends_before_skipping: then "
        "trigger rule all_success skips it: 1 skipped"
    )


def test_a_verdict_without_a_reason_has_no_text() -> None:
    assert Verdict(RuleOutcome.RUN).text == ""


def test_upstream_dags_are_named() -> None:
    def wait(edge_no: int, at: int, state: WaitState, note: str | None = None) -> RunWait:
        return RunWait(1, edge_no, "up", at, 0, 0, None, state, 0, "", 0, note=note)

    edges = [
        EdgeWaits(Edge(1, DependencySpec(dag_id="up"), None), [wait(1, 5, WaitState.OPEN)]),
        EdgeWaits(
            Edge(2, DependencySpec(dag_id="gone", task_id="t"), None),
            [wait(2, 5, WaitState.BAD, missing_dag_note("gone")), wait(2, 6, WaitState.BAD, "run x failed")],
        ),
    ]
    told = say_waits(edges)
    assert render(told) == "waits for up, gone.t (1 failed, no file defines it any more)"
    assert named(told) == ["up", "gone"]


def say_waits(edges: list[EdgeWaits]) -> Sentence:
    told = describe_upstream_waits(edges)
    assert told is not None
    return told
