"""Checks of arguments: each function takes the name and the value of an argument and returns the value to store.

Each raises TypeError or ValueError, with the name and the value, for a value that is not valid.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import Any

from gnomon.authoring.sdk.arguments import timezone
from gnomon.authoring.sdk.arguments.task_rules import TriggerRule, WeightRule
from gnomon.model.instants import Instant, to_instant
from gnomon.model.policies import MISFIRES, OVERLAPS
from gnomon.model.storable_text import POOL_NAME_MAX, escape_unstorable, find_unstorable


def as_span(name: str, value: Any) -> dt.timedelta | None:
    """Return a timedelta, or a number of seconds, as a timedelta."""
    if value is None or isinstance(value, dt.timedelta):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return dt.timedelta(seconds=value)
        except (OverflowError, ValueError):  # infinite, no number, or longer than every timedelta
            raise ValueError(
                f"{name} must be a timedelta or seconds, not {_show(value)}; timedelta.max is the longest span"
            ) from None
    raise ValueError(f"{name} must be a timedelta or seconds, not {value!r} ({type(value).__name__})")


def as_given_span(name: str, value: Any) -> dt.timedelta:
    """Return a timedelta, or a number of seconds, as a timedelta; None is not accepted."""
    span = as_span(name, value)
    if span is None:
        raise TypeError(f"{name} must be a timedelta or seconds, not None")
    return span


def as_window(name: str, value: Any) -> dt.timedelta | None:
    """Return a timedelta, or a number of seconds, as a timedelta of 0 or more."""
    span = as_span(name, value)
    if span is not None and span < dt.timedelta():
        raise ValueError(f"{name} must be 0 or more, not {value!r}")
    return span


def as_misfire(name: str, value: Any) -> str:
    """Return the policy for late slots."""
    return _check_one_of(name, value, MISFIRES)


def as_overlap(name: str, value: Any) -> str:
    """Return the policy for a slot that is due while a run is active."""
    return _check_one_of(name, value, OVERLAPS)


def _check_one_of(name: str, value: Any, choices: tuple[str, ...]) -> str:
    if value not in choices:
        raise ValueError(f"{name} {value!r} is not known. Use one of: {', '.join(choices)}")
    return str(value)


def as_timedelta(name: str, value: Any) -> dt.timedelta | None:
    """Return a timedelta; a number is not accepted."""
    if value is None or isinstance(value, dt.timedelta):
        return value
    raise ValueError(f"{name} must be a timedelta, for example timedelta(minutes=5), not {value!r}")


def as_moment(name: str, value: Any) -> dt.datetime | None:
    """Return a datetime: text is parsed, a date becomes its midnight. A naive datetime stays naive; see `make_moment_aware`."""
    if value is None or isinstance(value, dt.datetime):
        return value
    if isinstance(value, dt.date):
        return dt.datetime(value.year, value.month, value.day)  # noqa: DTZ001 (`make_moment_aware` adds the zone)
    if isinstance(value, str):
        try:
            return dt.datetime.fromisoformat(value)
        except ValueError:
            return _parse_moment(name, value)
    raise TypeError(f"{name} must be a datetime, for example pendulum.datetime(2026, 1, 1, tz='UTC'), not {value!r}")


def _parse_moment(name: str, text: str) -> dt.datetime:
    try:
        return timezone.parse(text)
    except ValueError as error:
        raise ValueError(f"{name} must be a datetime or its ISO 8601 text: {error}") from None


def make_moment_aware(value: dt.datetime, zone: dt.tzinfo | None = None) -> dt.datetime:
    """Return the moment with a time zone: its own, else `zone`, else the zone of the installation."""
    return value if value.utcoffset() is not None else timezone.make_aware(value, zone)


INTEGER_MAX = 2**31 - 1
"""The largest number that a column of whole numbers holds."""
RETRIES_MAX = 1_000_000_000
"""The largest number of retries; tries are counted on after a clear."""


def as_integer(name: str, value: Any) -> int | None:
    """Return a whole number; a text such as "3" is converted."""
    if value is None or (
        isinstance(value, int) and not isinstance(value, bool) and -INTEGER_MAX <= value <= INTEGER_MAX
    ):
        return value
    try:
        if isinstance(value, float) and not value.is_integer():
            raise ValueError
        number = int(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a whole number, not {value!r} ({type(value).__name__})") from None
    if not -INTEGER_MAX <= number <= INTEGER_MAX:
        raise ValueError(f"{name} must be a whole number from {-INTEGER_MAX} to {INTEGER_MAX}, not {_show(number)}")
    return number


def _show(number: float) -> str:
    """The number for a message; a very long one in short."""
    return repr(number) if not isinstance(number, int) or abs(number) < 10**40 else "one of more than 40 digits"


def as_retries(name: str, value: Any) -> int:
    """Return a whole number of 0 or more; None becomes 0."""
    number = as_integer(name, value) or 0
    if number < 0:
        raise ValueError(f"{name} must be 0 or more, not {number}")
    if number > RETRIES_MAX:
        raise ValueError(f"{name} must be at most {RETRIES_MAX}, not {number}")
    return number


def as_limit(name: str, value: Any) -> int | None:
    """Return a whole number of 0 or more, or None."""
    number = as_integer(name, value)
    if number is not None and number < 0:
        raise ValueError(f"{name} must be 0 or more, not {number}")
    return number


def as_slots(name: str, value: Any) -> int:
    """Return a whole number of 1 or more."""
    number = as_integer(name, value)
    if number is None or number < 1:
        raise ValueError(f"{name} must be 1 or more, not {value!r}")
    return number


BACKOFF_MAX = 1e6
"""The largest multiplier of delays between tries: every delay is cut to a day."""


def as_backoff(name: str, value: Any) -> float:
    """Return the multiplier of each further delay; True becomes 2, False and None become 0 (a constant delay)."""
    if value is True:
        return 2.0
    if isinstance(value, int | float) and 0 <= value <= BACKOFF_MAX:
        return float(value)
    if value is None:
        return 0.0
    shown = _show(value) if isinstance(value, int | float) else repr(value)
    raise ValueError(f"{name} must be True, False or a number from 0 to {BACKOFF_MAX:g}, not {shown}")


def as_trigger_rule(name: str, value: Any) -> TriggerRule:
    """Return the trigger rule; old names are accepted."""
    if value == "all_success":
        return TriggerRule.ALL_SUCCESS
    try:
        return TriggerRule(value)
    except ValueError:
        rules = ", ".join(sorted(TriggerRule.all_triggers()))
        raise ValueError(f"{name} {value!r} is not known. Use one of: {rules}") from None


def as_weight_rule(name: str, value: Any) -> Any:
    """Return the weight rule; a strategy object, its class or its path is returned unchanged."""
    if isinstance(value, WeightRule) or not isinstance(value, str):
        return value
    if WeightRule.is_valid(value):
        return WeightRule(value)
    if "." in value:
        return value
    raise ValueError(f"{name} {value!r} is not known. Use one of: {', '.join(sorted(WeightRule.all_weight_rules()))}")


def as_flag(name: str, value: Any) -> Any:
    """Return True, False or None; 0 and 1 are accepted too. A text such as "False", which Python takes as true, is an error."""
    if value is None or (isinstance(value, bool | int) and value in (0, 1)):
        return value
    raise TypeError(f"{name} must be True or False, not {value!r} ({type(value).__name__})")


def as_weight(name: str, value: Any) -> int:
    """Return a whole number."""
    number = as_integer(name, value)
    if number is None:
        raise TypeError(f"{name} must be a whole number, not None")
    return number


def as_mapping(name: str, value: Any) -> Any:
    """Return a dict or another mapping."""
    if value is None or hasattr(value, "items"):
        return value
    raise TypeError(f"{name} must be a dict, not {describe_value(value)}")


def as_named_values(name: str, value: Any) -> Any:
    """Return a dict whose keys are texts."""
    wrong = next((key for key in as_mapping(name, value) or () if not isinstance(key, str)), None)
    if wrong is not None:
        raise TypeError(f"{name} must have texts as keys, not {describe_value(wrong)}")
    return value


def as_class(name: str, value: Any) -> Any:
    """Return a class, or None."""
    if value is None or isinstance(value, type):
        return value
    raise TypeError(f"{name} must be a class, not {describe_value(value)}")


def as_function(name: str, value: Any) -> Any:
    """Return a function or another callable, or None."""
    if value is None or callable(value):
        return value
    raise TypeError(f"{name} must be a function, not {describe_value(value)}")


def as_texts(name: str, value: Any) -> Any:
    """Return a text, or several; None among them stays, as of a variable of the environment that is not set."""
    if value is None or isinstance(value, str):
        return value
    texts = list(value) if isinstance(value, Iterable) else [value]
    if all(text is None or isinstance(text, str) for text in texts):
        return texts
    raise TypeError(f"{name} must be a text or a list of texts, not {describe_value(value)}")


def as_folders(name: str, value: Any) -> Any:
    """Return a path, or several."""
    if value is None or isinstance(value, str | PurePath):
        return value
    paths = list(value) if isinstance(value, Iterable) else [value]
    if all(isinstance(path, str | PurePath) for path in paths):
        return paths
    raise TypeError(f"{name} must be a path or a list of paths, not {describe_value(value)}")


def describe_value(value: object) -> str:
    """The value and its type, for a message."""
    try:
        shown = escape_unstorable(repr(value))
    except Exception:  # the method is the author's
        return f"a {type(value).__name__}"
    return f"{shown[:_SHOWN_MAX]}{'...' if len(shown) > _SHOWN_MAX else ''} ({type(value).__name__})"


_SHOWN_MAX = 80


def as_name(name: str, value: Any) -> Any:
    """Return a text or None."""
    return None if value is None else as_text(name, value)


def as_pool(name: str, value: Any) -> Any:
    """Return the name of a pool, or None. Raises ValueError for a name that no pool can have."""
    text = as_name(name, value)
    if text is not None and len(text) > POOL_NAME_MAX:
        raise ValueError(
            f"{name} has {len(text)} characters; the name of a pool has at most {POOL_NAME_MAX}: shorten it"
        )
    return text


def as_text(name: str, value: Any) -> str:
    """Return a text."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be text, not {value!r} ({type(value).__name__})")
    if (fault := find_unstorable(value)) is not None:
        raise ValueError(f"{name} contains {fault}; leave it out")
    return value


