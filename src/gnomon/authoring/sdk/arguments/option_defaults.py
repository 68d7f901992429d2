"""Reads the options of this installation that are defaults of arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gnomon.ground.config import Config


def read_text(section: str, key: str) -> str:
    """Return the option as text, from the configuration of this process."""
    return _options().text(section, key)


def read_integer(section: str, key: str) -> int:
    """Return the option as a whole number."""
    return _options().integer(section, key)


def read_number(section: str, key: str) -> float:
    """Return the option as a number."""
    return _options().number(section, key)


def read_boolean(section: str, key: str) -> bool:
    """Return the option as a boolean."""
    return _options().boolean(section, key)


def read_optional_boolean(section: str, key: str) -> bool | None:
    """Return the option as a boolean; None while it is empty."""
    return _options().boolean(section, key) if _options().text(section, key) else None


def has_secrets_backend() -> bool:
    """Return whether an option names a secrets backend."""
    return any(read_text(*option).strip() for option in (("secrets", "backend"), ("workers", "secrets_backend")))


def read_boolean_of_dialect(section: str, key: str, dialect: int) -> bool:
    """Return the option as a boolean; when it is not set, its default in Airflow 2 or 3 (`dialect`)."""
    return _options().boolean_of_dialect(section, key, dialect)


def resolve_deferrable(deferrable: bool | None) -> bool:
    """Return the argument `deferrable`, or for None the option [operators] default_deferrable."""
    return read_boolean("operators", "default_deferrable") if deferrable is None else bool(deferrable)


def _options() -> Config:
    from gnomon.ground.config import current_config  # configuration is read when a default is first needed

    return current_config()
