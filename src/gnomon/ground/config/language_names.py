"""The names of the languages of this installation, without what is in their files."""

from __future__ import annotations

import functools
from pathlib import Path

from gnomon.ground.config.environment import get_variable

FOLDER = Path(__file__).parents[2] / "languages"
FOLDER_VARIABLE = "GNOMON_LANGUAGES"
"""Environment variable: a folder with more files of languages."""
ENGLISH = "en"


def list_language_names() -> tuple[str, ...]:
    """The ids of all languages but English, in order."""
    return _list_names(get_variable(FOLDER_VARIABLE) or "")


def check_language(name: object) -> str:
    """The id of a language that there is, English included. Raises ValueError, whose message says what to write."""
    names = [ENGLISH, *list_language_names()]
    if not isinstance(name, str) or name not in names:
        raise ValueError(f"write one of: {', '.join(names)}")
    return name


def list_folders(more: str) -> list[Path]:
    """The folders of language files that exist. `more`: the value of FOLDER_VARIABLE."""
    return [folder for folder in (FOLDER, Path(more)) if folder != Path() and folder.is_dir()]


@functools.lru_cache(maxsize=8)
def _list_names(more: str) -> tuple[str, ...]:
    paths = [path for folder in list_folders(more) for path in folder.iterdir()]
    names = {path.stem for path in paths if path.suffix == ".json" or any(path.glob("*.json"))}
    return tuple(sorted(names - {ENGLISH}))
