"""The changes of a scenario: what each key takes, from an option or from a file, and which names it may have."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from typing import Any, NamedTuple

from gnomon.changes.scenarios.task_times import TaskTime, list_sources
from gnomon.ground.config.alert_channels import read_span
from gnomon.model.baselines import split_subject
from gnomon.model.errors.product import UserError, find_close_matches
from gnomon.model.sentences import Sentence, say
from gnomon.model.spec import DagSpec
from gnomon.storage.store.admin.pools import DEFAULT_POOL

MAX_SPAN_S = 10 * 366 * 86_400.0
"""The longest simulation, and the longest duration of a task."""
MAX_NUMBER = 1_000_000
"""The most slots, list elements and tasks at once."""
TEXT_MAX = 200
"""A refusal shows so much of a value."""
_PERCENT = re.compile(r"([+-]\d+(?:\.\d+)?)\s*%")
_SUFFIXES = {"set": ".duration", "delay": ".arrival"}
"""What may follow a name for the sake of the reader: `--set load.duration=+50%`."""


class ChangeKind(NamedTuple):
    """What a key of a scenario takes."""

    shape: str
    """one: a value; named: values by name; list: names."""
    read: Callable[[Any], Any]
    """The value. Raises ValueError."""
    example: str
    names: str = ""
    """What its names are: task (of a task, or a DAG for all of its tasks), list, pool, dag or text."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change, and who made it."""

    key: str
    name: str
    """Of a named value or a list; empty otherwise."""
    value: Any
    place: str
    """The option as written, or file, line and key."""


def _read_span(value: object) -> float:
    span_s = read_span(_to_number(value), "", "")
    if not span_s <= MAX_SPAN_S:
        raise ValueError(value)
    return span_s


def _to_number(value: object) -> object:
    """The number that an option gives as a text; another text as it is."""
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return value
    return value


def _read_task_time(value: object) -> TaskTime:
    least, dots, most = value.partition("..") if isinstance(value, str) else ("", "", "")
    if dots:
        shortest_s, longest_s = _read_span(least.strip()), _read_span(most.strip())
        if shortest_s > longest_s:
            raise ValueError(value)
        return TaskTime(shortest_s, spread_s=longest_s - shortest_s)
    percent = _PERCENT.fullmatch(value.strip()) if isinstance(value, str) else None
    if percent is None:
        return TaskTime(_read_span(value))
    factor = 1 + float(percent[1]) / 100
    if not 0 < factor <= 1000:
        raise ValueError(value)
    return TaskTime(None, factor)


def _read_whole(least: int) -> Callable[[object], int]:
    def read(value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, (int, str)):
            raise ValueError(value)
        number = int(value)
        if not least <= number <= MAX_NUMBER:
            raise ValueError(value)
        return number

    return read


