"""Reads the baselines of `gnomon.toml`: `[baselines.NAME]`."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gnomon.ground.config.alert_channels import read_span, read_texts
from gnomon.ground.config.option import OptionError
from gnomon.ground.config.sources import BASELINES, FILE_NAME, find_key_lines, read_toml
from gnomon.model.baseline_specs import BaselineSpec
from gnomon.model.errors.product import find_close_matches

KEYS = ("of", "by", "timezone", "margin", "at_risk", "weekdays", "owner")
DAYS_MAX = 7
_DAY_S = 86_400
_BY = re.compile(r"([01]\d|2[0-3]):([0-5]\d)(?: \+(\d) days?)?")
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_NAME = re.compile(r"[\w.-]{1,100}")


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
    default_timezone = "UTC" if default_timezone.lower() in ("utc", "system", "local") else default_timezone
    try:
        if not isinstance(tables, dict) or not all(isinstance(values, dict) for values in tables.values()):
            raise ValueError(f"{file}: baselines must consist of tables; write each one below a line [baselines.NAME]")
        return tuple(
            build_baseline(name, values, _placer(str(file), lines, name), default_timezone)
            for name, values in tables.items()
        )
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
    if not _NAME.fullmatch(name):
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
    by = values.get("by")
    match = _BY.fullmatch(by) if isinstance(by, str) else None
    if match is None or int(match[3] or 0) > DAYS_MAX:
        raise ValueError(
            f'{place("by")}: by is {by!r}; write a time of day such as "07:00", or "07:00 +1 day" for the next day, at most {DAYS_MAX} days'
        )
    margin_s = read_span(values["margin"], place("margin"), "margin") if "margin" in values else 0.0
    if margin_s >= _DAY_S:
        raise ValueError(
            f'{place("margin")}: the margin of baseline {name!r} is longer than a day; write a shorter one, such as "15m"'
        )
    owner = values.get("owner", "")
    if not isinstance(owner, str):
        raise ValueError(f'{place("owner")}: owner must be a text; write owner = "..."')
    return BaselineSpec(
        name=name,
        of=of,
        by=f"{match[1]}:{match[2]}",
        days=int(match[3] or 0),
        timezone=_read_zone(values.get("timezone", default_timezone), place("timezone")),
        margin_s=margin_s,
        at_risk=_read_share(values.get("at_risk", 0.2), place("at_risk")),
        weekdays=_read_weekdays(values.get("weekdays", ()), place("weekdays")),
        owner=owner,
        place=place("of"),
    )


def _read_zone(value: object, where: str) -> str:
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # most homes have no baseline

    try:
        if isinstance(value, str) and value:
            return ZoneInfo(value).key
    except (ZoneInfoNotFoundError, ValueError, OSError):
        pass
    raise ValueError(f'{where}: timezone is {value!r}; write the name of a zone such as "Europe/Berlin" or "UTC"')


def _read_share(value: object, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1:
        raise ValueError(f"{where}: at_risk is {value!r}; write a probability between 0 and 1, such as 0.2")
    return float(value)


def _read_weekdays(value: object, where: str) -> tuple[int, ...]:
    names = read_texts(value, where, "weekdays")
    wrong = [name for name in names if name not in WEEKDAYS]
    if wrong:
        raise ValueError(f"{where}: weekdays has {wrong[0]!r}; write some of {', '.join(WEEKDAYS)}")
    return tuple(sorted({WEEKDAYS.index(name) for name in names}))
