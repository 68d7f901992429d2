"""The languages of this installation: the files of `gnomon/languages`, and of the folder that GNOMON_LANGUAGES names.

A language is one file, `fr.json`, or a folder of such files, `zh/*.json`, whose sections are joined; a later file wins.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from gnomon.ground.config.environment import get_variable
from gnomon.model.languages import SECTIONS, Language

FOLDER = Path(__file__).parents[2] / "languages"
VARIABLE = "GNOMON_LANGUAGE"
FOLDER_VARIABLE = "GNOMON_LANGUAGES"
"""Environment variable: a folder with more files of languages."""
_LOCALES = ("LC_ALL", "LC_MESSAGES", "LANG")


def find_language(name: str) -> Language | None:
    """The language with this id; None: it is English, or there is no such file."""
    return _read_language(name, get_variable(FOLDER_VARIABLE) or "") if name.isalpha() else None


def list_languages() -> list[Language]:
    """All languages but English, by their ids."""
    paths = [path for folder in _list_folders(get_variable(FOLDER_VARIABLE) or "") for path in folder.iterdir()]
    names = {path.stem for path in paths if path.suffix == ".json" or any(path.glob("*.json"))}
    return [language for name in sorted(names) if (language := find_language(name))]


def choose_language(environment: Mapping[str, str]) -> Language | None:
    """The language that GNOMON_LANGUAGE names, else that of the locale; None for English and for a language without a file."""
    chosen = environment.get(VARIABLE) or next(filter(None, map(environment.get, _LOCALES)), "")
    return find_language(chosen.replace("-", "_").partition("_")[0].partition(".")[0].lower())


@functools.cache
def _read_language(name: str, more: str) -> Language | None:
    files = list(_iterate_files(name, more))
    if not files:
        return None
    sections: dict[str, dict[str, Any]] = {section: {} for section in SECTIONS}
    title = name
    for file in files:
        document = json.loads(file.read_text(encoding="utf-8"))
        title = document.pop("name", title)
        for section, texts in document.items():
            sections[section].update(texts)
    return Language(name, title, **sections)


def _iterate_files(name: str, more: str) -> Iterator[Path]:
    for folder in _list_folders(more):
        if (folder / f"{name}.json").is_file():
            yield folder / f"{name}.json"
        yield from sorted((folder / name).glob("*.json"))


def _list_folders(more: str) -> list[Path]:
    return [folder for folder in (FOLDER, Path(more)) if folder != Path() and folder.is_dir()]
