"""`conf` of `airflow.configuration`: the options of this installation under Airflow's names."""

from __future__ import annotations

import json
import pkgutil
from collections.abc import Iterator, Mapping
from configparser import NoSectionError
from datetime import timedelta
from enum import Enum
from typing import Any, TextIO, TypeVar

from gnomon.author_code.context.author_options import AuthorOptions, is_fixed
from gnomon.authoring.sdk.arguments.notset import NOTSET, is_given
from gnomon.ground.config import Config, UnknownOptionError, current_config
from gnomon.ground.config.options import find_option
from gnomon.ground.config.values import to_boolean, to_integer, to_number
from gnomon.model.errors.authoring import AirflowConfigException

E = TypeVar("E", bound=Enum)


class AirflowConfigParser(AuthorOptions):
    """Reads the options of this process, with the methods of Python's `ConfigParser` and those of Airflow. Each method returns `fallback` for an unset option; without one it raises
    AirflowConfigException, with the option.

    Options of Airflow that Gnomon does not use can be read when the environment sets them (AIRFLOW__SECTION__KEY). Options that an
    installed provider package declares have the defaults that it declares, as in Airflow before any `fallback`. `read` and `set` add options
    of the author's own, for this process (`AuthorOptions`).
    """

    def get(self, section: str, key: str, fallback: Any = NOTSET, **kwargs: Any) -> Any:
        """Return the option as text."""
        added = self._find_added(section, key)
        if added is not None:
            return added
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
            raise AirflowConfigException(
                f"Option [{section}] {key} names {path!r}, which cannot be loaded: {error}."
            ) from error

    def get_mandatory_value(self, section: str, key: str, **kwargs: Any) -> str:
        """Return the option as text. Raises AirflowConfigException when it is empty."""
        value = str(self.get(section, key, **kwargs))
        if not value:
            raise AirflowConfigException(
                f"Option [{section}] {key} is empty; set AIRFLOW__{section.upper()}__{key.upper()}."
            )
        return value

    def get_mandatory_list_value(self, section: str, key: str, **kwargs: Any) -> list[str]:
        """Return the parts of the option as a list."""
        return list(self.getlist(section, key, **kwargs))

    def has_option(self, section: str, option: str, **kwargs: Any) -> bool:
        """Return whether the option is known, set or added, or a provider package declares a default for it."""
        return (
            self._find_added(section, option) is not None
            or _get_options().has(section.lower(), option.lower())
            or _find_provider_default(section, option) is not None
        )

    def has_section(self, section: str) -> bool:
        """Return whether the section was added, or an option of it is known or set, or has a default of a provider package."""
        return self._added.has_section(section) or bool(self.getsection(section))

    def sections(self) -> list[str]:
        """Return the names of all sections."""
        return list(
            dict.fromkeys([*(setting.option.section for setting in _get_options().settings()), *self._added.sections()])
        )

    def options(self, section: str) -> list[str]:
        """Return the names of the options of a section. Raises NoSectionError when there is no such section."""
        return [name for name, _ in self.items(section)]

    def items(self, section: str, raw: bool = False, vars: Mapping[str, str] | None = None) -> list[tuple[str, str]]:
        """Return (name, text) of the options of a section, and those of `vars`. Raises NoSectionError when there is no such section."""
        if not self.has_section(section):
            raise NoSectionError(section)
        return list({**self._list_texts(section), **(vars or {})}.items())

    def defaults(self) -> dict[str, str]:
        """Return an empty dict: options belong to sections."""
        return {}

    def write(self, file: TextIO, section: str | None = None, **kwargs: Any) -> None:
        """Write the options, or those of one section, to a file that is open for text; secrets are hidden."""
        for name, options in self.as_dict().items():
            if section is None or name == section:
                file.write("\n".join([f"[{name}]", *(f"{key} = {text}" for key, text in options.items()), "", ""]))

    def get_default_value(self, section: str, key: str, fallback: Any = None, **kwargs: Any) -> Any:
        """Return the default of an option of Gnomon or of a provider package; `fallback` when it has none."""
        option = find_option(section, key)
        default = option.default if option is not None else _find_provider_default(section, key)
        return fallback if default is None else default

    def get_sections_including_defaults(self) -> list[str]:
        """Return the names of all sections."""
        return self.sections()

    def get_options_including_defaults(self, section: str) -> list[str]:
        """Return the names of the options of a section; none when there is no such section."""
        return self.options(section) if self.has_section(section) else []

    def getsection(self, section: str) -> dict[str, Any] | None:
        """Return all options of a section, converted to int, float or bool where possible; None when there are none."""
        return {key: _convert_text(text) for key, text in self._list_texts(section).items()} or None

    def _list_texts(self, section: str) -> dict[str, str]:
        added = self._list_added(section)
        section = section.lower()
        declared = {key: text for (part, key), text in _list_provider_defaults().items() if part == section}
        return {**declared, **_get_options().section(section), **added}

    def as_dict(self, display_source: bool = False, display_sensitive: bool = False, **kwargs: Any) -> dict[str, Any]:
        """Return section to option to value, with secrets hidden."""
        sections: dict[str, Any] = {}
        for setting in _get_options().settings():
            value = (setting.shown, setting.source) if display_source else setting.shown
            sections.setdefault(setting.option.section, {})[setting.option.name] = value
        for section in self._added.sections():
            added = self._list_added(section)
            sections.setdefault(section, {}).update(
                {key: (text, "conf") for key, text in added.items()} if display_source else added
            )
        return sections

    def set(self, section: str, option: str, value: str) -> None:
        """Set an option of the author's own, for this process. Raises AirflowConfigException for one that Gnomon reads: these do not change in a process."""
        if not is_fixed(section, option):
            self.read_dict({section: {option: value}}, "conf.set")
            return
        raise AirflowConfigException(
            f"conf.set({section!r}, {option!r}, ...) is not possible: options do not change in a process. "
            f"Set the environment variable AIRFLOW__{section.upper()}__{option.upper()} before Gnomon starts."
        )

    def remove_option(self, section: str, option: str, remove_default: bool = True) -> bool:
        """Remove an option that was added, and return True. Return False for an option that nothing sets: it keeps its default.

        Raises AirflowConfigException for an option that the environment or gnomon.cfg sets, as `set` does.
        """
        if self._added.has_section(section) and self._added.remove_option(section, option):
            return True
        options = _get_options()
        if not options.has(section, option) or options.source(section, option) == "default":
            return False
        raise AirflowConfigException(
            f"conf.remove_option({section!r}, {option!r}) is not possible: options do not change in a process. "
            f"Unset the environment variable AIRFLOW__{section.upper()}__{option.upper()} before Gnomon starts."
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self.sections())

    def __len__(self) -> int:
        return len(self.sections())

    def __contains__(self, section: object) -> bool:
        return isinstance(section, str) and self.has_section(section)

    def __getitem__(self, section: str) -> dict[str, str]:
        """Return the options of a section, as text. Raises KeyError when there is no such section."""
        if not self.has_section(section):
            raise KeyError(section)
        return self._list_texts(section)

    def __getattr__(self, name: str) -> Any:
        if name in _OF_THE_SERVER:
            raise AttributeError(f"conf.{name} is not possible: {_OF_THE_SERVER[name]}")
        raise AttributeError(
            f"conf has no attribute {name!r}; it has the methods of Python's ConfigParser, and `gnomon config list` shows the options"
        )

    def _as(self, convert: Any, section: str, key: str, fallback: Any) -> Any:
        value = self.get(section, key, fallback)
        if not isinstance(value, str) or (
            is_given(fallback) and value == fallback and not self.has_option(section, key)
        ):
            return value
        try:
            return convert(value.partition("#")[0].strip() if convert is not json.loads else value)
        except (ValueError, KeyError) as error:
            raise AirflowConfigException(f"Option [{section}] {key} has the value {value!r}: {error}") from None


_FILE = "the options of a Gnomon installation come from its environment and gnomon.cfg; `gnomon config list` shows them"
_OF_THE_SERVER = dict.fromkeys(
    (
        "airflow_defaults",
        "deprecated_options",
        "deprecated_sections",
        "deprecated_values",
        "expand_all_configuration_values",
        "is_template",
        "load_providers_configuration",
        "load_test_config",
        "make_sure_configuration_loaded",
        "mask_secrets",
        "reload_provider_configs",
        "remove_all_read_configurations",
        "restore_core_default_configuration",
        "sensitive_config_values",
        "validate",
        "write_custom_config",
    ),
    _FILE,
)
"""Methods and attributes of Airflow's parser that concern its own file and its defaults, and what holds here."""

conf = AirflowConfigParser()
"""Each call reads the current options of this process, and those that DAG files have added."""


def _get_options() -> Config:
    return current_config()


def _list_provider_defaults() -> Mapping[tuple[str, str], str]:
    from gnomon.authoring.sdk.connections.provider_packages import (
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
