"""The options of one process: checked values with their sources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from gnomon.ground.config.option import ConfigOption, OptionKey, UnknownOptionError
from gnomon.ground.config.options import OPEN_SECTIONS, OPTIONS, find_nearest_option, find_option
from gnomon.ground.config.secrets import is_secret, mask_secret
from gnomon.ground.config.sources import OptionValue
from gnomon.ground.config.values import to_boolean, to_integer, to_number

if TYPE_CHECKING:
    from gnomon.model.sentences import Sentence

T = TypeVar("T")


class _Missing:
    pass


_MISSING = _Missing()


class Setting(NamedTuple):
    """One line of `config list`."""

    option: ConfigOption
    shown: str
    """The value, secrets hidden."""
    source: str


class UndeclaredOption(NamedTuple):
    """What a variable of the environment sets and Gnomon does not read."""

    option: str
    """`[section] name`; the variable where its name is not that of an option."""
    source: str
    """The variable."""
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class Config:
    """Immutable: every declared option has a checked value and a source."""

    home: Path
    _values: Mapping[OptionKey, OptionValue]
    _undeclared: Mapping[OptionKey, OptionValue]
    """Options that the environment sets with the prefix AIRFLOW and that Gnomon does not declare."""
    _misspelt: Mapping[str, OptionKey | None] = field(default_factory=dict)
    """Variables that look like those of options, with the option that each may mean."""

    def text(self, section: str, name: str) -> str:
        return self._require(section, name).text

    def integer(self, section: str, name: str) -> int:
        return to_integer(self.text(section, name))

    def number(self, section: str, name: str) -> float:
        return to_number(self.text(section, name))

    def boolean(self, section: str, name: str) -> bool:
        return to_boolean(self.text(section, name))

    def boolean_of_dialect(self, section: str, name: str, dialect: int) -> bool:
        """The option as a boolean; when it is not set, its default in Airflow 2 or 3 (`dialect`), whatever `[core] airflow_dialect` is."""
        option = find_option(section, name)
        if option is None or self.source(section, name) != "default":
            return self.boolean(section, name)
        return to_boolean(option.find_default(dialect))

    def path(self, section: str, name: str) -> Path:
        return Path(self.text(section, name))

    def source(self, section: str, name: str) -> str:
        """Where the value comes from: `default`, the environment variable, or the file and its line."""
        return self._require(section, name).place

    def has(self, section: str, name: str) -> bool:
        """Whether the option is declared, or set for Airflow in the environment."""
        return self._find(section, name) is not None

    def get(self, section: str, name: str, fallback: str | T | _Missing = _MISSING) -> str | T:
        """The text of any option, also of one that only Airflow knows; `fallback` when the option is unknown or not set.

        A `fallback` is also returned for an option that Gnomon does not use, whose default is empty, and that is not set.
        Raises UnknownOptionError when there is neither a value nor a fallback.
        """
        value = self._find(section, name)
        if value is not None and not (value.place == "default" and self._is_unset(section, name, value)):
            return value.text
        if not isinstance(fallback, _Missing):
            return fallback
        if value is not None:
            return value.text
        raise UnknownOptionError(self._say_unknown(section, name))

    def section(self, section: str) -> dict[str, str]:
        """All options of a section, as text."""
        both = {**self._values, **self._undeclared}
        return {key.name: value.text for key, value in both.items() if key.section == section.lower()}

    def settings(self) -> list[Setting]:
        """Every declared option with its value and source; secrets, and the password in a database address, are masked."""
        declared = [option for option in OPTIONS if option.key in self._values]
        of_open_sections = [
            option for key in self._values if key.section in OPEN_SECTIONS and (option := find_option(*key)) is not None
        ]
        return [
            Setting(option, mask_secret(option, self._values[option.key].text), self._values[option.key].place)
            for option in declared + of_open_sections
        ]

    def settings_without_effect(self) -> list[Setting]:
        """The options that the file or the environment sets and that do not act; their description is the reason."""
        return [setting for setting in self.settings() if not setting.option.is_used and setting.source != "default"]

    def undeclared_options(self) -> list[UndeclaredOption]:
        """What the environment sets for an option that Gnomon does not declare, or under a name that is no option's, each with the reason."""
        unknown = [
            UndeclaredOption(
                str(key),
                value.place,
                f"Gnomon has no such option; only DAG files and tasks that read it see the value.{_suggest(find_nearest_option(key))}",
            )
            for key, value in self._undeclared.items()
        ]
        return unknown + [
            UndeclaredOption(
                variable,
                variable,
                f"The variable of an option is {variable.partition('_')[0].upper()}__SECTION__KEY.{_suggest(meant)}",
            )
            for variable, meant in self._misspelt.items()
        ]

    @property
    def dags_folder(self) -> Path:
        return self.path("core", "dags_folder")

    @property
    def plugins_folder(self) -> Path:
        return self.path("core", "plugins_folder")

    @property
    def logs_folder(self) -> Path:
        return self.path("logging", "base_log_folder")

    @property
    def database_url(self) -> str:
        return self.text("database", "sql_alchemy_conn")

    def with_base_url(self, address: str) -> Config:
        """The same options; `[api] base_url` is this address of a standalone if it is not set."""
        if self.text("api", "base_url"):
            return self
        value = OptionValue(address, "the address of this standalone")
        return replace(self, _values={**self._values, OptionKey("api", "base_url"): value})

    def for_author_code(self) -> Config:
        """The same options without secrets: the options that DAG files and tasks may read."""

        def public(options: Mapping[OptionKey, OptionValue]) -> dict[OptionKey, OptionValue]:
            return {key: value for key, value in options.items() if not is_secret(key)}

        return Config(self.home, public(self._values), public(self._undeclared))

    def _is_unset(self, section: str, name: str, value: OptionValue) -> bool:
        option = find_option(section, name)
        return option is not None and not value.text and (option.may_be_empty or not option.is_used)

    def _require(self, section: str, name: str) -> OptionValue:
        value = self._find(section, name)
        if value is None:
            raise UnknownOptionError(self._say_unknown(section, name))
        return value

    def _find(self, section: str, name: str) -> OptionValue | None:
        option = find_option(section, name)
        key = option.key if option is not None else OptionKey(section.lower(), name.lower())
        return self._values.get(key) or self._undeclared.get(key)

    def _say_unknown(self, section: str, name: str) -> Sentence:
        from gnomon.model.sentences import say  # loaded with the first refusal

        key = OptionKey(section.lower(), name.lower())
        if is_secret(key):
            return say("option_is_secret", option=str(key))
        nearest = find_nearest_option(key)
        hint = say("or_option_is_meant", option=str(nearest)) if nearest else None
        return say("option_is_not_set", option=str(key), hint=hint)


def _suggest(nearest: OptionKey | None) -> str:
    return f" Did you mean {nearest}?" if nearest else ""
