"""Loads the environment and the `gnomon.toml` of the home into a checked Config."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.ground.config.config import Config
from gnomon.ground.config.environment import environment
from gnomon.ground.config.home import default_home
from gnomon.ground.config.option import ConfigOption, OptionError, OptionKey, OptionKind
from gnomon.ground.config.options import OPEN_SECTIONS, OPTIONS, find_nearest_option, find_option
from gnomon.ground.config.sources import (
    FILE_NAME,
    PREFIXES,
    OptionValue,
    find_misspelt_variables,
    read_environment,
    read_file,
)
from gnomon.ground.config.values import check_value, normalize_choice, to_integer

if TYPE_CHECKING:
    from gnomon.model.sentences import Sentence

_DIALECT = OptionKey("core", "airflow_dialect")
_SCHEMES = ("sqlite", "postgresql", "postgres")


def load_config(environ: Mapping[str, str], home: Path | None = None) -> Config:
    """The options of this environment and home: `GNOMON__…` wins over `AIRFLOW__…`, then `gnomon.toml`, then the default.

    Raises OptionError for an unknown option in the file or behind `GNOMON__`, and for a value that an option cannot have.
    An unknown option behind `AIRFLOW__` is not refused: `Config.get` returns it, and `Config.undeclared_options` names it.
    """
    home = Path(home).expanduser().absolute() if home is not None else default_home(environ)
    gnomon_values, airflow_values = (read_environment(environ, prefix) for prefix in PREFIXES)
    written = read_file(home / FILE_NAME)
    misspelt = find_misspelt_variables(environ)
    _refuse_misspelt(misspelt)
    _refuse_unknown(gnomon_values, "GNOMON__")
    _refuse_unknown(written, "")
    values: dict[OptionKey, OptionValue] = {}
    dialect = 3
    for option in (
        *OPTIONS,
        *_list_open_options(gnomon_values, airflow_values, written),
    ):  # airflow_dialect is the first one: it decides about the defaults of others
        value = _find_value(option, gnomon_values, airflow_values, written)
        if value is None:
            value = OptionValue(option.find_default(dialect).replace("{home}", str(home)), "default")
        else:
            _check(option, value)
            value = value._replace(text=normalize_choice(option, value.text))
        if option.kind is OptionKind.PATH and value.text:
            value = value._replace(text=_absolute(value.text, home))
        values[option.key] = value
        if option.key == _DIALECT:
            dialect = to_integer(value.text)
    extra = {key: value for key, value in airflow_values.items() if find_option(*key) is None}
    return Config(home, values, extra, misspelt)


def _list_open_options(*sources: Mapping[OptionKey, OptionValue]) -> Iterator[ConfigOption]:
    """The options of sections that take any name, each once."""
    for key in sorted({key for source in sources for key in source if key.section in OPEN_SECTIONS}):
        option = find_option(*key)
        if option is not None:
            yield option


def _find_value(option: ConfigOption, *sources: Mapping[OptionKey, OptionValue]) -> OptionValue | None:
    """The value from the first source that has the option, under its current name or an older one."""
    for source in sources:
        for key in (option.key, *option.aliases):
            if key in source:
                return source[key]
    return None


def _refuse_misspelt(variables: Mapping[str, OptionKey | None]) -> None:
    for variable, meant in variables.items():
        if variable.startswith("GNOMON__"):
            from gnomon.model.sentences import Command, say  # loaded with the first refusal

            raise OptionError(
                say(
                    "variable_of_option_is_misspelt",
                    variable=variable,
                    hint=say("variable_is_meant", variable=f"GNOMON__{meant.variable}")
                    if meant
                    else say("command_shows_all_options", command=Command("config list")),
                )
            )


def _refuse_unknown(values: Mapping[OptionKey, OptionValue], prefix: str) -> None:
    for key, value in values.items():
        if find_option(*key) is None:
            raise OptionError(_say_unknown(key, value.place, prefix))


def _say_unknown(key: OptionKey, place: str, prefix: str) -> Sentence:
    nearest = find_nearest_option(key)
    from gnomon.model.sentences import Command, say

    command = Command("config list")
    hint = say("option_is_meant", option=str(nearest)) if nearest else say("command_shows_all_options", command=command)
    where = place if prefix else f"{key} ({place})"
    return say("option_does_not_exist", place=where, option=str(key), hint=hint)


def _check(option: ConfigOption, value: OptionValue) -> None:
    try:
        check_value(option, value.text)
        if option.key in _EXTRA_CHECKS:
            _EXTRA_CHECKS[option.key](value.text)
    except ValueError as error:
        from gnomon.model.sentences import say

        raise OptionError(
            say(
                "value_of_option_is_wrong",
                option=str(option.key),
                source=value.place,
                shown=None if option.is_secret else say("option_is_value", text=value.text),
                error=str(error),
            )
        ) from None


def _check_address(text: str) -> None:
    match = re.match(r"\s*([a-z0-9]+)(\+\w+)?:", text, re.IGNORECASE)
    if match is None or match[1].lower() not in _SCHEMES:
        named = f", not on {match[1].lower()!r}" if match and text.startswith("://", match.end() - 1) else ""
        raise ValueError(
            f"Gnomon works on SQLite and PostgreSQL{named}; "
            "write sqlite:////folder/file.db or postgresql://user:password@host/name"
        )


def _check_zone(text: str) -> None:
    name = text.strip()
    if name.lower() in ("utc", "z", "system", "local") or name[:1] in "+-":
        return
    from zoneinfo import ZoneInfo  # only when a zone is given

    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise ValueError("there is no such time zone; write utc, system, or a name such as Europe/Zurich") from None


def _check_pattern(text: str) -> None:
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(f"it is not a regular expression: {error}") from None


def _check_time_of_day(text: str) -> None:
    if text.strip() and not re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d", text.strip()):
        raise ValueError("write a time of day such as 03:30, or nothing")


_EXTRA_CHECKS = {
    OptionKey("housekeeping", "clean_at"): _check_time_of_day,
    OptionKey("database", "sql_alchemy_conn"): _check_address,
    OptionKey("core", "default_timezone"): _check_zone,
    OptionKey("scheduler", "allowed_run_id_pattern"): _check_pattern,
}
"""Checks that the table of options cannot express."""


def _absolute(text: str, home: Path) -> str:
    return str(home / Path(os.path.expandvars(text)).expanduser())


_current: Config | None = None


def current_config() -> Config:
    """The options of this process: those given to `set_current_config`, otherwise loaded from its environment once."""
    global _current
    if _current is None:
        _current = load_config(environment())
    return _current


def set_current_config(config: Config | None) -> None:
    """Make `current_config()` return this Config from now on; None: load it again at the next call."""
    global _current
    _current = config
