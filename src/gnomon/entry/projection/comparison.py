"""Two simulations side by side: which runs appear, vanish, move, and end at other times, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from gnomon.entry.projection.end_reasons import EndReasons, SimulatedSide, open_side
from gnomon.entry.projection.run_outcomes import RunOutcome
from gnomon.entry.projection.run_pairs import RunPair, pair_runs
from gnomon.entry.projection.simulation import Scenario, SimulatedRuns
from gnomon.model.ids import shorten_names
from gnomon.model.instants import SECOND, Instant
from gnomon.model.sentences import Sentence, say
from gnomon.model.spec import DagSpec
from gnomon.rules.timetables.stored_words import summarize_timetable

REASONS_FOR = 20_000
"""Most runs for which reasons are searched; those of later runs are left out, and the answer says so."""
APPEARS, VANISHES, MOVES = "appears", "vanishes", "moves"
LATER, EARLIER = "ends later", "ends earlier"
NOT_ENDED, ENDS, OTHER_STATE = "does not end", "ends now", "other state"
STARTS_LATER, STARTS_EARLIER = "starts later", "starts earlier"
CHANGES = (APPEARS, VANISHES, MOVES, LATER, EARLIER, NOT_ENDED, ENDS, OTHER_STATE, STARTS_LATER, STARTS_EARLIER)
"""How a run can differ, the first that is true."""

_DECIDING = (
    "upstream",
    "trigger_rule",
    "retries",
    "retry_delay_s",
    "execution_timeout_s",
    "pool",
    "pool_slots",
    "effective_priority",
    "max_active_tis_per_dag",
    "max_active_tis_per_dagrun",
    "depends_on_past",
    "expansion",
    "depends_on",
    "outlets",
)
"""What of a task decides when it runs."""


@dataclass(frozen=True, slots=True)
class RunDifference:
    """A run that is different. Of one that appears or vanishes one side is None."""

    dag_id: str
    change: str
    """One of CHANGES."""
    before: RunOutcome | None
    after: RunOutcome | None
    shift_s: float | None
    """How much later it ends; negative: earlier. None if it does not end on both sides."""
    reasons: tuple[Sentence, ...] = ()


@dataclass(frozen=True, slots=True)
class DagDifference:
    """A DAG that is different, or whose runs are."""

    dag_id: str
    runs_before: int
    runs_after: int
    counts: Mapping[str, int]
    """By change."""
    latest_s: float
    """The greatest shift to a later end."""
    earliest_s: float
    """The greatest shift to an earlier end, as a negative number."""
    notes: tuple[Sentence, ...]
    """What is different in the DAG itself, and then the most frequent reason of its runs."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Both simulations, and what is different."""

    before_count: int
    after_count: int
    runs: list[RunDifference]
    dags: list[DagDifference]
    notes: list[Sentence]
    """What is different in the scenarios outside of DAGs: pools and workers."""

    @property
    def is_empty(self) -> bool:
        """True if nothing is different."""
        return not (self.runs or self.dags or self.notes)


def compare(
    first: tuple[Scenario, SimulatedRuns], second: tuple[Scenario, SimulatedRuns], dag_ids: Collection[str] = ()
) -> Comparison:
    """Both simulations must have kept their tasks, and have the same start and end. `dag_ids`: only these DAGs are listed; empty: all."""
    before, after = open_side(*first), open_side(*second)
    specs = ({spec.dag_id: spec for spec, _ in first[0].dags}, {spec.dag_id: spec for spec, _ in second[0].dags})
    pairs = pair_runs(first[1].runs, second[1].runs, {**specs[0], **specs[1]})
    reasons = EndReasons(before, after, pairs)
    runs: list[RunDifference] = []
    chosen = {dag_id: of_dag for dag_id, of_dag in pairs.items() if not dag_ids or dag_id in dag_ids}
    for of_dag in chosen.values():
        for pair in of_dag:
            difference = _compare_runs(pair, specs, reasons if len(runs) < REASONS_FOR else None)
            if difference is not None:
                runs.append(difference)
    notes = list(_compare_worlds(before, after))
    if len(runs) > REASONS_FOR:
        notes.append(say("reasons_are_left_out", count=REASONS_FOR))
    return Comparison(
        before_count=sum(pair[0] is not None for of_dag in chosen.values() for pair in of_dag),
        after_count=sum(pair[1] is not None for of_dag in chosen.values() for pair in of_dag),
        runs=runs,
        dags=_sum_up(
            runs, chosen, [{key: spec for key, spec in side.items() if not dag_ids or key in dag_ids} for side in specs]
        ),
        notes=notes,
    )


def _compare_runs(
    pair: RunPair, specs: Sequence[Mapping[str, DagSpec]], reasons: EndReasons | None
) -> RunDifference | None:
    first, second = pair
    if first is None or second is None:
        return _describe_lone(pair, specs)
    shift_s = None if first.ended_at is None or second.ended_at is None else (second.ended_at - first.ended_at) / SECOND
    change = find_change(first, second)
    if change is None:
        return None
    why: list[Sentence] = []
    if reasons is not None:
        if change in (OTHER_STATE, NOT_ENDED):
            why = reasons.explain_state(first, second)
        elif shift_s:
            why = reasons.explain_shift(first, second)
    if change == MOVES:
        due = say("run_is_due_at", dag=second.dag_id, at=second.run_after, since=first.run_after)
        why = [due, *(sentence for sentence in why if sentence != due)]
    return RunDifference(second.dag_id, change, first, second, shift_s, tuple(why))


