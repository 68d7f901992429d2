"""`conf` of `airflow.configuration`: the options of this installation under Airflow's names."""

from __future__ import annotations

import json
import pkgutil
from collections.abc import Iterator, Mapping
from datetime import timedelta
from enum import Enum
from typing import Any, TypeVar

from gnomon.config import Config, UnknownOptionError, current_config
from gnomon.config.values import to_boolean, to_integer, to_number
from gnomon.errors.authoring import AirflowConfigException
from gnomon.sdk.arguments.notset import NOTSET, is_given

E = TypeVar("E", bound=Enum)


class AirflowConfigParser:
    """Reads the options of this process. Each method returns `fallback` for an unset option; without one it raises
    AirflowConfigException, with the option.

    Options of Airflow that Gnomon does not use can be read when the environment sets them (AIRFLOW__SECTION__KEY). Options that an
    installed provider package declares have the defaults that it declares, as in Airflow before any `fallback`.
    """

    def get(self, section: str, key: str, fallback: Any = NOTSET, **kwargs: Any) -> Any:
        """Return the option as text."""
        if not _get_options().has(section, key) and (declared := _find_provider_default(section, key)) is not None:
            return declared
        if is_given(fallback):
            return _get_options().get(section.lower(), key.lower(), fallback)
        try:
            return _get_options().get(section.lower(), key.lower())
        except UnknownOptionError as error:
            raise AirflowConfigException(str(error)) from None

    def getboolean(self, section: str, key: str, fallback: Any = NOTSET, **kwargs: Any) -> bool:
        """Return the option as a boolean."""
        return bool(self._as(to_boolean, section, key, fallback))

    def getint(self, section: str, key: str, fallback: Any = NOTSET, **kwargs: Any) -> Any:
        """Return the option as a whole number."""
        return self._as(to_integer, section, key, fallback)

    def getfloat(self, section: str, key: str, fallback: Any = NOTSET, **kwargs: Any) -> Any:
        """Return the option as a number."""
        return self._as(to_number, section, key, fallback)

    def getlist(self, section: str, key: str, fallback: Any = NOTSET, delimiter: str = ",", **kwargs: Any) -> Any:
        """Return the parts of the option between `delimiter`, stripped."""
        return self._as(
            lambda text: [part.strip() for part in text.split(delimiter) if part.strip()], section, key, fallback
        )

    def getenum(self, section: str, key: str, enum_class: type[E], fallback: Any = NOTSET, **kwargs: Any) -> Any:
        """Return the member of `enum_class` that the option names."""
        return self._as(lambda text: enum_class[text], section, key, fallback)

    def getjson(self, section: str, key: str, fallback: Any = NOTSET, **kwargs: Any) -> Any:
        """Return the option parsed as JSON; `fallback` for an empty option too."""
        text = self.get(section, key, fallback)
        if text == "" and is_given(fallback):
            return fallback
        return self._as(json.loads, section, key, fallback)

    def gettimedelta(self, section: str, key: str, fallback: Any = NOTSET, **kwargs: Any) -> Any:
        """Return the option, a whole number of seconds, as a timedelta; None for an empty option."""
        return self._as(lambda text: timedelta(seconds=to_integer(text)) if text else None, section, key, fallback)

    def getimport(self, section: str, key: str, **kwargs: Any) -> Any:
        """Return the object that the option names by its dotted path; None for an empty option."""
        path = self.get(section, key, fallback="")
        if not path:
            return None
        try:
            return pkgutil.resolve_name(path)
        except (ImportError, AttributeError, ValueError) as error:
            raise AirflowConfigException(f"Option [{section}] {key} names {path!r}, which cannot be loaded: {error}.") from error

    def get_mandatory_value(self, section: str, key: str, **kwargs: Any) -> str:
        """Return the option as text. Raises AirflowConfigException when it is empty."""
        value = str(self.get(section, key, **kwargs))
        if not value:
            raise AirflowConfigException(f"Option [{section}] {key} is empty; set AIRFLOW__{section.upper()}__{key.upper()}.")
        return value

    def get_mandatory_list_value(self, section: str, key: str, **kwargs: Any) -> list[str]:
        """Return the parts of the option as a list."""
        return list(self.getlist(section, key, **kwargs))

    def has_option(self, section: str, option: str, **kwargs: Any) -> bool:
        """Return whether the option is known or set, or a provider package declares a default for it."""
        return _get_options().has(section.lower(), option.lower()) or _find_provider_default(section, option) is not None

    def has_section(self, section: str) -> bool:
        """Return whether an option of that section is known or set, or has a default of a provider package."""
        return bool(self.getsection(section))

    def getsection(self, section: str) -> dict[str, Any] | None:
        """Return all options of a section, converted to int, float or bool where possible; None when there are none."""
        section = section.lower()
        declared = {key: text for (part, key), text in _list_provider_defaults().items() if part == section}
        return {key: _convert_text(text) for key, text in {**declared, **_get_options().section(section)}.items()} or None

    def as_dict(self, display_source: bool = False, display_sensitive: bool = False, **kwargs: Any) -> dict[str, Any]:
        """Return section to option to value, with secrets hidden."""
        sections: dict[str, Any] = {}
        for setting in _get_options().settings():
            value = (setting.shown, setting.source) if display_source else setting.shown
            sections.setdefault(setting.option.section, {})[setting.option.name] = value
        return sections

    def set(self, section: str, option: str, value: str) -> None:
        """Raise AirflowConfigException: options are read once and do not change in a process."""
        raise AirflowConfigException(
            f"conf.set({section!r}, {option!r}, ...) is not possible: options do not change in a process. "
            f"Set the environment variable AIRFLOW__{section.upper()}__{option.upper()} before Gnomon starts."
        )

    def remove_option(self, section: str, option: str, remove_default: bool = True) -> bool:
        """Return False for an option that nothing sets: it keeps its default. Raise AirflowConfigException for one that is set, as `set` does."""
        options = _get_options()
        if not options.has(section, option) or options.source(section, option) == "default":
            return False
        raise AirflowConfigException(
            f"conf.remove_option({section!r}, {option!r}) is not possible: options do not change in a process. "
            f"Unset the environment variable AIRFLOW__{section.upper()}__{option.upper()} before Gnomon starts."
        )

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(setting.option.section for setting in _get_options().settings()))

    def _as(self, convert: Any, section: str, key: str, fallback: Any) -> Any:
        value = self.get(section, key, fallback)
        if not isinstance(value, str) or (is_given(fallback) and value == fallback and not self.has_option(section, key)):
            return value
        try:
            return convert(value.partition("#")[0].strip() if convert is not json.loads else value)
        except (ValueError, KeyError) as error:
            raise AirflowConfigException(f"Option [{section}] {key} has the value {value!r}: {error}") from None


conf = AirflowConfigParser()
"""Has no state: each call reads the current options of this process."""


def _get_options() -> Config:
    return current_config()


def _list_provider_defaults() -> Mapping[tuple[str, str], str]:
    from gnomon.sdk.runtime.provider_packages import (
        list_option_defaults,  # start-up cost: most options are Gnomon's own
    )

    return list_option_defaults()


def _find_provider_default(section: str, key: str) -> str | None:
    return _list_provider_defaults().get((section.lower(), key.lower()))


def _convert_text(text: str) -> Any:
    for convert in (int, float):
        try:
            return convert(text)
        except ValueError:
            pass
    return {"true": True, "false": False}.get(text.lower(), text)
