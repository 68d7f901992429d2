"""The answer of a simulation: the runs, baselines, pools and expectations of both worlds side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from gnomon.entry.projection.comparison import Comparison, compare, find_change
from gnomon.entry.projection.forecast import list_assumptions
from gnomon.entry.projection.pool_load import PoolLoad
from gnomon.entry.projection.run_pairs import pair_runs
from gnomon.entry.projection.simulation import Scenario, SimulatedRuns
from gnomon.entry.projection.unplanned_dags import list_unplanned
from gnomon.entry.projection.what_if.both_worlds import BothDrawing, BothFutures, WorldFutures
from gnomon.entry.projection.what_if.world_runs import RunKey, TypicalRun
from gnomon.model.baselines import BaselineForecast, BaselineLevel
from gnomon.model.instants import SECOND, Instant, round_up_to_second
from gnomon.model.sentences import Sentence, render, say
from gnomon.model.simulations import (
    ComparedBaseline,
    ComparedPool,
    ComparedRun,
    JudgedExpectation,
    LoadSpan,
    SimulationAnswer,
    WorldTimes,
)
from gnomon.rules.baselines.levels import decide_level

MAX_CHANGED, MAX_SAME = 4_000, 2_000
"""The most runs of an answer that are different, and that are not."""
MAX_POOLS, MAX_SPANS = 12, 1_500
"""The most pools of an answer, and the most spans of one of them."""
MAX_NOTES = 200
Levels = Mapping[tuple[str, Instant], BaselineLevel]
"""How baselines stand now, by name and due time."""


def build_answer(
    both: BothFutures, drawing: BothDrawing, since: Instant, until: Instant, levels: Levels, notes: Sequence[Sentence]
) -> SimulationAnswer:
    """Compare what the futures say. `since`: runs that are due earlier, or have begun, are not listed unless it is the instant of the snapshot."""
    at = both.before.world.snapshot.at
    reasons, comparison = _find_reasons(both, drawing, at, until)
    runs = [run for run in _pair(both, reasons) if since == at or _find_due(run) >= since]
    changed = [run for run in runs if run.change][:MAX_CHANGED]
    same = [run for run in runs if not run.change][:MAX_SAME]
    of_dags = (note for dag in comparison.dags for note in dag.notes)
    all_notes = dict.fromkeys(render(note) for note in (*notes, *comparison.notes, *of_dags))
    return SimulationAnswer(
        at=at,
        since=since,
        until=until,
        samples=len(both.shifts),
        runs=(*changed, *same),
        omitted_runs=len(runs) - len(changed) - len(same),
        baselines=tuple(_compare_baselines(both, levels, at)),
        pools=tuple(_compare_pools(both)),
        expectations=tuple(_judge(both)),
        notes=tuple(all_notes)[:MAX_NOTES],
        assumptions=tuple(_list_assumptions(both, drawing)),
    )


def _find_due(run: ComparedRun) -> Instant:
    times = run.after or run.before
    assert times is not None
    return times.run_after


def _find_reasons(
    both: BothFutures, drawing: BothDrawing, at: Instant, until: Instant
) -> tuple[dict[tuple[int, RunKey], tuple[Sentence, ...]], Comparison]:
    """By side and run: why it is different in the future in the middle, which is drawn once more."""
    sample = both.find_middle_sample()
    sides = both.before, both.after
    drawn = [side.draw(sample, drawing) for side in sides]
    before, after = (
        (_build_scenario(side, at, until), SimulatedRuns(runs, 0, [], side.world.pools))
        for side, runs in zip(sides, drawn, strict=True)
    )
    comparison = compare(before, after)
    keys = [
        {run.run_pk: key for key, run in side.runs.name_runs(runs)} for side, runs in zip(sides, drawn, strict=True)
    ]
    reasons: dict[tuple[int, RunKey], tuple[Sentence, ...]] = {}
    for difference in comparison.runs:
        for number, run in enumerate((difference.before, difference.after)):
            if run is not None:
                reasons[number, keys[number][run.run_pk]] = difference.reasons
    return reasons, comparison


def _build_scenario(side: WorldFutures, at: Instant, until: Instant) -> Scenario:
    dags = [(dag.spec, dag.file) for dag in side.world.snapshot.state.dags if dag.active]
    return Scenario(dags, at, until, side.world.settings, side.world.worker_slots)


def _pair(both: BothFutures, reasons: Mapping[tuple[int, RunKey], tuple[Sentence, ...]]) -> Iterator[ComparedRun]:
    """All runs by their due time, each with what is different."""
    before, after = ({run.outcome.run_pk: run for run in side.runs.build()} for side in (both.before, both.after))
    pairs = pair_runs(
        [run.outcome for run in before.values()],
        [run.outcome for run in after.values()],
        {**both.before.specs, **both.after.specs},
    )
    compared = [
        _compare(
            None if first is None else before[first.run_pk], None if second is None else after[second.run_pk], reasons
        )
        for of_dag in pairs.values()
        for first, second in of_dag
    ]
    return iter(sorted(compared, key=lambda run: (_find_due(run), run.dag_id)))


def _compare(
    first: TypicalRun | None,
    second: TypicalRun | None,
    reasons: Mapping[tuple[int, RunKey], tuple[Sentence, ...]],
) -> ComparedRun:
    run = second or first
    assert run is not None
    change = find_change(None if first is None else first.outcome, None if second is None else second.outcome)
    ends = [None if each is None else each.outcome.ended_at for each in (first, second)]
    shift_s = None if ends[0] is None or ends[1] is None else (ends[1] - ends[0]) / SECOND
    why: tuple[Sentence, ...] = ()
    if change is not None:
        key = (1, second.key) if second is not None else (0, run.key)
        why = reasons.get(key, ())
    return ComparedRun(
        dag_id=run.outcome.dag_id,
        run_id=run.outcome.run_id,
        run_type=run.outcome.run_type,
        change=change or "",
        before=_build_times(first),
        after=_build_times(second),
        shift_s=shift_s or None,
        reasons=tuple(map(render, why)),
    )


def _build_times(run: TypicalRun | None) -> WorldTimes | None:
    if run is None:
        return None
    return WorldTimes(
        run_after=run.outcome.run_after,
        start_p50=run.outcome.started_at,
        end_p50=_round(run.outcome.ended_at),
        end_p90=_round(run.end_p90),
        failed_share=round(run.failed_share, 4),
    )


def _round(at: Instant | None) -> Instant | None:
    return None if at is None else round_up_to_second(at)


def _compare_baselines(both: BothFutures, levels: Levels, at: Instant) -> Iterator[ComparedBaseline]:
    for first, second in zip(both.before.subjects, both.after.subjects, strict=True):
        forecasts = both.before.baselines.build(first, ()), both.after.baselines.build(second, ())
        if forecasts == (None, None):
            continue
        known = levels.get((first.spec.name, first.due.due_at))
        stands = [None if each is None else decide_level(first.spec, each, known, at) for each in forecasts]
        ends = [_find_end(each) for each in forecasts]
        yield ComparedBaseline(
            name=first.spec.name,
            of=tuple(first.spec.of),
            due_at=first.due.due_at,
            level_before=stands[0],
            level_after=stands[1],
            end_before=ends[0],
            end_after=ends[1],
            breach_before=0.0 if forecasts[0] is None else forecasts[0].breach,
            breach_after=0.0 if forecasts[1] is None else forecasts[1].breach,
        )


def _find_end(forecast: BaselineForecast | None) -> Instant | None:
    return None if forecast is None else forecast.ended_at or forecast.end_p50


def _compare_pools(both: BothFutures) -> list[ComparedPool]:
    """The pools whose size is different, and those in which something waits: most waiting first."""
    sides = both.before, both.after
    loads: list[dict[str, list[PoolLoad]]] = [{}, {}]
    for number, side in enumerate(sides):
        for load in side.loads.build():
            loads[number].setdefault(load.pool, []).append(load)
    slots = [side.world.pools for side in sides]
    pools = [
        ComparedPool(
            pool=pool,
            slots_before=_find_limit(slots[0], pool),
            slots_after=_find_limit(slots[1], pool),
            load_before=_build_spans(loads[0].get(pool, ())),
            load_after=_build_spans(loads[1].get(pool, ())),
        )
        for pool in sorted(loads[0].keys() | loads[1].keys())
    ]
    return sorted(filter(_is_remarkable, pools), key=_sort_pool)[:MAX_POOLS]


def _is_remarkable(pool: ComparedPool) -> bool:
    return pool.slots_before != pool.slots_after or any(span.waiting for span in (*pool.load_before, *pool.load_after))


def _find_limit(slots: Mapping[str, int], pool: str) -> int | None:
    number = slots.get(pool, -1)
    return None if number < 0 else number


def _build_spans(loads: Iterable[PoolLoad]) -> tuple[LoadSpan, ...]:
    spans = [
        LoadSpan(load.start, load.end, load.taken_p50, load.waiting_p50)
        for load in loads
        if load.taken_p50 or load.waiting_p50
    ]
    merged: list[LoadSpan] = []
    for span in spans:
        last = merged[-1] if merged else None
        if last is not None and last.end == span.start and (last.taken, last.waiting) == (span.taken, span.waiting):
            merged[-1] = LoadSpan(last.start, span.end, last.taken, last.waiting)
        else:
            merged.append(span)
    return tuple(merged[:MAX_SPANS])


def _sort_pool(pool: ComparedPool) -> tuple[bool, int, str]:
    return (
        pool.slots_before == pool.slots_after,
        -sum(span.waiting * (span.end - span.start) for span in pool.load_after),
        pool.pool,
    )


def _judge(both: BothFutures) -> Iterator[JudgedExpectation]:
    count = len(both.shifts)
    for expectation in both.after.judged:
        before, after = (side.expectations[expectation.text] for side in (both.before, both.after))
        yield JudgedExpectation(
            text=expectation.text,
            dag_id=expectation.dag_id,
            broken_before=before.count / count,
            broken_after=after.count / count,
            why=None if after.why is None else render(after.why),
        )


def _list_assumptions(both: BothFutures, drawing: BothDrawing) -> Iterator[str]:
    assumed = {**both.before.assumed, **both.after.assumed}
    sentences = list_assumptions(both.before.world.snapshot, assumed, drawing.assumed_s)
    yield from map(render, dict.fromkeys((*sentences, *list_unplanned(both.after.world.snapshot.state.dags))))
    if len(both.shifts) < drawing.samples:
        yield render(
            say(
                "simulation_has_fewer_samples",
                count=len(both.shifts),
                total=drawing.samples,
                duration=drawing.max_s,
            )
        )