def as_links(name: str, value: Any) -> dict[str, str]:
    """Return the links by owner. Raises ValueError for a text that is neither an address nor `mailto:` with a recipient."""
    from urllib.parse import urlsplit  # few DAGs have links

    for owner, link in as_named_values(name, value).items():
        as_text(f"{name}[{owner!r}]", link)
        parts = urlsplit(link)
        if not ((parts.scheme == "mailto" and parts.path) or (parts.scheme and parts.netloc)):
            raise ValueError(
                f"{name}: {link!r} of {owner!r} is no link. Write https://... or mailto:someone@example.com"
            )
    return dict(value)


def read_doc(name: str, value: Any) -> Any:
    """Return the documentation: the content of the file that a text ending in `.md` names, if there is such a file; else the text.

    A relative path is below the working folder of the process. Raises ValueError for a file that cannot be read.
    """
    if value is None or not as_text(name, value).endswith(".md"):
        return value
    try:
        with open(value, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return value
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{name}={value!r} names a file that cannot be read: {error}") from None


def as_tags(name: str, value: Any) -> set[str]:
    """Return a set of texts of at most 100 characters. A single text is an error."""
    if value is None:
        return set()
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise TypeError(f"{name} must be a list of texts, for example [{value!r}], not {value!r}")
    tags = set(value)
    for tag in tags:
        if not isinstance(tag, str) or len(tag) > 100:
            raise ValueError(f"{name}: {tag!r} is not a text of at most 100 characters")
    return tags


# Conversions for TaskSpec and DagSpec


def to_seconds(value: Any) -> float | None:
    """Return a span in seconds."""
    span = as_span("span", value)
    return None if span is None else span.total_seconds()


def to_instant_or_none(value: Any) -> Instant | None:
    """Return a moment as an instant; a naive moment is read in the zone of the installation."""
    moment = as_moment("moment", value)
    return None if moment is None else to_instant(make_moment_aware(moment))


def to_text(value: Any) -> str | None:
    """Return the text of the value, or None."""
    return None if value is None else str(value)


def check_place(arguments: Mapping[str, Any]) -> None:
    """Raise TypeError for a `dag`, a `task_group` or a `parent_group` among the arguments that is none."""
    for name, mark, kind in (
        ("dag", "task_dict", "DAG"),
        ("task_group", "dag", "task group"),
        ("parent_group", "dag", "task group"),
    ):
        value = arguments.get(name)
        if value is not None and not hasattr(value, mark):
            raise TypeError(f"{name} must be a {kind}, not {describe_value(value)}")


ID_MAX = 250
GROUP_ID_MAX = 200
_ID = re.compile(r"[\w.-]+", re.UNICODE)
_GROUP_ID = re.compile(r"[\w-]+", re.UNICODE)


def check_id(kind: str, value: object, where: str = "") -> str:
    """Return the id of a DAG or task: 1 to 250 letters, digits, `_`, `-`, `.`. Raises TypeError or ValueError for another value."""
    return _check_pattern(kind, value, where, _ID, ID_MAX, "letters, digits, '_', '-' and '.'")


def check_group_id(value: object, where: str = "") -> str:
    """Return the id of a task group: 1 to 200 letters, digits, `_`, `-`. Raises TypeError or ValueError for another value."""
    return _check_pattern("group_id", value, where, _GROUP_ID, GROUP_ID_MAX, "letters, digits, '_' and '-'")


def _check_pattern(kind: str, value: object, where: str, allowed: re.Pattern[str], longest: int, words: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{kind} must be text, not {value!r} ({type(value).__name__}){where}.")
    if not allowed.fullmatch(value):
        raise ValueError(f"{kind} {value!r} has characters that are not allowed{where}. Use only {words}.")
    if len(value) > longest:
        raise ValueError(f"{kind} {value[:40]!r}… has {len(value)} characters{where}; at most {longest} are allowed.")
    return str(value)


def as_retry_policy(name: str, value: Any) -> Any:
    """Return the RetryPolicy; most tasks have none, so its classes are imported only for one that has."""
    if value is None:
        return None
    from gnomon.authoring.sdk.arguments import retry_policies  # start-up cost

    return retry_policies.check_retry_policy(name, value)
