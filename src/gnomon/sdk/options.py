"""Options of this installation that author code leans on as defaults."""

from __future__ import annotations


def text(section: str, key: str) -> str:
    """The option's text, from the process's own configuration."""
    from gnomon.config import ambient  # configuration is read when the first default is asked for

    return ambient().text(section, key)


def integer(section: str, key: str) -> int:
    """The option as a whole number."""
    from gnomon.config import ambient

    return ambient().integer(section, key)


def number(section: str, key: str) -> float:
    """The option as a number."""
    from gnomon.config import ambient

    return ambient().number(section, key)


def boolean(section: str, key: str) -> bool:
    """The option as yes or no."""
    from gnomon.config import ambient

    return ambient().boolean(section, key)
