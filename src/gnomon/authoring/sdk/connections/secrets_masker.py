"""Values without their secrets: `redact`, and the class of Airflow that packages derive from to redact values of their own types."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from enum import Enum
from typing import Any, TypeAlias

from gnomon.authoring.sdk.connections.secret_masking import (
    DEFAULT_SENSITIVE_FIELDS,
    mask_secret,
    should_hide_value_for_key,
)
from gnomon.ground.log import secret_masks
from gnomon.ground.log.secret_masks import HIDDEN
from gnomon.ground.log.uri_passwords import hide_uri_passwords

Redactable: TypeAlias = Any
"""What can be redacted: any value; texts in dicts, lists, tuples, sets and enums are looked at."""
Redacted: TypeAlias = Any
"""A redacted value."""
MAX_DEPTH = 5
"""How deep `redact` looks for known secrets in texts. It hides values under sensitive names at any depth."""


class SecretsMasker(logging.Filter):
    """Redacts values with the secrets of this process. Subclasses override `_redact`, which is called for every part of a value.

    As a filter of loggers it lets each record pass: logs are masked where they are written.
    """

    def __init__(self) -> None:
        super().__init__()
        self.patterns: set[str] = set()
        self.replacer: Any = None
        """In Airflow the secrets and their expression; here all maskers share the secrets of the process, and these are for copies alone."""
        self.sensitive_variables_fields = sorted(DEFAULT_SENSITIVE_FIELDS)

    def filter(self, record: logging.LogRecord) -> bool:
        return True

    def add_mask(self, secret: Any, name: str | None = None) -> None:
        """As `mask_secret`."""
        mask_secret(secret, name)

    def should_hide_value_for_key(self, name: Any) -> bool:
        """Return whether a value of that name is a secret."""
        return should_hide_value_for_key(name)

    def redact(
        self, item: Redactable, name: str | None = None, max_depth: int | None = None, replacement: str = HIDDEN
    ) -> Redacted:
        """As the function `redact`."""
        return self._redact(item, name, 0, MAX_DEPTH if max_depth is None else max_depth, replacement=replacement)

    def _redact(self, item: Redactable, name: Any, depth: int, max_depth: int, replacement: str = HIDDEN) -> Redacted:
        if name and self.should_hide_value_for_key(name):
            return self._redact_all(item, depth, max_depth, replacement=replacement)
        if isinstance(item, Mapping):
            return {
                key: self._redact(each, key, depth + 1, max_depth, replacement=replacement)
                for key, each in item.items()
            }
        if isinstance(item, list | tuple | set):
            redacted = [self._redact(each, None, depth + 1, max_depth, replacement=replacement) for each in item]
            return redacted if isinstance(item, list) else tuple(redacted)
        if depth > max_depth:
            return hide_uri_passwords(item, replacement) if isinstance(item, str) else item
        if isinstance(item, Enum):
            return self._redact(item.value, name, depth, max_depth, replacement=replacement)
        return hide_uri_passwords(secret_masks.hide(item, replacement), replacement) if isinstance(item, str) else item

    def _redact_all(
        self, item: Redactable, depth: int, max_depth: int | None = None, *, replacement: str = HIDDEN
    ) -> Redacted:
        """Replace every text in the value; the depths are those of Airflow's method, and have no effect."""
        if isinstance(item, str):
            return replacement
        if isinstance(item, Mapping):
            return {
                key: self._redact_all(each, depth, max_depth, replacement=replacement) for key, each in item.items()
            }
        if isinstance(item, list):
            return [self._redact_all(each, depth, max_depth, replacement=replacement) for each in item]
        if isinstance(item, tuple | set):
            return tuple(self._redact_all(each, depth, max_depth, replacement=replacement) for each in item)
        return item


_masker = SecretsMasker()


def get_masker() -> SecretsMasker:
    """Return the masker of this process."""
    return _masker


def redact(value: Any, name: str | None = None, max_depth: int | None = None, replacement: str = HIDDEN) -> Any:
    """Return the value with the replacement for texts under sensitive names, at any depth, and for known secrets within texts.

    `name`: the name of the value itself. Sets become tuples.
    """
    return _masker.redact(value, name, max_depth, replacement)
