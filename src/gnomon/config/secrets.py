"""What must not be shown, and what author code must not see."""

from __future__ import annotations

from collections.abc import Mapping

from gnomon.config.option import Key, Option
from gnomon.config.options import declared
from gnomon.config.sources import PREFIXES


def is_secret(key: Key) -> bool:
    """Whether the option must not reach author code."""
    option = declared(*key)
    return option is not None and option.secret


def without_secrets(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment that author code may see: no variable that sets a secret option, by value or by command."""
    return {name: value for name, value in environ.items() if not _sets_a_secret(name)}


def _sets_a_secret(variable: str) -> bool:
    parts = variable.split("__", 2)
    if len(parts) != 3 or parts[0] not in PREFIXES:
        return False
    name = parts[2].lower()
    names = (name, name.removesuffix("_cmd"), name.removesuffix("_secret"))
    return any(is_secret(Key(parts[1].lower(), each)) for each in names)


def shown(option: Option, text: str) -> str:
    if option.key == ("database", "sql_alchemy_conn"):
        return without_password(text)
    return "(hidden)" if option.secret and text else text


def without_password(url: str) -> str:
    """The address of a database as it may be shown."""
    scheme, separator, rest = url.partition("://")
    if "password=" in rest:
        head, _, tail = rest.partition("password=")
        _, ampersand, more = tail.partition("&")
        rest = f"{head}password=***{ampersand}{more}"
    user, at, host = rest.rpartition("@")
    if not at or ":" not in user:
        return f"{scheme}{separator}{rest}"
    return f"{scheme}{separator}{user.split(':', 1)[0]}:***@{host}"
