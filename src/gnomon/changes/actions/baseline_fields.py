"""The definition of a stored baseline from what a user sends: checked by the readers of `model.baseline_specs`, as a table of gnomon.toml is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gnomon.authoring.sdk.schedules.named_calendars import NamedCalendars
from gnomon.ground.config import Config, OptionError
from gnomon.ground.config.alert_rules import read_alert_settings
from gnomon.model.baseline_specs import (
    DAYS_MAX,
    PRIORITY_MAX,
    WEEKDAYS,
    BaselineSpec,
    is_name,
    read_by,
    read_margin,
    read_priority,
    read_share,
    read_zone,
)
from gnomon.model.errors.product import UserError, find_close_matches
from gnomon.model.sentences import Sentence, quote, say
from gnomon.model.storable_text import escape_unstorable, find_unstorable

OF_MAX = 200
"""So many DAGs and tasks a baseline may name."""
OWNER_MAX = 250
"""Characters of an owner."""
_SHOWN = 40


@dataclass(frozen=True, slots=True)
class BaselineFields:
    """What is set of a baseline. None: it stays as it is; of a new baseline, the default."""

    of: list[str] | None = None
    """What must be done: `dag_id` or `dag_id.task_id`."""
    by: str | None = None
    """The time of day, "07:00" or "07:00 +1 day"."""
    days: int | None = None
    """So many days after the day of the runs."""
    timezone: str | None = None
    margin_s: float | None = None
    at_risk: float | None = None
    weekdays: list[int] | None = None
    """Monday is 0; empty: all."""
    calendar: str | None = None
    """Empty: none."""
    owner: str | None = None
    to: list[str] | None = None
    """Channels."""
    priority: list[int] | None = None
    """The least and the most weight of tasks on the key path; empty: their own."""


class FieldsReader:
    """Reads fields into a definition. Each method raises UserError, whose sentence names the baseline, the field and the remedy."""

    def __init__(self, cfg: Config) -> None:
        self._cfg = cfg

    def create(self, name: str, fields: BaselineFields) -> BaselineSpec:
        """A new definition. The zone is that of [core] default_timezone if none is set."""
        if not is_name(name):
            raise UserError(say("baseline_name_is_unusable", baseline=escape_unstorable(name[:_SHOWN])))
        spec = BaselineSpec(name=name, of=(), by="", timezone=find_default_zone(self._cfg))
        return self.change(spec, fields)

    def change(self, spec: BaselineSpec, fields: BaselineFields) -> BaselineSpec:
        """The definition with these fields."""
        spec = self._read_ends(spec, fields.of)
        spec = self._read_due(spec, fields.by, fields.days)
        spec = self._read_numbers(spec, fields.margin_s, fields.at_risk)
        spec = self._read_priority(spec, fields.priority)
        spec = self._read_days(spec, fields.timezone, fields.weekdays, fields.calendar)
        return self._read_people(spec, fields.owner, fields.to)

    def _read_ends(self, spec: BaselineSpec, of: Sequence[str] | None) -> BaselineSpec:
        spec = spec if of is None else replace(spec, of=tuple(dict.fromkeys(of)))
        if not spec.of:
            raise UserError(say("baseline_promises_nothing", baseline=spec.name))
        if len(spec.of) > OF_MAX:
            raise UserError(say("baseline_names_too_much", baseline=spec.name, most=OF_MAX))
        return spec

    def _read_due(self, spec: BaselineSpec, by: str | None, days: int | None) -> BaselineSpec:
        text = spec.by if by is None else by
        number = spec.days if days is None else days
        due = read_by(text)
        if due is None or not 0 <= number <= DAYS_MAX or (days is not None and due[1] not in (0, days)):
            shown = escape_unstorable(text[:_SHOWN]) + ("" if days is None else f" +{days}")
            raise UserError(say("baseline_time_is_wrong", baseline=spec.name, text=shown, most=DAYS_MAX))
        return replace(spec, by=due[0], days=due[1] if "+" in text else number)

    def _read_numbers(self, spec: BaselineSpec, margin_s: float | None, at_risk: float | None) -> BaselineSpec:
        margin = read_margin(spec.margin_s if margin_s is None else margin_s)
        if margin is None:
            raise UserError(say("baseline_margin_is_wrong", baseline=spec.name, number=str(margin_s)))
        share = read_share(spec.at_risk if at_risk is None else at_risk)
        if share is None:
            raise UserError(say("baseline_share_is_wrong", baseline=spec.name, number=str(at_risk)))
        return replace(spec, margin_s=margin, at_risk=share)

    def _read_priority(self, spec: BaselineSpec, priority: Sequence[int] | None) -> BaselineSpec:
        if priority is None:
            return spec
        bounds = read_priority(list(priority)) if priority else None
        if priority and bounds is None:
            shown = ", ".join(map(str, priority))[:_SHOWN]
            raise UserError(say("baseline_priority_is_wrong", baseline=spec.name, text=shown, most=PRIORITY_MAX))
        return replace(spec, priority=bounds)

    def _read_days(
        self, spec: BaselineSpec, timezone: str | None, weekdays: Sequence[int] | None, calendar: str | None
    ) -> BaselineSpec:
        zone = read_zone(spec.timezone if timezone is None else timezone)
        if zone is None:
            shown = escape_unstorable((spec.timezone if timezone is None else timezone)[:_SHOWN])
            raise UserError(say("baseline_zone_is_unknown", baseline=spec.name, zone=shown))
        for day in weekdays or ():
            if not 0 <= day < len(WEEKDAYS):
                raise UserError(say("baseline_weekday_is_wrong", baseline=spec.name, number=str(day)))
        if calendar:
            try:
                NamedCalendars(self._cfg.home).find(calendar)
            except OptionError as error:
                raise UserError(
                    say("baseline_calendar_is_wrong", baseline=spec.name, why=_sentence_of(error))
                ) from None
        return replace(
            spec,
            timezone=zone,
            weekdays=spec.weekdays if weekdays is None else tuple(sorted(set(weekdays))),
            calendar=spec.calendar if calendar is None else calendar,
        )

    def _read_people(self, spec: BaselineSpec, owner: str | None, to: Sequence[str] | None) -> BaselineSpec:
        if owner is not None and (len(owner) > OWNER_MAX or find_unstorable(owner) is not None):
            raise UserError(say("baseline_owner_is_wrong", baseline=spec.name, most=OWNER_MAX))
        known = read_alert_settings(self._cfg.home).channels if to else {}
        for channel in to or ():
            if channel not in known:
                near = find_close_matches(channel, known)
                hint = say("did_you_mean", names=near[0]) if near else say("add_channel", text=channel)
                raise UserError(say("baseline_channel_is_unknown", baseline=spec.name, text=channel, hint=hint))
        return replace(
            spec, owner=spec.owner if owner is None else owner, to=spec.to if to is None else tuple(dict.fromkeys(to))
        )


def find_default_zone(cfg: Config) -> str:
    """The zone of a baseline that names none."""
    zone = cfg.text("core", "default_timezone")
    return "UTC" if zone.lower() in ("utc", "z", "system", "local") else zone


def _sentence_of(error: OptionError) -> Sentence:
    return error.sentence or quote(str(error))
