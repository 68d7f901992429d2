"""The text of an exception of author code, which cannot fail: its class may define any `__str__`, `__repr__`, `__cause__` or `__traceback__`."""

from __future__ import annotations

import traceback
from types import TracebackType

TEXT_MAX = 100_000
"""Characters kept of the text of an exception."""

_name_of = type.__dict__["__name__"].__get__
_traceback_of = BaseException.__dict__["__traceback__"].__get__


def class_name(error: BaseException) -> str:
    """The name of the class, whatever its metaclass does."""
    name: str = _name_of(type(error))
    return name


def error_text(error: object) -> str:
    """`str(error)`, at most TEXT_MAX characters of it; `<its text cannot be made: ValueError: no str>` when that raises or returns no text."""
    try:
        return _cut(str(error))
    except BaseException as failure:  # the edge of author code
        return f"<its text cannot be made: {_describe_failure(failure)}>"


def describe_error(error: BaseException) -> str:
    """`ValueError: text`, or `ValueError` when there is no text."""
    text = error_text(error).strip()
    return f"{class_name(error)}: {text}" if text else class_name(error)


def safe_repr(value: object) -> str:
    """`repr(value)`, at most TEXT_MAX characters of it; `<int: its repr raised ValueError>` when it raises or returns no text."""
    try:
        return _cut(repr(value))
    except BaseException as failure:  # the edge of author code
        return f"<{_name_of(type(value))}: its repr raised {class_name(failure)}>"


def error_traceback(error: BaseException) -> TracebackType | None:
    """The traceback that Python has recorded, whatever the class defines as `__traceback__`."""
    trace: TracebackType | None = _traceback_of(error)
    return trace


def format_error(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> str:
    """The traceback, causes and text as Python prints them; the frames and the text alone when Python cannot print the rest."""
    try:
        return "".join(traceback.format_exception(kind, error, trace))
    except BaseException as failure:  # the edge of author code: __cause__, __notes__, exceptions of a group
        note = f"(the causes and notes of this error cannot be shown: {_describe_failure(failure)})"
        return "".join(
            ["Traceback (most recent call last):\n", *_format_frames(trace), f"{describe_error(error)}\n", f"{note}\n"]
        )


def _format_frames(trace: TracebackType | None) -> list[str]:
    try:
        return traceback.format_tb(trace)
    except BaseException:  # a loader of the author's gives the source lines
        return []


def _describe_failure(failure: BaseException) -> str:
    """An error that another one raised when its text was made: with its text, if that can be made."""
    try:
        text = _cut(str(failure), _REASON_MAX).strip()
    except BaseException:
        text = ""
    return f"{class_name(failure)}: {text}" if text else class_name(failure)


_REASON_MAX = 500


def _cut(text: str, length: int = TEXT_MAX) -> str:
    """At most `length` characters as a plain str: a subclass may define any method."""
    return str.__getitem__(text, slice(None, length)) if type(text) is str else str.__str__(text)[:length]
