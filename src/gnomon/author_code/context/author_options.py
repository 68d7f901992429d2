"""Options that DAG files and tasks add to `conf`, from files of their own or by `conf.set`: they hold in this process, for `conf` only."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Mapping
from configparser import ConfigParser
from typing import Any, TextIO

from gnomon.ground.config import current_config
from gnomon.ground.config.options import find_option

log = logging.getLogger("gnomon.configuration")


class AuthorOptions:
    """The methods of Python's `ConfigParser` that add options.

    An option that Gnomon reads does not change in a process: a file that sets it is read, and a warning names the option. An option of
    the environment comes before one of a file.
    """

    def __init__(self) -> None:
        self._added = ConfigParser()

    def read(
        self, filenames: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], encoding: str | None = None
    ) -> list[str]:
        """Add the options of these files; files that do not exist are left out. Returns the files that were read."""
        return self._add(lambda parser: parser.read(filenames, encoding), str(filenames))  # type: ignore[no-any-return]

    def read_file(self, f: Iterable[str] | TextIO, source: str | None = None) -> None:
        """Add the options of the lines of an open file."""
        self._add(lambda parser: parser.read_file(f, source), source or str(getattr(f, "name", "a file")))

    def read_string(self, string: str, source: str = "<string>") -> None:
        """Add the options of a text."""
        self._add(lambda parser: parser.read_string(string, source), source)

    def read_dict(self, dictionary: Mapping[str, Mapping[str, Any]], source: str = "<dict>") -> None:
        """Add the options of a dict of sections."""
        self._add(lambda parser: parser.read_dict(dictionary, source), source)

    def add_section(self, section: str) -> None:
        """Add an empty section. Raises DuplicateSectionError when it was added before."""
        self._added.add_section(section)

    def remove_section(self, section: str) -> bool:
        """Remove a section that was added. Returns whether there was one."""
        return self._added.remove_section(section)

    def optionxform(self, optionstr: str) -> str:
        """The name under which an option is kept: in lower case."""
        return optionstr.lower()

    def _add(self, read: Callable[[ConfigParser], Any], place: str) -> Any:
        parser = ConfigParser()
        result = read(parser)
        self._added.read_dict({section: dict(parser.items(section, raw=True)) for section in parser.sections()})
        fixed = [
            f"[{section}] {option}"
            for section in parser.sections()
            for option in parser.options(section)
            if is_fixed(section, option)
        ]
        if fixed:
            log.warning(
                "conf: %s of %s has no effect, because options of Gnomon do not change in a process; set it in the environment or in gnomon.cfg",
                ", ".join(fixed),
                place,
            )
        return result

    def _find_added(self, section: str, option: str) -> str | None:
        """The text of an option that was added, with variables of the environment; None for another and for one that Gnomon reads."""
        if is_fixed(section, option) or _is_set(section, option):
            return None
        for name in (section, section.lower()):
            if self._added.has_option(name, option):
                return os.path.expanduser(os.path.expandvars(self._added.get(name, option)))
        return None

    def _list_added(self, section: str) -> dict[str, str]:
        options = self._added.options(section) if self._added.has_section(section) else ()
        return {option: text for option in options if (text := self._find_added(section, option)) is not None}


def is_fixed(section: str, option: str) -> bool:
    """Whether Gnomon reads the option itself."""
    declared = find_option(section.lower(), option.lower())
    return declared is not None and declared.is_used


def _is_set(section: str, option: str) -> bool:
    options = current_config()
    return options.has(section.lower(), option.lower()) and (
        find_option(section.lower(), option.lower()) is None
        or options.source(section.lower(), option.lower()) != "default"
    )
