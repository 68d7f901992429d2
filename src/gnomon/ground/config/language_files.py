"""The languages of this installation: the files of `gnomon/languages`.

A language is one file, `fr.json`, or a folder of such files, `zh/*.json`, whose sections are joined.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gnomon.model.languages import SECTIONS, Language

FOLDER = Path(__file__).parents[2] / "languages"
VARIABLE = "GNOMON_LANGUAGE"
_LOCALES = ("LC_ALL", "LC_MESSAGES", "LANG")


@functools.cache
def find_language(name: str) -> Language | None:
    """The language with this id; None: it is English, or there is no such file."""
    single = FOLDER / f"{name}.json"
    files = [single] if single.is_file() else sorted((FOLDER / name).glob("*.json"))
    if not name.isalpha() or not files:
        return None
    sections: dict[str, dict[str, Any]] = {section: {} for section in SECTIONS}
    title = name
    for file in files:
        document = json.loads(file.read_text(encoding="utf-8"))
        title = document.pop("name", title)
        for section, texts in document.items():
            sections[section].update(texts)
    return Language(name, title, **sections)


def list_languages() -> list[Language]:
    """All languages but English, by their ids."""
    names = {path.stem for path in FOLDER.iterdir() if path.suffix == ".json" or any(path.glob("*.json"))}
    return [language for name in sorted(names) if (language := find_language(name))]


def choose_language(environment: Mapping[str, str]) -> Language | None:
    """The language that GNOMON_LANGUAGE names, else that of the locale; None for English and for a language without a file."""
    chosen = environment.get(VARIABLE) or next(filter(None, map(environment.get, _LOCALES)), "")
    name = chosen.replace("-", "_").partition("_")[0].partition(".")[0].lower()
    return find_language(name) if name else None
