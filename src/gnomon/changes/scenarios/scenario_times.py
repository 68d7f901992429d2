"""Which time a simulation of the present state is about: from now, or from an instant to come, and not for ever."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from gnomon.authoring.sdk.arguments.timezone import find_zone
from gnomon.changes.scenarios.scenario_changes import Change
from gnomon.ground.config import Config
from gnomon.model.errors.product import UserError
from gnomon.model.instants import SECOND, Instant, to_instant
from gnomon.model.sentences import say

DEFAULT_SPAN_S = 86_400.0
MAX_AHEAD_S = 31 * 86_400.0
"""How far from now a simulation of the present state may go: what is further is not the present any more."""


def resolve_moment(moment: datetime, cfg: Config) -> Instant:
    """The instant of a time; one without a zone is of [core] default_timezone."""
    zone = moment.tzinfo or find_zone(cfg.text("core", "default_timezone"))
    return to_instant(moment.replace(tzinfo=zone))


def find_span(
    changes: Sequence[Change], now: Instant, resolve: Callable[[datetime], Instant]
) -> tuple[Instant, Instant]:
    """The begin and the end. Raises UserError for a begin that is past, and for an end that is too far. `resolve`: the instant of a time as written."""
    begin = next((change for change in changes if change.key == "from"), None)
    span = next((change for change in changes if change.key == "for"), None)
    since = now if begin is None else resolve(begin.value)
    if begin is not None and since < now:
        raise UserError(say("simulation_begins_in_past", option=begin.place, at=since))
    until = since + int((DEFAULT_SPAN_S if span is None else span.value) * SECOND)
    if until - now > MAX_AHEAD_S * SECOND:
        place = (span or begin or changes[0]).place
        raise UserError(say("simulation_is_too_far", option=place, until=until, days=int(MAX_AHEAD_S // 86_400)))
    return since, until
