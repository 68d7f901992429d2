"""Errors of commands and services: the class says whose fault it is (user, configuration, outside resource, Gnomon)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gnomon.model.sentences import Sentence


class IllegalTransition(Exception):
    """A transition table has no row for this state and cause: an internal error of Gnomon."""

    def __init__(self, state: str, cause: str) -> None:
        super().__init__(f"a task instance in state {state!r} cannot change because {cause!r}; please report this")


class EngineStepError(Exception):
    """A step of the engine failed with an internal error; `group_no` and `dag_id` are of the DAG that it was processing, or None."""

    def __init__(self, cause: Exception, group_no: int | None, dag_id: str | None) -> None:
        super().__init__(f"{type(cause).__name__}: {cause}")
        self.group_no = group_no
        self.dag_id = dag_id


class GnomonError(Exception):
    """Base of the errors whose message is complete for a user; printed without a traceback.

    `sentence`: the message with its code and arguments; None for one that was given as text.
    """

    def __init__(self, message: str | Sentence = "") -> None:
        self.sentence = None if isinstance(message, str) else message
        super().__init__(message if isinstance(message, str) else _render(message))


def _render(sentence: Sentence) -> str:
    from gnomon.model.sentences import render  # loaded with the first sentence: a DAG file has none

    return render(sentence)


class UserError(GnomonError):
    """A command or request cannot be carried out as given: the message says what to change (exit code 1)."""


class ConfigurationError(UserError):
    """An option, a file permission or the set-up of the machine prevents the operation: the message names it."""


class ResourceUnavailable(GnomonError):
    """A database, network or disk is not available now: the operation may succeed later."""


class InternalError(GnomonError):
    """An invariant of Gnomon does not hold, which only a change of Gnomon can fix; the message says what to report."""


DEFAULT_CUTOFF = 0.6
"""The least similarity of a suggestion, between 0 and 1; callers pass more where similar names mean different things."""


def find_close_matches(
    name: str, known_names: Iterable[str], *, most: int = 1, cutoff: float = DEFAULT_CUTOFF
) -> list[str]:
    """The known names that are most similar to `name`, ignoring case, best first; at most `most` of them."""
    import difflib  # loaded only when there is an error to report

    by_lower: dict[str, str] = {}
    for candidate in known_names:
        by_lower.setdefault(candidate.lower(), candidate)
    return [by_lower[match] for match in difflib.get_close_matches(name.lower(), by_lower, n=most, cutoff=cutoff)]
