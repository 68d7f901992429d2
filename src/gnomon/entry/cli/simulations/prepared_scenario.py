"""A scenario of `gnomon simulate`, from the options of the command and a file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from gnomon.changes.scenarios.changed_dags import LocatedSpec, change_dags
from gnomon.changes.scenarios.expectation import Expectation, read_expectation
from gnomon.changes.scenarios.scenario_changes import (
    Change,
    KnownNames,
    check_changes,
    find,
    read_change,
    refuse_twice,
    select,
)
from gnomon.changes.scenarios.scenario_file import SUFFIX, read_scenario_file
from gnomon.entry.cli.deployment.home import Home
from gnomon.entry.cli.parameter_types import resolve_instant
from gnomon.entry.cli.simulations.dag_source import DagSource, load_source
from gnomon.entry.projection.assumed_times import DEFAULT_S, NamedTimes
from gnomon.entry.projection.simulation import Scenario
from gnomon.model.errors.product import UserError
from gnomon.model.ids import shorten_names
from gnomon.model.instants import SECOND, Instant
from gnomon.model.sentences import Sentence, say
from gnomon.model.spec import DagSpec
from gnomon.services.scheduler.settings import build_scheduler_settings
from gnomon.storage.store.admin.pools import DEFAULT_POOL

DEFAULT_SPAN_S = 86_400.0


@dataclass(frozen=True)
class PreparedScenario:
    """What is simulated and expected."""

    name: str
    """Of the file, folder or revision."""
    scenario: Scenario
    specs: dict[str, DagSpec]
    """By id, without frozen DAGs."""
    all_ids: frozenset[str]
    """Of frozen ones too."""
    expectations: list[Expectation]
    assumptions: list[Sentence]


@dataclass(frozen=True)
class _Read:
    """The changes and the DAGs of one side, before their names are looked up."""

    name: str
    own: list[Change]
    """Of its file."""
    dags: list[LocatedSpec]
    broken: list[str]


def is_scenario_file(text: str) -> bool:
    """Whether an argument names a scenario file, and not a DAG, a folder or a revision."""
    return text.endswith(SUFFIX) and not os.path.isdir(text)


def prepare(home: Home, options: Sequence[Change], file: str | None, *, with_tasks: bool) -> PreparedScenario:
    """The scenario of a file and of options. Raises UserError for changes that contradict each other or name nothing."""
    now = home.clock.now()
    read = _read(home, options, file)
    _check_names(options, [read.dags], read.own)
    return _build(home, read, options, now, with_tasks=with_tasks)


def prepare_both(home: Home, options: Sequence[Change], texts: Sequence[str]) -> list[PreparedScenario]:
    """The scenarios of two files, folders or revisions, with the options for both. What an option names must be in one of them."""
    now = home.clock.now()
    sides = [_read(home, options, text) for text in texts]
    _check_names(options, [side.dags for side in sides], [])
    for side in sides:
        _check_names([], [side.dags], side.own)
    second = _build(home, sides[1], _choose(options, sides[1]), now, with_tasks=True)
    kept = [change for change in options if change.key != "expect" or _can_expect(change, sides[0])]
    first = _build(home, sides[0], _choose(kept, sides[0]), now, with_tasks=True)
    times = (first.scenario.start, first.scenario.end)
    if times != (second.scenario.start, second.scenario.end):
        raise UserError(
            say(
                "comparison_of_other_times",
                name=first.name,
                since=times[0],
                until=times[1],
                other_value=second.name,
            )
        )
    return [first, second]


def _choose(options: Iterable[Change], side: _Read) -> list[Change]:
    """The options that are about something of the side."""
    names = KnownNames([spec for spec, _ in side.dags])
    return [change for change in names.resolve(options) if names.has(change)]


def _can_expect(change: Change, side: _Read) -> bool:
    """Whether the side has the DAG and task of the expectation: one about a new DAG says nothing about the former world."""
    try:
        read_expectation(change.value, {spec.dag_id: spec for spec, _ in side.dags})
    except UserError:
        return False
    return True


def _read(home: Home, options: Sequence[Change], text: str | None) -> _Read:
    own: list[Change] = []
    base = ""
    if text is not None and is_scenario_file(text):
        own, base = read_scenario_file(text), os.path.dirname(text)
    elif text is not None:
        own = [read_change("dags", "", text, f"--compare {text}")]
    changes = [*own, *options]
    refuse_twice(changes)
    source = next((change for change in changes if change.key == "dags"), None)
    if source is None and not home.cfg.dags_folder.is_dir():
        raise UserError(say("scenario_needs_folder"))
    folder = str(home.cfg.dags_folder) if source is None else source.value
    loaded = load_source(
        home,
        DagSource(folder, base if source in own else ""),
        skip_broken=find(changes, "skip_broken", default=False),
    )
    return _Read(text or folder, own, loaded.dags, loaded.broken)


def _check_names(options: Iterable[Change], sides: Sequence[Sequence[LocatedSpec]], own: Sequence[Change]) -> None:
    """Raises UserError for a name that is on no side, or that only a frozen DAG has."""
    check_changes([*own, *options], [spec for dags in sides for spec, _ in dags])


def _build(home: Home, read: _Read, options: Sequence[Change], now: Instant, *, with_tasks: bool) -> PreparedScenario:
    changes = KnownNames([spec for spec, _ in read.dags]).resolve([*read.own, *options])
    refuse_twice(changes)
    dags = change_dags(read.dags, changes)
    specs = {spec.dag_id: spec for spec, _ in dags}
    own_places = {change.place for change in read.own}
    expectations = [
        read_expectation(change.value, specs, change.place if change.place in own_places else None)
        for change in changes
        if change.key == "expect"
    ]
    moment = find(changes, "from", None)
    start = now if moment is None else resolve_instant(moment, home.cfg)
    settings = build_scheduler_settings(home.cfg)
    slots = find(changes, "parallelism", None) or settings.limits.parallelism or 1_000_000
    scenario = Scenario(
        dags=dags,
        start=start,
        end=start + int(find(changes, "for", DEFAULT_SPAN_S) * SECOND),
        settings=replace(settings, limits=replace(settings.limits, parallelism=slots, executors=None)),
        worker_slots=slots,
        times=NamedTimes(
            durations=select(changes, "set"),
            lengths=select(changes, "length"),
            failing=frozenset(select(changes, "fail")),
            delays_s=select(changes, "delay"),
            default_s=find(changes, "assume", DEFAULT_S),
            seed=find(changes, "seed", 1),
        ),
        pool_slots={
            DEFAULT_POOL: home.cfg.integer("core", "default_pool_task_slot_count"),
            **select(changes, "pool"),
        },
        with_tasks=with_tasks or any(expectation.task_id is not None for expectation in expectations),
    )
    broken = [say("broken_files_are_left_out", count=len(read.broken), names=shorten_names(read.broken))]
    return PreparedScenario(
        read.name,
        scenario,
        specs,
        frozenset(spec.dag_id for spec, _ in read.dags),
        expectations,
        broken if read.broken else [],
    )
