"""Reads the sources of option values: the environment, the commands of its `_CMD` variables, and `gnomon.toml`."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from gnomon.ground.config.masking import without_passwords
from gnomon.ground.config.option import OptionError, OptionKey
from gnomon.ground.config.options import BY_ALIAS, BY_KEY, find_option

FILE_NAME = "gnomon.toml"
CALENDARS = "calendars"
"""A section of the file that contains no options: `config.calendars` reads it."""
BASELINES = "baselines"
"""Another one, which `config.baselines` reads."""
ALERTS = "alerts"
"""A section of the file with options, and with tables that `config.alert_rules` reads."""
ALERT_TABLES = ("rules", "channels")
PREFIXES = ("GNOMON", "AIRFLOW")
"""Prefixes of environment variables; the first prefix wins."""
ASKER = "gnomon.author_code.loading.option_secret"
"""The module that asks the secrets backend for an option; a name, because this floor may not import it."""
_COMMAND_TIMEOUT_S = 30.0


class OptionValue(NamedTuple):
    """The text of a value, and where it is set."""

    text: str
    place: str


def read_environment(environ: Mapping[str, str], prefix: str) -> dict[OptionKey, OptionValue]:
    """Every `PREFIX__SECTION__NAME` with its value, `PREFIX__SECTION__NAME_CMD` with what its command prints.

    For an option that is a secret, `PREFIX__SECTION__NAME_SECRET` with what the secrets backend has under the key in the variable.
    """
    values: dict[OptionKey, OptionValue] = {}
    commands: dict[OptionKey, OptionValue] = {}
    keys: dict[OptionKey, OptionValue] = {}
    for variable, text in environ.items():
        parts = variable.split("__", 2)
        if len(parts) != 3 or parts[0] != prefix or not parts[1] or not parts[2]:
            continue
        key = OptionKey(parts[1].lower(), parts[2].lower())
        if key.name.endswith("_cmd"):
            commands[OptionKey(key.section, key.name.removesuffix("_cmd"))] = OptionValue(text, variable)
        elif _is_kept_in_backend(key):
            keys[OptionKey(key.section, key.name.removesuffix("_secret"))] = OptionValue(text, variable)
        else:
            values[key] = OptionValue(text, variable)
    for key, command in commands.items():
        if key not in values:
            values[key] = OptionValue(_run_command(command), command.place)
    for key, place in keys.items():
        if key not in values:
            values[key] = OptionValue(_ask_backend(environ, place), place.place)
    return values


def find_misspelt_variables(environ: Mapping[str, str]) -> dict[str, OptionKey | None]:
    """The variables that look like those of options and set none, each with the option that is meant, if one can be told.

    `AIRFLOW__PARALLELISM` has no section, `AIRFLOW_CORE__PARALLELISM` and `AIRFLOW__CORE_PARALLELISM` lack an underscore.
    """
    misspelt: dict[str, OptionKey | None] = {}
    for variable in environ:
        prefix, _, rest = variable.partition("_")
        if prefix.upper() not in PREFIXES or _names_an_option(variable):
            continue
        meant = _by_words().get(_words_of(rest))
        if meant is not None or variable.startswith(f"{prefix}__"):
            misspelt[variable] = meant
    return misspelt


def _names_an_option(variable: str) -> bool:
    """Whether it is `PREFIX__SECTION__NAME`, of any section and name."""
    parts = variable.split("__", 2)
    return len(parts) == 3 and parts[0] in PREFIXES and bool(parts[1] and parts[2])


@cache
def _by_words() -> dict[str, OptionKey]:
    """Each option by section and name in one word; by its name alone where no other section has it."""
    keys = {**{alias: option.key for alias, option in BY_ALIAS.items()}, **{key: key for key in BY_KEY}}
    names = Counter(key.name for key in BY_KEY)
    return {
        **{key.name: key for key in BY_KEY if names[key.name] == 1},
        **{f"{key.section}_{key.name}": target for key, target in keys.items()},
    }


def _words_of(text: str) -> str:
    return re.sub("_+", "_", text.strip("_")).lower()


def _is_kept_in_backend(key: OptionKey) -> bool:
    """Whether the name is that of a secret option with `_secret` behind it."""
    option = find_option(key.section, key.name.removesuffix("_secret"))
    return key.name.endswith("_secret") and find_option(*key) is None and option is not None and option.is_secret


def _ask_backend(environ: Mapping[str, str], place: OptionValue) -> str:
    """What the secrets backend has under the key. A process of its own asks it: it is code of another package, and reads options itself."""
    import subprocess  # imported by DAG files too, few of which run with such an option

    prefixes = tuple(f"{prefix}__" for prefix in PREFIXES)
    others = {
        name: text for name, text in environ.items() if not (name.startswith(prefixes) and name.endswith("_SECRET"))
    }
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", ASKER, place.text],
            env=others,
            check=False,
            capture_output=True,
            text=True,
            timeout=_COMMAND_TIMEOUT_S,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        from gnomon.model.sentences import say  # loaded with the first refusal

        raise OptionError(say("backend_could_not_be_asked", place=place.place, error=type(error).__name__)) from None
    if done.returncode != 0:
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        from gnomon.model.sentences import say

        raise OptionError(
            say("backend_has_no_value", place=place.place, key=place.text, reason=without_passwords(reason))
        )
    return done.stdout


def _run_command(command: OptionValue) -> str:
    import shlex  # imported by DAG files too, few of which run with a _CMD variable
    import subprocess  # imported by DAG files too, few of which run with such an option

    try:
        words = shlex.split(command.text)
        done = subprocess.run(words, check=False, capture_output=True, text=True, timeout=_COMMAND_TIMEOUT_S)
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        from gnomon.model.sentences import say

        raise OptionError(
            say(
                "command_of_option_cannot_be_run",
                place=command.place,
                text=without_passwords(command.text),
                error=without_passwords(str(error)),
            )
        ) from None
    if done.returncode != 0:
        from gnomon.model.sentences import say

        raise OptionError(
            say(
                "command_of_option_failed",
                place=command.place,
                text=without_passwords(command.text),
                number=done.returncode,
                error=without_passwords(done.stderr.strip()[:500]),
            )
        )
    return done.stdout.rstrip("\n")


def read_file(path: Path) -> dict[OptionKey, OptionValue]:
    """The options of a TOML file, `[section]` and `name = value`; empty when there is no file. Calendars are left out."""
    text, whole = read_toml(path)
    lines = dict(find_key_lines(text))
    values: dict[OptionKey, OptionValue] = {}
    for section, names in whole.items():
        if section in (CALENDARS, BASELINES):
            continue
        if not isinstance(names, dict):
            from gnomon.model.sentences import say

            raise OptionError(say("line_is_outside_section", file=str(path), name=section))
        for name, value in names.items():
            if section == ALERTS and name in ALERT_TABLES:
                continue
            key = OptionKey(section.lower(), name.lower())
            line = lines.get(key)
            place = f"{path}, line {line}" if line else str(path)
            values[key] = OptionValue(_as_text(value, key, place), place)
    return values


def read_toml(path: Path) -> tuple[str, dict[str, Any]]:
    """The text and the parsed content of a TOML file; both are empty when there is no file. Raises OptionError when it is not valid."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return "", {}
    except (OSError, UnicodeDecodeError) as error:
        from gnomon.model.sentences import say

        raise OptionError(say("file_cannot_be_read", file=str(path), error=str(error))) from None
    import tomllib  # only where there is a file

    try:
        return text, tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        from gnomon.model.sentences import say

        raise OptionError(say("file_is_no_toml", file=str(path), error=str(error))) from None


def _as_text(value: object, key: OptionKey, place: str) -> str:
    if isinstance(value, (bool, int, float, str)):
        return str(value)
    if isinstance(value, list) and all(isinstance(item, (str, int)) for item in value):
        return ",".join(str(item) for item in value)
    from gnomon.model.sentences import say

    raise OptionError(say("option_is_no_text", option=str(key), source=place, thing=type(value).__name__))


_SECTION = re.compile(r"\s*\[\s*\"?([\w.-]+)\"?\s*\]")
_NAME = re.compile(r"\s*\"?([\w-]+)\"?\s*=")


def find_key_lines(text: str) -> Iterator[tuple[OptionKey, int]]:
    """Each `name =` of a TOML text below a `[section]`, with its line."""
    section = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _SECTION.match(line):
            section = header[1].lower()
        elif line.lstrip().startswith("[["):
            section = ""  # the keys of a list of tables are not options
        elif name := _NAME.match(line):
            yield OptionKey(section, name[1].lower()), number
