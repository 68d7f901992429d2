"""The declaration of an option, and the errors about options."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from gnomon.model.errors.product import UserError


class OptionError(UserError):
    """An option has a value that it cannot have, or does not exist; the message names it, where it was set, and the remedy."""


class UnknownOptionError(OptionError):
    """The option is not declared, and no environment variable sets it."""


class OptionKind(Enum):
    """How the text of a value is read."""

    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    PATH = "path"


class OptionKey(NamedTuple):
    """Section and name of an option, in lower case."""

    section: str
    name: str

    def __str__(self) -> str:
        return f"[{self.section}] {self.name}"

    @property
    def variable(self) -> str:
        """The environment variable without its prefix: `SECTION__NAME`."""
        return f"{self.section.upper()}__{self.name.upper()}"


@dataclass(frozen=True, slots=True)
class ConfigOption:
    """A declared option. `default` is text as a user would write it; `{home}` in it is Gnomon's home."""

    section: str
    name: str
    default: str
    kind: OptionKind
    description: str
    aliases: tuple[OptionKey, ...] = ()
    """Names of the option in older versions of Airflow, the newest first."""
    choices: tuple[str, ...] = ()
    parse: Callable[[str], object] | None = None
    """Raises ValueError, with a message that says what to write, for a text that the option does not accept; None: choices, minimum and kind say all."""
    minimum: float | None = None
    may_be_empty: bool = False
    """The empty text is a valid value (for example: no limit, or not set)."""
    is_secret: bool = False
    """The value is never shown, and author code cannot read it."""
    is_for_author_code: bool = False
    """Although the value is a secret, processes of author code have it: a secrets backend runs there, as in Airflow."""
    airflow_2_default: str | None = None
    """The default with `[core] airflow_dialect = 2`, and for DAGs that are written for Airflow 2; None: the same default."""
    is_used: bool = True
    """False: Gnomon does not use the option; author code can read it with `conf.get`."""

    def find_default(self, dialect: int) -> str:
        """The default in Airflow 2 or 3 (`dialect`)."""
        return self.airflow_2_default if dialect == 2 and self.airflow_2_default is not None else self.default

    @property
    def key(self) -> OptionKey:
        return OptionKey(self.section, self.name)
