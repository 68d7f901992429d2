"""Hiding secrets by the name of the field that holds them. Values are not searched for in logs yet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SENSITIVE = (
    "access_token", "api_key", "apikey", "authorization", "passphrase", "passwd", "password", "private_key", "secret", "token",
)
HIDDEN = "***"


def mask_secret(secret: Any, name: str | None = None) -> None:
    """Nothing happens yet: logs show what tasks print."""


def redact(value: Any, name: str | None = None) -> Any:
    """The value with whatever stands under a sensitive name replaced by ***, at any depth."""
    if name is not None and value and any(word in name.lower() for word in SENSITIVE):
        return HIDDEN
    if isinstance(value, Mapping):
        return {key: redact(item, str(key)) for key, item in value.items()}
    if isinstance(value, list | tuple | set):
        return type(value)(redact(item) for item in value)
    return value
