"""The channels of alerts in `gnomon.toml`, `[alerts.channels.NAME]`: where messages go, and how often."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from gnomon.ground.config.language_names import check_language

CHANNEL_TYPES: dict[str, tuple[str, ...]] = {
    "email": ("to", "conn_id"),
    "webhook": ("url", "url_env", "conn_id", "secret", "secret_env"),
    "slack": ("url", "url_env", "conn_id"),
    "notifier": ("class", "args"),
}
"""The types of channels, with the keys of each."""
COMMON_KEYS = ("type", "language", "max_per_hour", "timeout", "retries")
_ADDRESS_KEYS = ("url", "url_env", "conn_id")
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_SPAN = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([smhd])\s*")


@dataclass(frozen=True, slots=True)
class AlertChannel:
    """One channel. Spans are in seconds. Secrets are not shown in its repr."""

    name: str
    type: str
    place: str
    """File and line."""
    language: str = ""
    """The id of the language of its messages; empty: that of `[alerts] language`."""
    to: tuple[str, ...] = ()
    conn_id: str = ""
    url: str = field(default="", repr=False)
    url_env: str = ""
    secret: str = field(default="", repr=False)
    secret_env: str = ""
    class_path: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict, repr=False)
    max_per_hour: int = 60
    timeout_s: float = 10.0
    retries: int = 8

    @property
    def target(self) -> str:
        """Where messages go, without secrets."""
        if self.type == "email":
            return ", ".join(self.to)
        if self.type == "notifier":
            return self.class_path
        if self.url:
            parts = urlsplit(self.url)
            return f"{parts.scheme}://{parts.hostname or ''}{f':{parts.port}' if parts.port else ''}/***"
        return f"${self.url_env}" if self.url_env else f"connection {self.conn_id}"


def build_channel(name: str, values: Mapping[str, Any], place: Callable[[str], str]) -> AlertChannel:
    """The channel of a table. `place`: file and line of a key. Raises ValueError, whose message names the key, its place and the remedy."""
    kind = values.get("type")
    if kind not in CHANNEL_TYPES:
        if kind is None:
            raise refuse_value(place("type"), "channel_lacks_type", name=name, names=_quoted(CHANNEL_TYPES))
        raise refuse_value(
            place("type"), "channel_type_is_unknown", name=name, value=repr(kind), names=_quoted(CHANNEL_TYPES)
        )
    allowed = (*COMMON_KEYS, *CHANNEL_TYPES[kind])
    for key in values:
        if key not in allowed:
            raise refuse_value(
                place(key), "channel_has_no_such_key", value=kind, key=key, name=name, names=", ".join(allowed)
            )
    _check_needed(name, kind, values, place)
    return AlertChannel(
        name=name,
        type=kind,
        place=place("type"),
        language=_read_language(name, values, place),
        to=read_texts(values.get("to", ()), place("to"), "to"),
        max_per_hour=_read_number(values.get("max_per_hour", 60), place("max_per_hour"), "max_per_hour", 1),
        timeout_s=read_span(values.get("timeout", 10), place("timeout"), "timeout"),
        retries=_read_number(values.get("retries", 8), place("retries"), "retries", 0),
        class_path=_read_text(values, "class", place),
        arguments=_read_arguments(name, values.get("args", {}), place("args")),
        **{key: _read_text(values, key, place) for key in ("conn_id", "url", "url_env", "secret", "secret_env")},
    )


def _check_needed(name: str, kind: str, values: Mapping[str, Any], place: Callable[[str], str]) -> None:
    if kind == "email" and not values.get("to"):
        raise refuse_value(place("to"), "channel_has_no_receiver", name=name)
    if kind == "notifier" and not values.get("class"):
        raise refuse_value(place("class"), "channel_has_no_class", name=name)
    if kind in ("webhook", "slack"):
        address_keys = [key for key in _ADDRESS_KEYS if values.get(key)]
        if len(address_keys) != 1:
            if not address_keys:
                raise refuse_value(place("type"), "channel_has_no_address", name=name)
            names = " and ".join(address_keys)
            raise refuse_value(place(address_keys[-1]), "channel_has_two_addresses", name=name, names=names)
        if values.get("url"):
            _check_url(name, str(values["url"]), place("url"))
        if values.get("secret") and values.get("secret_env"):
            raise refuse_value(place("secret_env"), "channel_has_two_secrets", name=name)


def _check_url(name: str, url: str, where: str) -> None:
    if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).hostname:
        raise refuse_value(where, "channel_url_is_no_address", name=name)


def _read_arguments(name: str, value: object, where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise refuse_value(where, "channel_args_are_no_table", name=name)
    return value


def _read_text(values: Mapping[str, Any], key: str, place: Callable[[str], str]) -> str:
    value = values.get(key, "")
    if not isinstance(value, str):
        raise refuse_value(place(key), "key_must_be_text", key=key)
    return value


def read_texts(value: object, where: str, key: str) -> tuple[str, ...]:
    """The texts of a value that is a text or a list of texts. Raises ValueError."""
    if isinstance(value, str):
        return (value,)
    if isinstance(value, (list, tuple)) and all(isinstance(item, str) and item for item in value):
        return tuple(value)
    raise refuse_value(where, "key_must_be_texts", key=key)


def read_span(value: object, where: str, key: str) -> float:
    """The seconds of `30s`, `10m`, `2h`, `1d`, or of a number. Raises ValueError."""
    if isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0:
        return float(value)
    match = _SPAN.fullmatch(value) if isinstance(value, str) else None
    if match is None or not float(match[1]):
        raise refuse_value(where, "key_is_no_span", key=key, value=repr(value))
    return float(match[1]) * _UNITS[match[2]]


def _read_language(name: str, values: Mapping[str, Any], place: Callable[[str], str]) -> str:
    if "language" not in values:
        return ""
    try:
        return check_language(values["language"])
    except ValueError as error:
        raise refuse_value(
            place("language"),
            "channel_language_is_unknown",
            name=name,
            value=repr(values["language"]),
            error=str(error),
        ) from None


def _read_number(value: object, where: str, key: str, minimum: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < minimum:
        raise refuse_value(where, "key_is_no_whole_number", key=key, value=repr(value), number=str(minimum))
    return value


def _quoted(names: Mapping[str, object]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def refuse_value(place: str, code: str, **arguments: str) -> ValueError:
    """The mistake as a text of the catalogue behind its place: whoever prints it puts it into the language of the reader."""
    from gnomon.model.sentences import render, say  # loaded with the first refusal

    return ValueError(f"{place}: {render(say(code, **arguments))}")
