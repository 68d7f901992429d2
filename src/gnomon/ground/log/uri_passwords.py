"""Passwords in addresses, wherever they stand in a text: `scheme://user:password@host`, and parameters such as `?password=` or `;Password=`.

Each pattern looks at a bounded number of characters, so that the time is proportional to the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import unquote, unquote_plus

from gnomon.ground.log.secret_masks import HIDDEN

TOKEN_MIN = 16
"""A name without a password in an address is taken for a token, which logs must not show, if it has so many characters."""
_USERINFO = re.compile(
    r"(:(?:\\?/){2})"  # in JSON in JSON, a slash may be escaped
    r"([^\s/?#\"'<>\\]{1,600}"
    r"|(?!\[)[^\s/?#\"'<>\\@:]{0,200}:(?!\d{1,5}(?:[/?#\s\"'<>\\]|$))[^\s\"'<>@]{1,300})"  # a password with / ? or #, which is no port
    r"@"
)
_QUOTED_USERINFO = re.compile(r"(%3A(?:%2F){2})((?:(?!%2F|%3F|%23)[^\s&\"'<>/?#\\]){1,600})(%40)", re.IGNORECASE)
"""An address that is a parameter of another one."""
_NAME = r"(?:[\w.-]{0,40}(?:pass|pwd|secret|token|api[_-]?key|access[_-]?key|credential|signature)[\w.-]{0,20}|sig)"
_PARAMETER = re.compile(rf"((?:[?&;]|%3F|%26){_NAME}\s?=\s?)([^&;\s\"'#<>\\]{{1,2000}})", re.IGNORECASE)
_SETTING = re.compile(r"((?:^|\s)(?:password|passwd)\s?=\s?)('[^'\"\\]{0,500}'|[^\s;&\"'\\]{1,500})", re.IGNORECASE)
"""As in `host=db password=x` of libpq."""


def hide_uri_passwords(text: str, replacement: str = HIDDEN) -> str:
    """The text with the login of each address, and the value of each parameter for a password or token, replaced."""
    if "://" in text or "\\/" in text:
        text = _USERINFO.sub(lambda match: f"{match[1]}{replacement}@", text)
    if "%40" in text:
        text = _QUOTED_USERINFO.sub(lambda match: f"{match[1]}{replacement}{match[3]}", text)
    if "=" in text:
        text = _SETTING.sub(
            lambda match: f"{match[1]}{replacement}", _PARAMETER.sub(lambda match: f"{match[1]}{replacement}", text)
        )
    return text


def find_uri_passwords(text: str) -> Iterator[str]:
    """The passwords and tokens that `hide_uri_passwords` would hide, as they are written and as they are meant."""
    if "://" not in text and "=" not in text:
        return
    for match in _USERINFO.finditer(text):
        name, colon, password = match[2].partition(":")
        if colon or len(name) >= TOKEN_MIN:
            yield from {password or name, unquote(password or name)}
    for pattern in (_PARAMETER, _SETTING):
        for match in pattern.finditer(text):
            value = match[2].strip("'")
            yield from {value, unquote_plus(value)}
