"""Faults of our own rules: never an author's or an operator's."""

from __future__ import annotations

from collections.abc import Iterable


class IllegalTransition(Exception):
    """A task instance was asked to make a move that the transition table does not have: a fault in Gnomon."""

    def __init__(self, state: str, cause: str) -> None:
        super().__init__(f"a task instance in state {state!r} cannot change because {cause!r}; please report this")


class EngineStepError(Exception):
    """A step failed where it should not have; `group_no` and `dag_id` say whose runs it was at, if it was at any."""

    def __init__(self, cause: Exception, group_no: int | None, dag_id: str | None) -> None:
        super().__init__(f"{type(cause).__name__}: {cause}")
        self.group_no = group_no
        self.dag_id = dag_id


class GnomonError(Exception):
    """Base of the errors that Gnomon words itself; printed without a traceback."""


class UserError(GnomonError):
    """Something that was asked cannot be done as asked: the message says what to change (exit code 1)."""


class ConfigurationError(UserError):
    """An option, a file right or the set-up of the machine stands in the way: the message names it."""


class ResourceUnavailable(GnomonError):
    """Something outside is not reachable now (database, network, disk): it may work again later."""


class InternalError(GnomonError):
    """An invariant of Gnomon does not hold. Nobody but us can mend it; the message says what to report."""


DEFAULT_CUTOFF = 0.6
"""So alike are a name and its slip, between 0 and 1. Where names are alike that mean different things, callers ask for more."""


def find_close_matches(name: str, known: Iterable[str], *, most: int = 1, cutoff: float = DEFAULT_CUTOFF) -> list[str]:
    """At most so many of the known names, those that look like `name` whatever the case, best first."""
    import difflib  # only when something is wrong

    by_lower: dict[str, str] = {}
    for candidate in known:
        by_lower.setdefault(candidate.lower(), candidate)
    return [by_lower[found] for found in difflib.get_close_matches(name.lower(), by_lower, n=most, cutoff=cutoff)]
