"""The template fields of a task as they were after rendering, as JSON of a bounded size, for people that look why a task did what it did."""

from __future__ import annotations

import json
import math
from typing import Any

from gnomon.authoring.sdk.arguments import option_defaults
from gnomon.authoring.sdk.connections.secret_masking import should_hide_value_for_key
from gnomon.ground.log.secret_masks import HIDDEN, hide
from gnomon.ground.log.uri_passwords import hide_uri_passwords
from gnomon.model.storable_text import escape_unstorable

SECRET_MAX = 4_096
"""A secret of so many characters is masked although it is cut."""
_DEPTH_MAX = 8
_CUT = "…"
_SAFE_INTEGER = 2**53
"""JSON in a browser knows integers below this exactly."""


def collect_rendered_fields(task: Any) -> str | None:
    """The fields that are not empty, as a JSON object; None when all are. Secrets are masked."""
    fields = {name: value for name in task.template_fields if not _is_empty(value := getattr(task, name, None))}
    if not fields:
        return None
    longest = option_defaults.read_integer("core", "max_templated_field_length")
    shown = {
        name: HIDDEN if should_hide_value_for_key(name) else _Shortener(longest).shorten(value, 0)
        for name, value in fields.items()
    }
    return json.dumps(shown, ensure_ascii=False)


def _is_empty(value: object) -> bool:
    return value is None or (type(value) in (str, list, tuple, dict, set) and not value)


class _Shortener:
    """Makes plain JSON of a value, and stops at `longest` characters, whatever the size of the value is."""

    def __init__(self, longest: int) -> None:
        self._left = longest

    def shorten(self, value: object, depth: int) -> object:
        if self._left <= 0 or depth > _DEPTH_MAX:
            return _CUT
        if value is None or isinstance(value, bool):
            self._left -= 4
            return value
        if type(value) is str:
            return self._cut(value)
        if (type(value) is int and abs(value) < _SAFE_INTEGER) or (type(value) is float and math.isfinite(value)):
            self._left -= 8
            return value
        if type(value) is dict:
            return self._shorten_dict(value, depth)
        if type(value) in (list, tuple, set, frozenset):
            return self._shorten_items(value, depth)
        return self._cut(_describe(value))

    def _shorten_dict(self, value: Any, depth: int) -> dict[str, object]:
        shortened: dict[str, object] = {}
        for key, item in value.items():
            if self._left <= 0:
                shortened[_CUT] = f"{len(value) - len(shortened)} more"
                break
            name = self._cut(key if type(key) is str else _describe(key))
            shortened[name] = (
                HIDDEN if type(key) is str and should_hide_value_for_key(key) else self.shorten(item, depth + 1)
            )
        return shortened

    def _shorten_items(self, value: Any, depth: int) -> list[object]:
        shortened: list[object] = []
        for item in value:
            if self._left <= 0:
                shortened.append(f"{_CUT} {len(value) - len(shortened)} more")
                break
            shortened.append(self.shorten(item, depth + 1))
            self._left -= 2
        return shortened

    def _cut(self, text: str) -> str:
        """The text without secrets, those at the place of the cut too."""
        shown = hide_uri_passwords(hide(escape_unstorable(text[: self._left + SECRET_MAX])))
        is_cut = len(shown) > self._left or len(text) > self._left + SECRET_MAX
        shown = shown[: self._left]
        self._left -= max(len(shown), 1)
        return shown + _CUT if is_cut else shown


def _describe(value: object) -> str:
    """`repr`, which authors write: one that fails does not fail the task."""
    try:
        return repr(value[:SECRET_MAX] if type(value) in (bytes, bytearray) else value)  # type: ignore[index]
    except Exception as error:
        return f"<{type(value).__name__}: its repr raised {type(error).__name__}>"
