"""DAGs that fall behind in a simulation: their queue grows from day to day, because they get more work than is done."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from gnomon.entry.projection.run_outcomes import RunOutcome
from gnomon.model.instants import SECOND, Instant

DAY_US = 86_400 * SECOND
DAYS_MIN = 5
"""The delay must grow over so many days, without a day on which it does not."""
GROWTH_MIN_S, GROWTH_MIN_SHARE = 300.0, 0.25
"""The delay must have grown by so much, and by this share of what it was."""


class GrowingQueue(NamedTuple):
    """A DAG whose runs end later and later after they are due."""

    dag_id: str
    first_s: float
    """The least time from when a run of the first day was due to its end."""
    last_s: float
    """The same of the last day whose runs have ended."""
    last: RunOutcome
    """The run of that."""


class _Delay(NamedTuple):
    seconds: float
    run: RunOutcome | None
    """None: no run of the day has ended, and the first one is so late already."""


def list_growing_queues(runs: Iterable[RunOutcome], start: Instant, end: Instant) -> list[GrowingQueue]:
    """Those whose delay grew most first. The least delay of each day counts, which a busy hour does not change."""
    by_dag: dict[str, dict[int, list[RunOutcome]]] = defaultdict(lambda: defaultdict(list))
    days = (end - start) // DAY_US
    if days < DAYS_MIN:
        return []
    for run in runs:
        if start <= run.run_after < start + days * DAY_US:
            by_dag[run.dag_id][(run.run_after - start) // DAY_US].append(run)
    queues = [
        _judge(dag_id, [_find_delay(of_day[day], end) for day in sorted(of_day)]) for dag_id, of_day in by_dag.items()
    ]
    return sorted(
        (queue for queue in queues if queue is not None), key=lambda queue: (queue.first_s - queue.last_s, queue.dag_id)
    )


def _find_delay(runs: Sequence[RunOutcome], end: Instant) -> _Delay:
    ended = [((run.ended_at - run.run_after) / SECOND, run) for run in runs if run.ended_at is not None]
    if ended:
        return _Delay(*min(ended, key=lambda delay: (delay[0], delay[1].run_pk)))
    return _Delay((end - min(run.run_after for run in runs)) / SECOND, None)


def _judge(dag_id: str, delays: Sequence[_Delay]) -> GrowingQueue | None:
    grown = [delays[0]]
    for delay in delays[1:]:
        if delay.seconds > grown[-1].seconds:
            grown.append(delay)
        elif delay.run is not None:
            return None
    ended = [delay for delay in grown if delay.run is not None]
    if len(grown) < DAYS_MIN or not ended or ended[-1].run is None:
        return None
    first_s, last_s = grown[0].seconds, ended[-1].seconds
    if grown[-1].seconds - first_s < max(GROWTH_MIN_S, GROWTH_MIN_SHARE * first_s):
        return None
    return GrowingQueue(dag_id, first_s, last_s, ended[-1].run)
