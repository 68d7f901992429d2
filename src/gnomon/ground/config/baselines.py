"""Reads the baselines of `gnomon.toml`: `[baselines.NAME]`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from gnomon.ground.config.alert_channels import read_span, read_texts
from gnomon.ground.config.option import OptionError
from gnomon.ground.config.sources import ALERTS, BASELINES, CALENDARS, FILE_NAME, find_key_lines, read_toml
from gnomon.model.baseline_specs import (
    DAYS_MAX,
    MARGIN_MAX_S,
    PRIORITY_MAX,
    WEEKDAYS,
    BaselineSpec,
    is_name,
    read_by,
    read_priority,
    read_share,
    read_weekdays,
    read_zone,
)
from gnomon.model.errors.product import find_close_matches

KEYS = ("of", "by", "timezone", "margin", "at_risk", "weekdays", "calendar", "owner", "to", "priority")


def read_baselines(home: Path, default_timezone: str) -> tuple[BaselineSpec, ...]:
    """The baselines of the home, in the order of the file; none when there is no file.

    Raises OptionError for a wrong one: the message names the file, the line, the key and the remedy.
    """
    file = home / FILE_NAME
    text, whole = read_toml(file)
    tables = whole.get(BASELINES, {})
    if not tables:
        return ()
    lines = dict(find_key_lines(text))
    default_timezone = "UTC" if default_timezone.lower() in ("utc", "z", "system", "local") else default_timezone
    try:
        if not isinstance(tables, dict) or not all(isinstance(values, dict) for values in tables.values()):
            raise ValueError(f"{file}: baselines must consist of tables; write each one below a line [baselines.NAME]")
        specs = tuple(
            build_baseline(name, values, _placer(str(file), lines, name), default_timezone)
            for name, values in tables.items()
        )
        for spec in specs:
            _check_names(spec, whole, _placer(str(file), lines, spec.name))
        return specs
    except ValueError as error:
        from gnomon.model.sentences import say  # loaded with the first refusal

        raise OptionError(say("baselines_are_wrong", error=str(error))) from None


def _placer(file: str, lines: dict[Any, int], name: str) -> Callable[[str], str]:
    section = f"{BASELINES}.{name}".lower()

    def place(key: str) -> str:
        line = next((number for (of, each), number in lines.items() if of == section and each == key), None)
        return f"{file}, line {line}" if line else f"{file}, [{BASELINES}.{name}]"

    return place


def build_baseline(
    name: str, values: dict[str, Any], place: Callable[[str], str], default_timezone: str
) -> BaselineSpec:
    """The baseline of a table. `place`: file and line of a key. Raises ValueError, whose message names the key, its place and the remedy."""
    if not is_name(name):
        raise ValueError(
            f"{place('of')}: the name {name!r} is not usable; write letters, digits, '_', '-' and '.', at most 100"
        )
    for key in values:
        if key not in KEYS:
            matches = find_close_matches(key, KEYS)
            remedy = f"did you mean {matches[0]}?" if matches else f"its keys are {', '.join(KEYS)}"
            raise ValueError(f"{place(key)}: a baseline has no key {key!r}; {remedy}")
    of = read_texts(values.get("of", ()), place("of"), "of")
    if not of:
        raise ValueError(f'{place("of")}: baseline {name!r} promises nothing; add of = ["DAG"] or of = ["DAG.TASK"]')
    by = read_by(values.get("by"))
    if by is None:
        raise ValueError(
            f'{place("by")}: by is {values.get("by")!r}; write a time of day such as "07:00", or "07:00 +1 day" for the next day, at most {DAYS_MAX} days'
        )
    margin_s = read_span(values["margin"], place("margin"), "margin") if "margin" in values else 0.0
    if margin_s >= MARGIN_MAX_S:
        raise ValueError(
            f'{place("margin")}: the margin of baseline {name!r} is longer than a day; write a shorter one, such as "15m"'
        )
    owner = values.get("owner", "")
    if not isinstance(owner, str):
        raise ValueError(f'{place("owner")}: owner must be a text; write owner = "..."')
    calendar = values.get("calendar", "")
    if not isinstance(calendar, str):
        raise ValueError(f'{place("calendar")}: calendar must be a text; write calendar = "NAME" of a [calendars.NAME]')
    return BaselineSpec(
        name=name,
        of=of,
        by=by[0],
        days=by[1],
        timezone=_read_zone(values.get("timezone", default_timezone), place("timezone")),
        margin_s=margin_s,
        at_risk=_read_share(values.get("at_risk", 0.2), place("at_risk")),
        weekdays=_read_weekdays(values.get("weekdays", ()), place("weekdays")),
        calendar=calendar,
        owner=owner,
        to=read_texts(values.get("to", ()), place("to"), "to"),
        priority=_read_priority(values["priority"], place("priority")) if "priority" in values else None,
        place=place("of"),
    )


def _check_names(spec: BaselineSpec, whole: Mapping[str, Any], place: Callable[[str], str]) -> None:
    """The calendar and the channels stand in the same file. What is wrong with one is told by those who use it."""
    calendars, alerts = whole.get(CALENDARS, {}), whole.get(ALERTS, {})
    if spec.calendar and spec.calendar not in calendars:
        hint = _build_hint(spec.calendar, calendars, f"add a table [calendars.{spec.calendar}]")
        raise ValueError(f"{place('calendar')}: there is no calendar {spec.calendar!r}; {hint}")
    channels = alerts.get("channels", {}) if isinstance(alerts, dict) else {}
    for name in spec.to:
        if name not in channels:
            hint = _build_hint(name, channels, f"add a table [alerts.channels.{name}]")
            raise ValueError(f"{place('to')}: there is no channel {name!r}; {hint}")


def _build_hint(name: str, known: Iterable[str], otherwise: str) -> str:
    matches = find_close_matches(name, known)
    return f"did you mean {matches[0]!r}?" if matches else otherwise


def _read_zone(value: object, where: str) -> str:
    zone = read_zone(value)
    if zone is None:
        raise ValueError(f'{where}: timezone is {value!r}; write the name of a zone such as "Europe/Berlin" or "UTC"')
    return zone


def _read_share(value: object, where: str) -> float:
    share = read_share(value)
    if share is None:
        raise ValueError(f"{where}: at_risk is {value!r}; write a probability between 0 and 1, such as 0.2")
    return share


def _read_priority(value: object, where: str) -> tuple[int, int]:
    bounds = read_priority(value)
    if bounds is None:
        raise ValueError(
            f"{where}: priority is {value!r}; write the weight of tasks on the key path, such as 100, or the least and the most, [100, 1000], up to {PRIORITY_MAX}"
        )
    return bounds


def _read_weekdays(value: object, where: str) -> tuple[int, ...]:
    names = read_texts(value, where, "weekdays")
    try:
        return read_weekdays(names)
    except ValueError as error:
        raise ValueError(f"{where}: weekdays has {str(error)!r}; write some of {', '.join(WEEKDAYS)}") from None
