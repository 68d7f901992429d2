"""A scenario as a document: the keys of `scenario_changes.KINDS`, from a TOML file or from JSON, each with the place on which it stands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from gnomon.changes.scenarios.scenario_changes import KINDS, Change, read_change, refuse_twice
from gnomon.model.errors.product import UserError
from gnomon.model.sentences import say

MAX_CHANGES = 1_000
MAX_DEPTH = 20
"""Tables in tables: a name with more dots is refused as a value that is none."""
JSON_PLACE = "scenario"
_OF_FOLDERS = frozenset({"dags", "skip_broken"})


class Places(Protocol):
    """Says where in the document something stands."""

    def name(self, path: tuple[str, ...], item: int | None = None) -> str:
        """The place of a value, or of an item of a list."""

    def name_around(self, path: tuple[str, ...]) -> str:
        """The same without its name."""


class JsonPlaces:
    """Places of JSON: `set.load.copy`, `fail[0]`."""

    def name(self, path: tuple[str, ...], item: int | None = None) -> str:
        """As `Places.name`."""
        return ".".join((JSON_PLACE, *path)) + ("" if item is None else f"[{item}]")

    def name_around(self, path: tuple[str, ...]) -> str:
        """As `Places.name_around`."""
        return JSON_PLACE


def read_json(document: Mapping[str, Any]) -> list[Change]:
    """The changes of a scenario in JSON, which is about the DAGs of the database. Raises UserError as `read_document`, and for keys that are about folders."""
    for key in document:
        if key in _OF_FOLDERS:
            raise UserError(say("scenario_key_is_of_folders", option=JsonPlaces().name((key,))))
    return read_document(document, JsonPlaces())


def read_document(document: Mapping[str, Any], places: Places) -> list[Change]:
    """The changes. Raises UserError for a key, a value or a repetition that it may not have."""
    changes: list[Change] = []
    for key, value in document.items():
        for change in _read_key(places, key, value):
            changes.append(change)
            if len(changes) > MAX_CHANGES:
                raise UserError(say("scenario_has_many_changes", option=change.place, most=MAX_CHANGES))
    refuse_twice(changes)
    return changes


def _read_key(places: Places, key: str, value: Any) -> Iterator[Change]:
    kind = KINDS.get(key)
    if kind is None:
        raise UserError(
            say("scenario_key_is_unknown", option=places.name_around((key,)), key=key, names=", ".join(sorted(KINDS)))
        )
    place = places.name((key,))
    if kind.shape == "one":
        yield read_change(key, "", value, place)
    elif kind.shape == "list":
        if not isinstance(value, list):
            example = kind.example.strip("'")
            raise UserError(say("scenario_key_takes_list", option=place, example=f'{key} = ["{example}"]'))
        for number, name in enumerate(value):
            yield read_change(key, name if isinstance(name, str) else "", name, places.name((key,), number))
    elif not isinstance(value, dict):
        name, _, example = kind.example.rpartition("for example ")[2].partition(",")[0].partition("=")
        raise UserError(say("scenario_key_takes_table", option=place, key=key, example=f'"{name}" = {_quote(example)}'))
    else:
        for names, single in _walk((), value):
            yield read_change(key, ".".join(names), single, places.name((key, *names)))


def _quote(example: str) -> str:
    return example if example.isdigit() else '"' + example.strip("'") + '"'


def _walk(names: tuple[str, ...], value: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The values under a table. A name with dots may be quoted or not: TOML makes tables of one that is not."""
    for name, inner in value.items():
        if isinstance(inner, dict) and inner and len(names) < MAX_DEPTH:
            yield from _walk((*names, name), inner)
        else:
            yield (*names, name), inner
