"""A reason that author code gives is never read as one of the engine's own, some of which say who skipped or stopped an instance."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.unit.rules.engine.world import World, chain, dag_record

from gnomon.model.attempts import AttemptResult
from gnomon.model.deferral import DeferralResult
from gnomon.model.ids import UNMAPPED
from gnomon.model.sentences import render, say
from gnomon.model.states import DagRunState
from gnomon.model.upstream_edges import DependencySpec, Edge
from gnomon.rules.decide.outcomes import (
    build_fail_fast_reason,
    build_mark,
    build_overlap_end,
    format_restart,
    parse_restarts,
    parse_run_stop,
)
from gnomon.rules.decide.trigger_rules import format_left_out, format_skip_reason, parse_left_out, parse_skip_reason
from gnomon.rules.engine import events as e
from gnomon.rules.engine.handlers.author_reasons import ENGINE_REASONS, quote_author_reason
from gnomon.rules.engine.state.edge_waits import EdgeWaits

OWN = {
    "skipped by a branch": format_skip_reason("check[3]"),
    "left out by a branch": format_left_out(["b", "c"]),
    "stopped by fail_fast": build_fail_fast_reason("a"),
    "restarted": format_restart("lost", 3),
    "marked": build_mark("failed", "ann").reason,
    "overlapped": build_overlap_end("later").reason,
    "cancelled with its upstream": EdgeWaits(Edge(1, DependencySpec(dag_id="up"), None)).cancel_reason,
    "not answered by the hook": render(say("hook_has_no_answer", reason="it failed", duration=60)),
}
each = pytest.mark.parametrize("reason", OWN.values(), ids=OWN)


@each
def test_each_reason_of_the_engine_is_known(reason: str) -> None:
    assert [is_own for is_own in ENGINE_REASONS if is_own(reason)]


def test_each_reader_has_an_example() -> None:
    assert all(any(is_own(reason) for reason in OWN.values()) for is_own in ENGINE_REASONS)


def test_what_is_rendered_is_read_back() -> None:
    """The words of a reason and those that its reader looks for are the same entry of the catalogue."""
    assert parse_skip_reason(format_skip_reason("check[3]")) == ("check", 3)
    assert parse_skip_reason(format_skip_reason("check")) == ("check", UNMAPPED)
    assert parse_left_out(format_left_out(["b", "c"])) == ["b", "c"]
    assert parse_restarts(format_restart("lost", 3)) == 3
    assert parse_run_stop(build_mark("failed", "ann").reason) == build_mark("failed", "ann")
    assert parse_run_stop(build_mark("success", "").reason) == build_mark("success", "")
    assert parse_run_stop(build_overlap_end("later").reason) == build_overlap_end("later")
    assert build_mark("failed", "ann").state is DagRunState.FAILED


def test_what_is_stored_keeps_its_words() -> None:
    """Reasons of earlier releases are read back too, so these words are part of the format of the store."""
    assert list(OWN.values()) == [
        "skipped by check[3]",
        "does not follow b, c",
        "fail_fast: task a failed",
        "lost; it runs again without costing a try, because the task is restartable (3 of at most 10)",
        "marked failed by ann",
        'overlap="cancel_running": run later was due',
        "cancelled: up",
        "its queue and its pool are not known, because it failed; the policies are asked again every 1 min, and when the DAG file or they change",
    ]


@each
@pytest.mark.parametrize("make", [AttemptResult, DeferralResult], ids=["attempt", "deferral"])
def test_it_is_quoted_when_author_code_gives_it(
    make: Callable[..., AttemptResult | DeferralResult], reason: str
) -> None:
    fields = {"attempt_id": "x", "group_no": 0, "run_pk": 1, "task_no": 0} if make is AttemptResult else {}
    quoted = quote_author_reason(make(outcome="skipped", reason=reason, **fields)).reason
    assert quoted == f'the task says "{reason}"'
    assert not any(is_own(quoted) for is_own in ENGINE_REASONS)


def test_a_task_that_says_who_skipped_it_runs_again_when_it_is_cleared() -> None:
    world = World(dag_record(chain("check", "load")))
    run = world.start()
    world.end("check")
    world.end("load", "skipped", reason="skipped by check")
    assert world.states(run)["load"] == "skipped"
    rows = tuple(row for key, row in world.rows.items() if key.run_pk == run.run_pk)
    world.step(e.RunRead(world.runs[run.run_pk], rows), e.ClearTasks(run.run_pk, (world.key(run, "load"),), "me"))
    assert [attempt.task_id for attempt in world.live()] == ["load"]
