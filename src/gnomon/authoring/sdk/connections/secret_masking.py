"""Which values are secrets, and what logs must not show: `mask_secret`, with the rules and options of Airflow.

Source: Airflow's documentation, "Masking sensitive data".
"""

from __future__ import annotations

import base64
import html
import json
import logging
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import quote, quote_plus

from gnomon.authoring.sdk.arguments import option_defaults
from gnomon.ground.log import secret_masks
from gnomon.ground.log.secret_masks import HIDDEN
from gnomon.ground.log.uri_passwords import find_uri_passwords

DEFAULT_SENSITIVE_FIELDS = frozenset(
    (
        "access_key",
        "access_token",
        "api_key",
        "apikey",
        "auth_header",
        "authorization",
        "bearer",
        "connection_string",
        "dsn",
        "keyfile_dict",
        "passphrase",
        "passwd",
        "password",
        "private_key",
        "proxies",
        "proxy",
        "proxy_password",
        "secret",
        "service_account",
        "service_key",
        "token",
        "webhook_url",
    )
)
"""Parts of the names of values that are secrets; `[core] sensitive_var_conn_names` adds more."""
NEVER_HIDDEN = frozenset({"airflow", "gnomon"})
"""Words that are masked nowhere, although many installations have them as a password: logs would be unreadable."""

LINE_MIN = 16
"""A line of a secret of many lines, such as a private key, is hidden by itself if it has so many characters."""
BASE64_MIN = 4
"""The base64 form of a shorter secret is not hidden: it would be a part of many words."""
NAME_MAX = 200
"""The answer about a longer name is not kept."""
NAMES_MAX = 4_096
"""About so many names the answers are kept: most tasks have the same few."""
_ESCAPE = re.compile("%[0-9A-F]{2}")

log = logging.getLogger("gnomon.task")
_has_warned_of_short_secret = False


def should_hide_value_for_key(name: Any) -> bool:
    """Return whether a value of that name (a Variable's key, a key in the extra of a connection) is a secret."""
    if not isinstance(name, str):
        return False
    has_word = _has_sensitive_word if len(name) <= NAME_MAX else _has_sensitive_word.__wrapped__
    return has_word(
        name, option_defaults.read_text("core", "sensitive_var_conn_names")
    ) and option_defaults.read_boolean("core", "hide_sensitive_var_conn_fields")


def mask_secret(secret: Any, name: str | None = None) -> None:
    """Hide the secret in the logs of this process from now on: a text, or the texts in a dict or another iterable.

    With `name` only if the name is a sensitive one; keys of dicts count as names. Under any name, passwords in addresses are hidden. Texts shorter
    than `[logging] min_length_masked_secret` characters are not hidden.
    """
    if _mask(secret, name):
        _warn_of_short_secret(option_defaults.read_integer("logging", "min_length_masked_secret"))


def mask_stored_secret(secret: Any, name: str | None = None) -> None:
    """As `mask_secret`, without a word about short ones: for commands and services that mask all that is stored, and log nothing of it."""
    _mask(secret, name)


def _mask(secret: Any, name: str | None) -> bool:
    """Mask; returns whether a secret was too short."""
    named = list(_iterate_texts(secret, name))
    texts = [text for text, its_name in named if its_name is None or should_hide_value_for_key(its_name)]
    forms = [
        form for text in texts if text != HIDDEN for form in _iterate_forms(text) if form.lower() not in NEVER_HIDDEN
    ]
    shortest = option_defaults.read_integer("logging", "min_length_masked_secret") if forms else 0
    long = [form for form in forms if len(form) >= shortest]
    secret_masks.add_secrets([*long, *_list_uri_passwords(text for text, _ in named)])
    return len(long) < len(forms)


