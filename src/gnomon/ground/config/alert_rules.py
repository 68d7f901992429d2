"""Reads the rules and channels of alerts from `gnomon.toml`: `[[alerts.rules]]` and `[alerts.channels.NAME]`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from gnomon.ground.config.alert_channels import AlertChannel, build_channel, read_span, read_texts, refuse_value
from gnomon.ground.config.option import OptionError
from gnomon.ground.config.sources import ALERTS, FILE_NAME, read_toml
from gnomon.model.errors.product import find_close_matches

KINDS = (
    "failure",
    "task_failure",
    "retry",
    "late",
    "waiting",
    "import_error",
    "service_silent",
    "quarantined",
    "baseline_at_risk",
    "baseline_broken",
    "on_key_path_failed",
    "on_key_path_slow",
)
"""What a rule may watch: the values of `model.alerts.AlertKind`."""
GROUPINGS = ("dag", "rule", "reason", "none")
"""Which alerts share a message: those of a DAG, of the rule, with the same reason, or each its own."""
_RULE_KEYS = (
    "name",
    "when",
    "to",
    "dags",
    "exclude_dags",
    "tags",
    "baselines",
    "longer_than",
    "by",
    "group_by",
    "resolved",
)
_WITH_LONGER_THAN = ("late", "waiting", "service_silent")
_OF_BASELINES = ("baseline_at_risk", "baseline_broken", "on_key_path_failed", "on_key_path_slow")
_WITHOUT_DAG = ("import_error", "service_silent", "quarantined", *_OF_BASELINES)
_TIME_OF_DAY = re.compile(r"([01]\d|2[0-3]):[0-5]\d")
DEFAULT_SILENCE_S = 60.0
"""`longer_than` of a rule about silent services that has none."""


@dataclass(frozen=True, slots=True)
class AlertRule:
    """One rule. Spans are in seconds."""

    name: str
    when: tuple[str, ...]
    to: tuple[str, ...]
    place: str = ""
    dags: tuple[str, ...] = ()
    """Patterns of DAG ids such as `team_*`; empty: every DAG."""
    exclude_dags: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    """The DAG has one of these tags; empty: no matter."""
    baselines: tuple[str, ...] = ()
    """Patterns of names of baselines; empty: every one."""
    longer_than_s: float | None = None
    is_p95: bool = False
    by: str | None = None
    """`HH:MM`, in the zone of the DAG."""
    group_by: str = "dag"
    resolved: bool = True

    def matches(self, dag_id: str, tags: tuple[str, ...]) -> bool:
        """Whether the rule is about this DAG."""
        if self.dags and not any(fnmatchcase(dag_id, pattern) for pattern in self.dags):
            return False
        if any(fnmatchcase(dag_id, pattern) for pattern in self.exclude_dags):
            return False
        return not self.tags or bool(set(self.tags) & set(tags))

    def matches_baseline(self, name: str) -> bool:
        """Whether the rule is about this baseline."""
        return not self.baselines or any(fnmatchcase(name, pattern) for pattern in self.baselines)


@dataclass(frozen=True, slots=True)
class AlertSettings:
    """All rules and channels of a home."""

    rules: tuple[AlertRule, ...] = ()
    channels: Mapping[str, AlertChannel] = field(default_factory=dict)

    def kinds(self) -> frozenset[str]:
        """What the rules watch."""
        return frozenset(kind for rule in self.rules for kind in rule.when)


def read_alert_settings(home: Path) -> AlertSettings:
    """The rules and channels of the home; none when there is no file.

    Raises OptionError for a wrong rule or channel: the message names the file, the line, the key and the remedy.
    """
    file = home / FILE_NAME
    text, whole = read_toml(file)
    table = whole.get(ALERTS, {})
    if not isinstance(table, dict):
        from gnomon.model.sentences import say  # loaded with the first refusal

        raise OptionError(say("alerts_are_no_table", file=str(file), thing=repr(table)))
    lines = _find_lines(text)
    try:
        channels = {
            name: _build_channel(str(file), lines, name, values)
            for name, values in _tables(table.get("channels", {}), file)
        }
        rules = _build_rules(str(file), lines, table.get("rules", []), channels)
    except ValueError as error:
        from gnomon.model.sentences import say

        raise OptionError(say("alerts_are_wrong", error=str(error))) from None
    return AlertSettings(rules, channels)


def _tables(value: object, file: Path) -> list[tuple[str, dict[str, Any]]]:
    if not isinstance(value, dict) or not all(isinstance(table, dict) for table in value.values()):
        raise refuse_value(str(file), "channels_are_no_tables")
    return list(value.items())


def _build_channel(file: str, lines: dict[str, int], name: str, values: dict[str, Any]) -> AlertChannel:
    return build_channel(name, values, _placer(file, lines, f"channels.{name}"))


def _placer(file: str, lines: dict[str, int], table: str) -> Callable[[str], str]:
    """Gives file and line of a key of the table; of the table, where the key is absent."""

    def place(key: str) -> str:
        line = lines.get(f"{table}.{key}") or lines.get(table)
        return f"{file}, line {line}" if line else file

    return place


def _build_rules(
    file: str, lines: dict[str, int], tables: object, channels: Mapping[str, AlertChannel]
) -> tuple[AlertRule, ...]:
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise refuse_value(file, "rules_are_no_tables")
    rules = [
        _build_rule(number, table, channels, _placer(file, lines, f"rules.{number}"))
        for number, table in enumerate(tables, start=1)
    ]
    names: set[str] = set()
    for rule in rules:
        if rule.name in names:
            raise refuse_value(rule.place, "two_rules_have_one_name", name=rule.name)
        names.add(rule.name)
    return tuple(rules)


def _build_rule(
    number: int, values: dict[str, Any], channels: Mapping[str, AlertChannel], place: Callable[[str], str]
) -> AlertRule:
    for key in values:
        if key not in _RULE_KEYS:
            matches = find_close_matches(key, _RULE_KEYS)
            if matches:
                raise refuse_value(place(key), "rule_key_may_be_meant", key=key, name=matches[0])
            raise refuse_value(place(key), "rule_has_no_such_key", key=key, names=", ".join(_RULE_KEYS))
    when = read_texts(values.get("when", ()), place("when"), "when")
    for kind in when or ("",):
        if kind not in KINDS:
            if kind:
                raise refuse_value(place("when"), "rule_when_is_unknown", value=kind, names=", ".join(KINDS))
            raise refuse_value(place("when"), "rule_lacks_when", names=", ".join(KINDS))
    name = values.get("name", f"rule {number}")
    if not isinstance(name, str) or not name or name.startswith("dag:"):
        raise refuse_value(place("name"), "rule_name_is_wrong", value=repr(name))
    rule = AlertRule(
        name=name,
        when=when,
        to=_read_channels(values.get("to", ()), channels, place("to")),
        place=place("when"),
        dags=read_texts(values.get("dags", ()), place("dags"), "dags"),
        exclude_dags=read_texts(values.get("exclude_dags", ()), place("exclude_dags"), "exclude_dags"),
        tags=read_texts(values.get("tags", ()), place("tags"), "tags"),
        baselines=read_texts(values.get("baselines", ()), place("baselines"), "baselines"),
        group_by=_read_grouping(values.get("group_by", "dag"), place("group_by")),
        resolved=_read_flag(values.get("resolved", True), place("resolved")),
        **_read_limits(values, when, place),
    )
    _check_dag_keys(rule, values, place)
    return rule


def _read_channels(value: object, channels: Mapping[str, AlertChannel], where: str) -> tuple[str, ...]:
    names = read_texts(value, where, "to")
    if not names:
        raise refuse_value(where, "rule_has_no_receiver")
    for name in names:
        if name not in channels:
            if channels:
                raise refuse_value(where, "rule_names_unknown_channel", name=name, names=", ".join(channels), key=name)
            raise refuse_value(where, "rule_names_first_channel", name=name, key=name)
    return names


def _read_limits(values: dict[str, Any], when: tuple[str, ...], place: Callable[[str], str]) -> dict[str, Any]:
    longer, by = values.get("longer_than"), values.get("by")
    if longer is not None and not set(when) & set(_WITH_LONGER_THAN):
        raise refuse_value(place("longer_than"), "longer_than_has_no_effect", value=when[0])
    if by is not None and "late" not in when:
        raise refuse_value(place("by"), "by_has_no_effect", value=when[0])
    if by is not None and (not isinstance(by, str) or not _TIME_OF_DAY.fullmatch(by)):
        raise refuse_value(place("by"), "by_is_no_time_of_day", value=repr(by))
    if "late" in when and longer is None and by is None:
        raise refuse_value(place("when"), "late_rule_lacks_limit")
    if "waiting" in when and longer is None:
        raise refuse_value(place("when"), "waiting_rule_lacks_limit")
    is_p95 = longer == "p95"
    if is_p95 and when != ("late",):
        raise refuse_value(place("longer_than"), "p95_is_for_late_runs")
    span = None if longer is None or is_p95 else read_span(longer, place("longer_than"), "longer_than")
    return {"longer_than_s": span, "is_p95": is_p95, "by": by}


def _check_dag_keys(rule: AlertRule, values: dict[str, Any], place: Callable[[str], str]) -> None:
    if set(rule.when) <= set(_WITHOUT_DAG):
        for key in ("dags", "exclude_dags", "tags"):
            if key in values:
                raise refuse_value(place(key), "key_is_not_about_dag", key=key, value=rule.when[0])
    if "baselines" in values and not set(rule.when) & set(_OF_BASELINES):
        raise refuse_value(place("baselines"), "baselines_have_no_effect", value=rule.when[0])


def _read_grouping(value: object, where: str) -> str:
    if value not in GROUPINGS:
        raise refuse_value(where, "grouping_is_unknown", value=repr(value), names=", ".join(GROUPINGS))
    return str(value)


def _read_flag(value: object, where: str) -> bool:
    if not isinstance(value, bool):
        raise refuse_value(where, "resolved_is_no_boolean", value=repr(value))
    return value


_TABLE = re.compile(r"\s*\[\s*alerts\s*\.\s*channels\s*\.\s*(?:\"([^\"]+)\"|([\w-]+))\s*\]")
_RULE = re.compile(r"\s*\[\[\s*alerts\s*\.\s*rules\s*\]\]")
_OTHER = re.compile(r"\s*\[{1,2}[^\]\[=,]+\]{1,2}\s*(#.*)?$")
_KEY = re.compile(r"\s*\"?([\w-]+)\"?\s*=")


def _find_lines(text: str) -> dict[str, int]:
    """The line of each `channels.NAME`, `rules.NUMBER`, and of their keys."""
    lines: dict[str, int] = {}
    table, rules = "", 0
    for number, line in enumerate(text.splitlines(), start=1):
        if match := _TABLE.match(line):
            table = f"channels.{match[1] or match[2]}"
        elif _RULE.match(line):
            rules += 1
            table = f"rules.{rules}"
        elif _OTHER.match(line):
            table = ""
        elif table and (key := _KEY.match(line)):
            lines.setdefault(f"{table}.{key[1]}", number)
            continue
        if table:
            lines.setdefault(table, number)
    return lines
