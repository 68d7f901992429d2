"""The languages of this installation: the files of `gnomon/languages`, and of the folder that GNOMON_LANGUAGES names.

A language is one file, `fr.json`, or a folder of such files, `zh/*.json`, whose sections are joined; a later file wins. A file that cannot be used is
left out, and stderr says why.
"""

from __future__ import annotations

import functools
import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from gnomon.ground.config.environment import get_variable
from gnomon.ground.config.language_names import ENGLISH, FOLDER, FOLDER_VARIABLE, list_folders, list_language_names
from gnomon.model.languages.language import SECTIONS, Language

VARIABLE = "GNOMON_LANGUAGE"
_LOCALES = ("LC_ALL", "LC_MESSAGES", "LANG")
_ID = re.compile(r"[A-Za-z]{1,8}(?:-[A-Za-z]{1,8}){0,2}")
"""What the id of a language looks like. Whoever asks for a page may write any text in its place."""


def find_language(name: str) -> Language | None:
    """The language with this id; None: it is English, or there is no such file."""
    more = get_variable(FOLDER_VARIABLE) or ""
    return _read_language(name, more) if _ID.fullmatch(name) and name in list_language_names() else None


def list_languages() -> list[Language]:
    """All languages but English, by their ids."""
    return [language for name in list_language_names() if (language := find_language(name))]


def choose_language(environment: Mapping[str, str]) -> Language | None:
    """The language that GNOMON_LANGUAGE names, else that of the locale; None for English and for a language without a file."""
    asked = environment.get(VARIABLE)
    chosen = asked or next(filter(None, map(environment.get, _LOCALES)), "")
    name = chosen.replace("-", "_").partition("_")[0].partition(".")[0].lower()
    language = find_language(name)
    if asked and language is None and name != ENGLISH:
        _say_once(
            f"{VARIABLE}={asked[:40]!r} names no language that there is, so that all is English; choose one of: "
            + ", ".join([ENGLISH, *list_language_names()])
        )
    return language


@functools.lru_cache(maxsize=64)
def _read_language(name: str, more: str) -> Language | None:
    documents = [document for file in _iterate_files(name, more) if (document := _read_file(file)) is not None]
    if not documents:
        return None
    sections: dict[str, dict[str, Any]] = {section: {} for section in SECTIONS}
    title = name
    for document in documents:
        title = document.pop("name", title)
        for section, texts in document.items():
            sections[section].update(texts)
    return Language(name, title, **sections)


def _read_file(path: Path) -> dict[str, Any] | None:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        fault = f"line {error.lineno}, column {error.colno}: {error.msg}"
    except UnicodeDecodeError as error:
        fault = f"byte {error.start}: it is not UTF-8"
    except OSError as error:
        fault = f"{error.strerror}"
    else:
        if path.is_relative_to(FOLDER):  # compared with the catalogue by tests
            return dict(document)
        from gnomon.ground.config.language_checks import find_fault  # has the whole catalogue

        fault = find_fault(document) or ""
        if not fault:
            return dict(document)
    _say_once(f"the language file {path} is left out: {fault}; correct the file, and start this program again")
    return None


@functools.lru_cache(maxsize=64)
def _say_once(line: str) -> None:
    sys.stderr.write(f"gnomon: {line}\n")


def _iterate_files(name: str, more: str) -> Iterator[Path]:
    for folder in list_folders(more):
        if (folder / f"{name}.json").is_file():
            yield folder / f"{name}.json"
        yield from sorted((folder / name).glob("*.json"))
