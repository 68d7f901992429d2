"""The text of an exception can always be made, whatever its class defines."""

from __future__ import annotations

from typing import Any

import pytest

from gnomon.model.errors.error_text import (
    TEXT_MAX,
    class_name,
    describe_error,
    error_text,
    error_traceback,
    format_error,
    safe_repr,
)


class NoText(Exception):
    def __str__(self) -> str:
        raise ValueError("no str")


class NumberAsText(Exception):
    def __str__(self) -> Any:
        return 3  # noqa: PLE0307


class NothingAsText(Exception):
    def __str__(self) -> Any:
        return None  # noqa: PLE0307


class EndsProcess(Exception):
    def __str__(self) -> str:
        raise SystemExit(3)


class Interrupts(Exception):
    def __str__(self) -> str:
        raise KeyboardInterrupt


class RaisesAnother(Exception):
    def __str__(self) -> str:
        raise NoText


class Recursive(Exception):
    def __str__(self) -> str:
        return str(self)


class OddText(str):  # noqa: SLOT000
    def __getitem__(self, key: Any) -> str:
        raise ValueError("no part")

    def strip(self, *_: Any) -> str:
        raise ValueError("no strip")


class TextOfAnotherClass(Exception):
    def __str__(self) -> str:
        return OddText("odd")


class OddMeta(type):
    @property
    def __name__(cls) -> str:  # type: ignore[override]
        raise ValueError("no name")


class OddClass(Exception, metaclass=OddMeta):
    pass


class NoCause(Exception):
    @property
    def __cause__(self) -> Any:  # type: ignore[override]
        raise ValueError("no cause")


class NoTrace(Exception):
    @property
    def __traceback__(self) -> Any:  # type: ignore[override]
        raise ValueError("no traceback")


class NoNotes(Exception):
    @property
    def __notes__(self) -> Any:
        raise ValueError("no notes")


class OddGroup(ExceptionGroup):  # type: ignore[type-arg]
    @property
    def exceptions(self) -> Any:  # type: ignore[override]
        raise ValueError("no exceptions")


BROKEN = [
    (NoText(), "NoText: <its text cannot be made: ValueError: no str>"),
    (NumberAsText(), "NumberAsText: <its text cannot be made: TypeError: __str__ returned non-string (type int)>"),
    (
        NothingAsText(),
        "NothingAsText: <its text cannot be made: TypeError: __str__ returned non-string (type NoneType)>",
    ),
    (EndsProcess(), "EndsProcess: <its text cannot be made: SystemExit: 3>"),
    (Interrupts(), "Interrupts: <its text cannot be made: KeyboardInterrupt>"),
    (RaisesAnother(), "RaisesAnother: <its text cannot be made: NoText>"),
    (Recursive(), "Recursive: <its text cannot be made: RecursionError: maximum recursion depth exceeded>"),
    (TextOfAnotherClass(), "TextOfAnotherClass: odd"),
    (OddClass("text"), "OddClass: text"),
    (NoCause("text"), "NoCause: text"),
    (NoTrace("text"), "NoTrace: text"),
    (NoNotes("text"), "NoNotes: text"),
    (OddGroup("text", [ValueError()]), "OddGroup: text (1 sub-exception)"),
    (ValueError(), "ValueError"),
    (ValueError("two\nlines"), "ValueError: two\nlines"),
]


@pytest.mark.parametrize(
    ("error", "text"),
    BROKEN,
    ids=[describe_error(error).partition(":")[0] + str(number) for number, (error, _) in enumerate(BROKEN)],
)
def test_each_error_has_a_text_and_a_traceback(error: BaseException, text: str) -> None:
    assert describe_error(error) == text
    try:
        raise error
    except BaseException as raised:
        trace = error_traceback(raised)
        assert trace is not None
        shown = format_error(type(raised), raised, trace)
    assert shown.startswith(("Traceback (most recent call last):\n", "  + Exception Group Traceback"))
    assert "raise error" in shown and class_name(error) in shown


def test_a_text_without_end_is_cut() -> None:
    assert error_text(ValueError("x" * (TEXT_MAX + 1))) == "x" * TEXT_MAX


def test_causes_in_a_circle_are_shown_once() -> None:
    first, second = ValueError("first"), ValueError("second")
    first.__cause__, second.__cause__ = second, first
    assert format_error(ValueError, first, None).count("ValueError: first") == 1


def test_a_repr_that_raises_is_named() -> None:
    class NoRepr:
        def __repr__(self) -> str:
            raise SystemExit

    assert safe_repr(NoRepr()) == "<NoRepr: its repr raised SystemExit>"
    assert safe_repr([1]) == "[1]"