def _describe_lone(pair: RunPair, specs: Sequence[Mapping[str, DagSpec]]) -> RunDifference:
    """The difference of a run without a counterpart."""
    first, second = pair
    run = first or second
    assert run is not None
    change, missing = (APPEARS, specs[0]) if first is None else (VANISHES, specs[1])
    code = {APPEARS: ("dag_is_new", "run_appears"), VANISHES: ("dag_is_gone", "run_vanishes")}[change]
    return RunDifference(run.dag_id, change, first, second, None, (say(code[run.dag_id in missing], dag=run.dag_id),))


def find_change(first: RunOutcome | None, second: RunOutcome | None) -> str | None:
    """How the second run differs, one of CHANGES; None: it does not. At least one of both is a run."""
    if first is None or second is None:
        return APPEARS if first is None else VANISHES
    if second.run_after != first.run_after and second.run_type != "asset_triggered":
        return MOVES
    if first.ended_at is None or second.ended_at is None:
        if first.ended_at is not None or second.ended_at is not None:
            return NOT_ENDED if second.ended_at is None else ENDS
    elif first.state is not second.state:
        return OTHER_STATE
    elif first.ended_at != second.ended_at:
        return LATER if second.ended_at > first.ended_at else EARLIER
    if first.started_at == second.started_at:
        return None
    return STARTS_LATER if _is_after(second.started_at, first.started_at) else STARTS_EARLIER


def _is_after(instant: Instant | None, other: Instant | None) -> bool:
    """Whether the instant is later; one that does not come is latest."""
    return other is not None and (instant is None or instant > other)


def _compare_worlds(before: SimulatedSide, after: SimulatedSide) -> Iterable[Sentence]:
    first, second = before.simulated.pool_slots, after.simulated.pool_slots
    for pool in sorted(first.keys() & second.keys()):
        if first[pool] != second[pool]:
            yield _compare_sizes(pool, first[pool], second[pool])
    slots = before.scenario.worker_slots, after.scenario.worker_slots
    if slots[0] != slots[1]:
        yield say("worker_slots_are_others", number=str(slots[1]), at_number=str(slots[0]))


def _compare_sizes(pool: str, before: int, after: int) -> Sentence:
    if after < 0:
        return say("pool_has_no_limit", pool=pool, count=before)
    if before < 0:
        return say("pool_has_limit", pool=pool, count=after)
    return say("pool_has_other_size", pool=pool, count=after, at_number=str(before))


def _sum_up(
    runs: Iterable[RunDifference], pairs: Mapping[str, Sequence[RunPair]], specs: Sequence[Mapping[str, DagSpec]]
) -> list[DagDifference]:
    by_dag: dict[str, list[RunDifference]] = {}
    for run in runs:
        by_dag.setdefault(run.dag_id, []).append(run)
    dags: list[DagDifference] = []
    for dag_id in sorted(specs[0].keys() | specs[1].keys()):
        own = by_dag.get(dag_id, [])
        notes = list(_compare_specs(specs[0].get(dag_id), specs[1].get(dag_id), dag_id))
        if not own and not notes:
            continue
        reasons = Counter(
            reason for run in own for reason in run.reasons if run.change not in (APPEARS, VANISHES, MOVES)
        )
        notes += [reason for reason, _ in reasons.most_common(1)]
        shifts = [run.shift_s for run in own if run.shift_s is not None]
        dags.append(
            DagDifference(
                dag_id,
                sum(pair[0] is not None for pair in pairs.get(dag_id, ())),
                sum(pair[1] is not None for pair in pairs.get(dag_id, ())),
                Counter(run.change for run in own),
                max([0.0, *shifts]),
                min([0.0, *shifts]),
                tuple(notes),
            )
        )
    return dags


def _compare_specs(first: DagSpec | None, second: DagSpec | None, dag_id: str) -> Iterable[Sentence]:
    if first is None or second is None:
        yield say("dag_is_new" if first is None else "dag_is_gone", dag=dag_id)
        return
    if first.timetable != second.timetable or first.asset_condition != second.asset_condition:
        yield say(
            "schedule_is_another",
            dag=dag_id,
            about=summarize_timetable(second.timetable),
            other=summarize_timetable(first.timetable),
        )
    tasks = {task.task_id for task in first.tasks}, {task.task_id for task in second.tasks}
    for code, names in (("tasks_are_gone", tasks[0] - tasks[1]), ("tasks_are_new", tasks[1] - tasks[0])):
        if names:
            yield say(code, count=len(names), dag=dag_id, names=shorten_names(names))
    facts = _describe_tasks(first), _describe_tasks(second)
    changed = {task_id for task_id in tasks[0] & tasks[1] if facts[0][task_id] != facts[1][task_id]}
    if changed:
        yield say("tasks_are_others", count=len(changed), dag=dag_id, names=shorten_names(changed))
    limits = [(spec.max_active_runs, spec.max_active_tasks, spec.depends_on) for spec in (first, second)]
    if limits[0] != limits[1]:
        yield say("dag_has_other_limits", dag=dag_id)


def _describe_tasks(spec: DagSpec) -> dict[str, tuple[object, ...]]:
    """What of each task decides when it runs."""
    return {task.task_id: tuple(getattr(task, name) for name in _DECIDING) for task in spec.tasks}
