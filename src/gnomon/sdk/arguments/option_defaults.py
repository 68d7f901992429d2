"""Options of this installation that author code leans on as defaults."""

from __future__ import annotations


def read_text(section: str, key: str) -> str:
    """The option's text, from the process's own configuration."""
    from gnomon.config import current_config  # configuration is read when the first default is asked for

    return current_config().text(section, key)


def read_integer(section: str, key: str) -> int:
    """The option as a whole number."""
    from gnomon.config import current_config

    return current_config().integer(section, key)


def read_number(section: str, key: str) -> float:
    """The option as a number."""
    from gnomon.config import current_config

    return current_config().number(section, key)


def read_boolean(section: str, key: str) -> bool:
    """The option as yes or no."""
    from gnomon.config import current_config

    return current_config().boolean(section, key)


def resolve_deferrable(given: bool | None) -> bool:
    """What was given as `deferrable`, else the option [operators] default_deferrable."""
    return read_boolean("operators", "default_deferrable") if given is None else bool(given)
