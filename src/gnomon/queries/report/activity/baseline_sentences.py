"""What is said of a baseline: one sentence, the step that costs the time, and what can be done."""

from __future__ import annotations

from collections.abc import Sequence

from gnomon.model.baselines import BaselineForecast, BaselineLevel, BaselineRecord, KeyStep
from gnomon.model.instants import SECOND
from gnomon.model.sentences import Command, RunName, Sentence, TaskName, say

_CODES = {
    BaselineLevel.SAFE: "baseline_is_safe",
    BaselineLevel.AT_RISK: "baseline_is_at_risk",
    BaselineLevel.CERTAIN_BREACH: "baseline_will_break",
    BaselineLevel.BROKEN: "baseline_is_broken",
}
_NAMES_SHOWN = 5
_CLEAR_STEP = 0.1
"""A new version that changes a duration by a smaller share is not told."""


def describe_baseline(record: BaselineRecord) -> Sentence:
    """How the baseline stands at that due time."""
    forecast, name, due_at = record.forecast, record.baseline, record.due_at
    if forecast.ended_at is not None:
        if forecast.ended_at <= due_at:
            return say("baseline_was_met", baseline=name, due_at=due_at, at=forecast.ended_at)
        late_s = (forecast.ended_at - due_at) / SECOND
        return say("baseline_was_late", baseline=name, due_at=due_at, at=forecast.ended_at, duration=late_s)
    end = _describe_end(forecast)
    if record.level is BaselineLevel.AT_RISK and not forecast.breach:
        return say("baseline_is_near", baseline=name, due_at=due_at, end=end)
    if record.level is BaselineLevel.AT_RISK:
        return say(_CODES[record.level], baseline=name, due_at=due_at, number=f"{forecast.breach:.0%}", end=end)
    return say(_CODES.get(record.level, "baseline_is_safe"), baseline=name, due_at=due_at, end=end)


def _describe_end(forecast: BaselineForecast) -> Sentence:
    if forecast.failed:
        return _describe_failed(forecast.failed)
    if forecast.end_p50 is None:
        return say("it_does_not_end")
    if forecast.end_p90 is None:
        return say("it_ends_in_half", at=forecast.end_p50)
    return say("it_ends_probably", at=forecast.end_p50, until=forecast.end_p90)


def _describe_failed(failed: Sequence[str]) -> Sentence:
    """The runs of which one must succeed before the baseline can be met, each as `DAG/RUN`."""
    shown = [text.partition("/") for text in failed[:_NAMES_SHOWN]]
    more = len(failed) - len(shown)
    return say(
        "its_runs_have_failed",
        count=len(failed),
        phrases=tuple(say("named_run_of_dag", run=RunName(dag_id, run_id), dag=dag_id) for dag_id, _, run_id in shown),
        more=say("and_more", count=more) if more else None,
    )


def describe_costly_step(forecast: BaselineForecast) -> Sentence | None:
    """The step of the key path that takes the most time; None without a key path."""
    if forecast.costly is None or forecast.costly >= len(forecast.key_path):
        return None
    step = forecast.key_path[forecast.costly]
    return say(
        "key_step_costs",
        task=name_step(step),
        dag=step.dag_id,
        at=step.start,
        until=step.end,
        time_after=_describe_usual(step),
        waiting=_describe_wait(step) if step.waited_s >= 1 else None,
    )


def _describe_usual(step: KeyStep) -> Sentence | None:
    if step.usual_s is None:
        return None
    usual = round(step.usual_s, 1)
    if abs(step.version_factor - 1.0) < _CLEAR_STEP:
        return say("key_step_usually", usual=usual)
    return say("key_step_usually_now", usual=usual, duration=round(step.usual_s / step.version_factor, 1))


def _describe_wait(step: KeyStep) -> Sentence:
    duration = round(step.waited_s, 1)
    if step.pool:
        return say(
            "key_step_waits_for_pool", duration=duration, pool=step.pool, count=step.pool_slots, name=step.held_by
        )
    if step.held_by:
        return say("key_step_waits_for_worker", duration=duration, count=step.pool_slots, name=step.held_by)
    return say("key_step_waits", duration=duration)


def describe_trouble(name: str, due_at: int, step: KeyStep) -> Sentence:
    """What is wrong with a step of the key path that has failed or is slow."""
    code = "key_step_failed" if step.trouble == "failed" else "key_step_is_slow"
    return say(code, task=name_step(step), dag=step.dag_id, baseline=name, due_at=due_at)


def list_acts(forecast: BaselineForecast) -> list[Command]:
    """Commands that show or cure what delays it: first the failed runs, then the costly step."""
    acts = []
    for text in forecast.failed[:_NAMES_SHOWN]:
        dag_id, _, run_id = text.partition("/")
        acts.append(Command("explain", (dag_id, run_id)))
    if forecast.costly is not None and forecast.costly < len(forecast.key_path):
        step = forecast.key_path[forecast.costly]
        acts.append(Command("explain", (step.dag_id, step.run_id, step.task)))
    return acts


def name_step(step: KeyStep) -> TaskName:
    """The task instance, for a link."""
    task_id, bracket, index = step.task.partition("[")
    if bracket and index[:-1].isdigit():
        return TaskName(step.dag_id, step.run_id, task_id, int(index[:-1]))
    return TaskName(step.dag_id, step.run_id, step.task)
