"""Converts the text of an option to a typed value. Each function raises ValueError with a message that says what to write."""

from __future__ import annotations

import math

from gnomon.ground.config.option import ConfigOption, OptionKind

_TRUE = frozenset({"t", "true", "1", "yes", "y", "on"})
_FALSE = frozenset({"f", "false", "0", "no", "n", "off"})


def to_boolean(text: str) -> bool:
    """Accepts Airflow's spellings of true and false in any case, and yes/no and on/off."""
    text = text.split("#")[0].strip().lower()
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    raise ValueError("write true or false")


def to_integer(text: str) -> int:
    try:
        return int(text.strip())
    except ValueError:
        raise ValueError("write a whole number") from None


def to_number(text: str) -> float:
    try:
        number = float(text.strip())
    except ValueError:
        raise ValueError("write a number") from None
    if not math.isfinite(number):
        raise ValueError("write a finite number")
    return number


def check_value(option: ConfigOption, text: str) -> None:
    """Raises ValueError, with a message that says what to write, unless the option accepts the text."""
    if not text.strip():
        if option.may_be_empty or (option.kind is OptionKind.TEXT and not option.choices):
            return
        raise ValueError("it must not be empty")
    if option.kind is OptionKind.BOOLEAN:
        to_boolean(text)
    elif option.kind in (OptionKind.INTEGER, OptionKind.NUMBER):
        number = to_integer(text) if option.kind is OptionKind.INTEGER else to_number(text)
        if option.minimum is not None and number < option.minimum:
            raise ValueError(f"write a number of at least {option.minimum:g}")
    if option.parse is not None:
        option.parse(text)
    if option.choices and text.strip().lower() not in {choice.lower() for choice in option.choices}:
        raise ValueError(f"write one of: {', '.join(option.choices)}")


def normalize_choice(option: ConfigOption, text: str) -> str:
    """The text in the spelling of the option's choices: upper and lower case are equal to users."""
    return next((choice for choice in option.choices if choice.lower() == text.strip().lower()), text)
