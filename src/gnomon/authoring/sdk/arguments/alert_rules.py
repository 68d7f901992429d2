"""The argument `alerts` of a DAG, and `gnomon.Alert`: rules of alerts in a DAG file."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Collection
from typing import Any

from gnomon.model.alerts import DAG_KINDS, P95, AlertKind, AlertRuleSpec

_TIME_OF_DAY = re.compile(r"([01]\d|2[0-3]):[0-5]\d")
_KINDS = tuple(kind.value for kind in AlertKind if kind in DAG_KINDS)


class Alert:
    """One rule: `DAG(alerts=[Alert("failure", to="ops")])`. Channels are those of gnomon.toml, `[alerts.channels.NAME]`."""

    def __init__(
        self,
        when: str,
        *,
        to: str | Collection[str],
        longer_than: dt.timedelta | float | str | None = None,
        by: str | dt.time | None = None,
        resolved: bool = True,
    ) -> None:
        """`when`: failure, task_failure, retry, late or waiting. `to`: the name of a channel, or several.

        `longer_than`: for late and waiting runs, a span or seconds; "p95" for the 95th percentile of the last 30 runs.
        `by`: for late runs, a time of day such as "07:30" in the zone of the DAG. `resolved`: whether a message says that the
        cause is gone. Raises ValueError and TypeError, which name the argument and the remedy.
        """
        if when not in _KINDS:
            raise ValueError(f"Alert(when={when!r}): write one of {', '.join(_KINDS)}")
        self.when = str(when)
        self.to = (to,) if isinstance(to, str) else tuple(to)
        if not self.to or not all(isinstance(name, str) and name for name in self.to):
            raise ValueError(f"Alert({when!r}, to={to!r}): name at least one channel of gnomon.toml")
        if not isinstance(resolved, bool):
            raise TypeError(f"Alert({when!r}, resolved={resolved!r}): write True or False")
        self.resolved = resolved
        self.by = by.strftime("%H:%M") if isinstance(by, dt.time) else by
        self.is_p95 = longer_than == P95
        self.longer_than_s = None if longer_than is None or self.is_p95 else _to_seconds(when, longer_than)
        self._check()

    def _check(self) -> None:
        has_span = self.is_p95 or self.longer_than_s is not None
        if has_span and self.when not in (AlertKind.LATE, AlertKind.WAITING):
            raise ValueError(f"Alert({self.when!r}): longer_than is for 'late' and 'waiting' only; leave it out")
        if self.is_p95 and self.when != AlertKind.LATE:
            raise ValueError("Alert('waiting'): longer_than='p95' is for 'late' only; give a span")
        if self.by is not None and (
            self.when != AlertKind.LATE or not isinstance(self.by, str) or not _TIME_OF_DAY.fullmatch(self.by)
        ):
            raise ValueError(
                f"Alert({self.when!r}, by={self.by!r}): by is a time of day such as '07:30', for 'late' only"
            )
        if self.when == AlertKind.LATE and not has_span and self.by is None:
            raise ValueError("Alert('late'): give longer_than=timedelta(hours=2), longer_than='p95' or by='07:30'")
        if self.when == AlertKind.WAITING and not has_span:
            raise ValueError("Alert('waiting'): give longer_than, for example timedelta(minutes=30)")

    def __repr__(self) -> str:
        return f"Alert({self.when!r}, to={self.to!r})"


def _to_seconds(when: str, value: object) -> float:
    if isinstance(value, dt.timedelta):
        value = value.total_seconds()
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value <= 0:
        raise ValueError(
            f"Alert({when!r}, longer_than={value!r}): give a timedelta or a number of seconds above 0, or 'p95'"
        )
    return float(value)


def as_alerts(name: str, value: Any) -> list[Alert]:
    """The rules of the argument: one Alert or several. Raises TypeError."""
    if value is None:
        return []
    listed: list[Any] = (
        [value] if isinstance(value, Alert) else list(value) if isinstance(value, (list, tuple, set)) else [None]
    )
    for item in listed:
        if not isinstance(item, Alert):
            raise TypeError(f'{name} is {value!r}; write {name}=[gnomon.Alert("failure", to="CHANNEL")]')
    return listed


def encode_alerts(alerts: list[Alert] | None) -> tuple[AlertRuleSpec, ...]:
    """The rules as the spec of the DAG has them."""
    return tuple(
        AlertRuleSpec(
            when=rule.when,
            to=rule.to,
            longer_than_s=rule.longer_than_s,
            is_p95=rule.is_p95,
            by=rule.by,
            resolved=rule.resolved,
        )
        for rule in alerts or ()
    )