def _read_text(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError(value)
    return value


def _read_moment(value: object) -> datetime:
    if isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return datetime.combine(value, time())
    return datetime.fromisoformat(_read_text(value).strip())


def _read_flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError(value)
    return value


KINDS: Mapping[str, ChangeKind] = {
    "dags": ChangeKind("one", _read_text, "a folder such as dags, or a Git revision and a folder such as main:dags"),
    "from": ChangeKind("one", _read_moment, "a time such as 2026-03-01 or 2026-03-01T06:00+01:00"),
    "for": ChangeKind("one", _read_span, "a span above zero and of at most 10 years; write 12h, 1d or 30d"),
    "assume": ChangeKind("one", _read_span, "a span such as 30s or 10m"),
    "parallelism": ChangeKind("one", _read_whole(1), "a number of tasks such as 16"),
    "seed": ChangeKind("one", _read_whole(0), "a number such as 7"),
    "skip_broken": ChangeKind("one", _read_flag, "true or false"),
    "set": ChangeKind(
        "named",
        _read_task_time,
        "DAG.TASK=SPAN, for example load.copy=10m, load.copy=10m..30m, load.copy=+50% or load=-20%",
        "task",
    ),
    "length": ChangeKind("named", _read_whole(0), "DAG.TASK=NUMBER, for example load.files=20", "list"),
    "delay": ChangeKind("named", _read_span, "DAG.TASK=SPAN, for example source.arrival=1h", "task"),
    "pool": ChangeKind("named", _read_whole(-1), "NAME=SLOTS, for example etl=4", "pool"),
    "schedule": ChangeKind("named", _read_text, "DAG=CRON, for example load='0 3 * * *'", "dag"),
    "fail": ChangeKind("list", _read_text, "DAG.TASK or DAG", "task"),
    "freeze": ChangeKind("list", _read_text, "DAG", "dag"),
    "expect": ChangeKind("list", _read_text, "'report ends before 07:00'", "text"),
}
"""The keys of a scenario file; an option of `gnomon simulate` has the same name."""


def read_change(key: str, name: str, value: object, place: str, text: str | None = None) -> Change:
    """The change. `text`: the value as written. Raises UserError for a value that the key does not take."""
    kind = KINDS[key]
    try:
        if kind.shape == "named" and not name:
            raise ValueError(value)
        return Change(key, name, kind.read(value), place)
    except (ValueError, OverflowError):
        shown = (str(value) if text is None else text)[:TEXT_MAX]
        raise UserError(say("scenario_value_is_wrong", option=place, text=shown, example=kind.example)) from None


def read_option(key: str, text: str) -> Change:
    """The change that an option makes. Raises UserError for a text of another form."""
    kind, option = KINDS[key], f"--{key.replace('_', '-')}"
    if kind.shape == "one":
        return replace(read_change(key, "", text, option, text), place=f"{option} {text}")
    if kind.shape == "list":
        return replace(read_change(key, text, text, option, text), place=f"{option} {text}")
    name, _, value = text.partition("=") if key == "schedule" else text.rpartition("=")
    return replace(read_change(key, name, value, option, text), place=f"{option} {text}")


def refuse_twice(changes: Iterable[Change]) -> None:
    """Raises UserError for what two of the changes are about."""
    seen: dict[tuple[str, str], Change] = {}
    for change in changes:
        first = seen.setdefault((change.key, change.name), change)
        if first is not change:
            name = change.name or change.key
            raise UserError(say("scenario_changes_twice", name=name, option=first.place, other_option=change.place))


def suggest_name(name: str, known: Iterable[str]) -> Sentence | None:
    """A question for the name that is nearest, if one is near."""
    near = find_close_matches(name, sorted(known))
    return say("or_did_you_mean", names=repr(near[0])) if near else None


class KnownNames:
    """The names that DAGs have, for the changes that are about them."""

    def __init__(self, specs: Sequence[DagSpec], pools: Iterable[str] = ()) -> None:
        """`pools`: those that exist although no task of the DAGs names them."""
        self.dag_ids = {spec.dag_id for spec in specs}
        tasks = {f"{spec.dag_id}.{task.task_id}" for spec in specs for task in spec.tasks}
        self._pools = {DEFAULT_POOL, *pools, *(task.pool for spec in specs for task in spec.tasks)}
        sources = {f"{spec.dag_id}.{task_id}" for spec in specs for task_id in list_sources(spec)}
        self._by_kind: dict[str, Collection[str]] = {
            "task": self.dag_ids | tasks,
            "list": sources,
            "dag": self.dag_ids,
            "pool": self._pools,
        }
        self._all_tasks = tasks

    def resolve(self, changes: Iterable[Change]) -> list[Change]:
        """The changes with the names as the DAGs have them, without the ends that are only for readers."""
        return [replace(change, name=self._resolve(change)) for change in changes]

    def _resolve(self, change: Change) -> str:
        suffix = _SUFFIXES.get(change.key)
        if suffix is None or change.name in self._by_kind["task"]:
            return change.name
        stem = change.name.removesuffix(suffix)
        return stem if stem in self._by_kind["task"] else change.name

    def has(self, change: Change) -> bool:
        """Whether the change names something that is there; also one without a name."""
        kind = KINDS[change.key]
        return kind.names in ("", "text") or change.name in self._by_kind[kind.names]

    def check(self, changes: Iterable[Change]) -> None:
        """Raises UserError for the first change that names nothing."""
        for change in changes:
            if not self.has(change):
                raise self._refuse(change)

    def _refuse(self, change: Change) -> UserError:
        kind, place, name = KINDS[change.key].names, change.place, change.name
        if kind == "pool":
            return UserError(
                say("scenario_names_no_pool", option=place, name=name, names=", ".join(sorted(self._pools)))
            )
        if kind == "dag":
            hint = suggest_name(name, self.dag_ids)
            return UserError(say("scenario_names_no_dag", option=place, name=name, hint=hint))
        if kind == "list" and name in self._all_tasks:
            return UserError(say("scenario_names_no_list", option=place, name=name))
        hint = suggest_name(name, self._by_kind[kind])
        return UserError(say("scenario_names_nothing", option=place, name=name, hint=hint))


def check_changes(changes: Iterable[Change], specs: Sequence[DagSpec], pools: Iterable[str] = ()) -> list[Change]:
    """The changes with the names as the DAGs have them. Raises UserError for what is changed twice, and for a name that nothing has, or only a frozen DAG."""
    everything = KnownNames(specs, pools)
    resolved = everything.resolve(changes)
    refuse_twice(resolved)
    frozen = [change for change in resolved if change.key == "freeze"]
    everything.check(frozen)
    names = {change.name for change in frozen}
    for change in resolved:
        dag_id, _ = split_subject(change.name, everything.dag_ids)
        if change.key != "freeze" and KINDS[change.key].names in ("task", "list", "dag") and dag_id in names:
            place = next(each.place for each in frozen if each.name == dag_id)
            raise UserError(say("scenario_changes_frozen_dag", option=change.place, dag=dag_id, other_option=place))
    KnownNames([spec for spec in specs if spec.dag_id not in names], pools).check(
        change for change in resolved if change.key != "freeze"
    )
    return resolved


def select(changes: Iterable[Change], key: str) -> dict[str, Any]:
    """The values of a key by name."""
    return {change.name: change.value for change in changes if change.key == key}


def find(changes: Iterable[Change], key: str, default: Any) -> Any:
    """The one value of a key."""
    return next((change.value for change in changes if change.key == key), default)