def _list_uri_passwords(texts: Iterable[str]) -> list[str]:
    """The passwords in addresses within the texts, in all their forms; short ones are left out."""
    passwords = {password for text in texts for password in find_uri_passwords(text)} - {HIDDEN}
    shortest = option_defaults.read_integer("logging", "min_length_masked_secret") if passwords else 0
    forms = (form for password in passwords if len(password) >= shortest for form in _iterate_forms(password))
    return [form for form in forms if form.lower() not in NEVER_HIDDEN and len(form) >= shortest]


async def amask_secret(secret: Any, name: str | None = None) -> None:
    """As `mask_secret`, for coroutines."""
    mask_secret(secret, name)


def _iterate_texts(secret: Any, name: str | None) -> Iterator[tuple[str, str | None]]:
    if isinstance(secret, str):
        if secret:
            yield secret, name
    elif isinstance(secret, Mapping):
        for key, item in secret.items():
            yield from _iterate_texts(item, str(key))
    elif isinstance(secret, Iterable) and not isinstance(secret, bytes | bytearray):
        for item in secret:
            yield from _iterate_texts(item, name)


def _iterate_forms(text: str) -> Iterator[str]:
    """The secret as it is, and as URLs, reprs, JSON, HTML, base64 and `[logging] secret_mask_adapter` write it; of a text of many lines, also its long lines."""
    yield text
    yield from _list_encodings(text) - {text}
    if "\n" in text:
        lines = {line.strip() for line in text.splitlines()}
        yield from (line for line in lines if len(line) >= LINE_MIN and not line.startswith("-----"))
    adapter = option_defaults.read_text("logging", "secret_mask_adapter")
    if adapter:
        adapted = _load_adapter(adapter)(text)
        yield from [adapted] if isinstance(adapted, str) else adapted


def _list_encodings(text: str) -> set[str]:
    raw = text.encode(errors="surrogateescape")
    quoted = {quote(raw, safe=""), quote(raw), quote_plus(raw)}
    encoded = {
        *quoted,
        *(_ESCAPE.sub(lambda match: match[0].lower(), each) for each in quoted),
        repr(text)[1:-1],
        repr(raw)[2:-1],
        json.dumps(text)[1:-1],
        json.dumps(text, ensure_ascii=False)[1:-1],
        html.escape(text),
        html.escape(text).replace("&quot;", "&#34;").replace("&#x27;", "&#39;"),
    }
    return encoded | (set() if len(raw) < BASE64_MIN else _encode_base64(raw))


def _encode_base64(raw: bytes) -> set[str]:
    """The secret in base64, in both alphabets, with and without padding."""
    both = {base64.b64encode(raw).decode(), base64.urlsafe_b64encode(raw).decode()}
    return both | {each.rstrip("=") for each in both}


def _load_adapter(path: str) -> Any:
    import importlib  # only installations with an adapter need it

    module, _, name = path.rpartition(".")
    try:
        return getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(
            f"[logging] secret_mask_adapter = {path} cannot be imported ({error}). Give the dotted path of a function that takes a secret."
        ) from error


@lru_cache(maxsize=NAMES_MAX)
def _has_sensitive_word(name: str, more: str) -> bool:
    """Whether a sensitive word is a part of the name; `more` is the option, so that no answer is that of another text of it."""
    normalized = re.sub(r"\W+", "_", name.strip().lower())
    return any(word in normalized for word in _list_sensitive_words(more))


def _list_sensitive_words(more: str) -> frozenset[str]:
    return (
        DEFAULT_SENSITIVE_FIELDS | {word for part in more.split(",") if (word := part.strip().lower())}
        if more
        else DEFAULT_SENSITIVE_FIELDS
    )


def _warn_of_short_secret(shortest: int) -> None:
    global _has_warned_of_short_secret
    if not _has_warned_of_short_secret:
        _has_warned_of_short_secret = True
        log.warning(
            "A secret with fewer than %d characters is not hidden in logs. Use a longer one, or lower [logging] min_length_masked_secret.",
            shortest,
        )
