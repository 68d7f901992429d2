"""Masks passwords in addresses that are shown to users or logged."""

from __future__ import annotations

import re

_PASSWORD_PARAMETER = re.compile(r"(\w*pass\w*=)[^&\s]*", re.IGNORECASE)
_ADDRESS = re.compile(r"[^\s'\"]+://[^\s'\"]+")


def without_password(url: str) -> str:
    """The address with its password replaced by `***`."""
    start = url.find("://") + 3 if "://" in url else 0
    scheme, rest = url[:start], url[start:]
    rest = _PASSWORD_PARAMETER.sub(r"\1***", rest)
    user, at, host = rest.rpartition("@")
    if not at or ":" not in user:
        return scheme + rest
    return f"{scheme}{user.split(':', 1)[0]}:***@{host}"


def without_passwords(text: str) -> str:
    """The text with the password of each address in it replaced by `***`."""
    return _ADDRESS.sub(lambda match: without_password(match[0]), text)
