"""What must not lie in clear text in the database: sealed as it is written, opened as it is read (Fernet).

A key encrypts and authenticates: what another key has sealed, or somebody has changed, is refused and never misread.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from gnomon.store.errors import BadKey, WrongKey

if TYPE_CHECKING:
    from cryptography.fernet import MultiFernet

KEY_BYTES = 32
_NO_TIME = 0
"""A token tells when it was made; ours tell nothing, and no clock is asked."""


class Cipher:
    """The first key seals, every key opens. The keys are asked for at the first need, and the library is loaded then."""

    def __init__(self, keys: Callable[[], Sequence[str]], place: str = "the key") -> None:
        self._keys = keys
        self._place = place
        self._fernet: MultiFernet | None = None

    def seal(self, text: str) -> str:
        """The text, readable by whoever has the key; BadKey when there is no usable one."""
        return self._ready().encrypt_at_time(text.encode(), _NO_TIME).decode()

    def open(self, sealed: str) -> str:
        """The text that was sealed; WrongKey when none of the keys is the one, or it was changed."""
        from cryptography.fernet import InvalidToken

        try:
            return self._ready().decrypt(sealed.encode()).decode()
        except InvalidToken:
            raise WrongKey(
                f"the database holds values that {self._place} does not open: every host needs the same key. Copy fernet.key "
                "from the home that made it, or give all of them one option [core] fernet_key, the old key behind the new one"
            ) from None

    def ready(self) -> None:
        """The keys can be used; BadKey with the reason otherwise."""
        self._ready()

    def _ready(self) -> MultiFernet:
        if self._fernet is None:
            from cryptography.fernet import Fernet, MultiFernet  # 3 MB that few commands need

            self._fernet = MultiFernet([Fernet(key) for key in self._keys()])
        return self._fernet


def parse_keys(text: str, place: str) -> tuple[str, ...]:
    """The keys of a comma-separated list; BadKey names the place and the number of the one that is none."""
    keys = tuple(key.strip() for key in text.split(",") if key.strip())
    for number, key in enumerate(keys, 1):
        if not _is_key(key):
            which = "it holds no key" if len(keys) == 1 else f"number {number} of its {len(keys)} keys is none"
            raise BadKey(f"{place}: {which}. A key is {KEY_BYTES} random bytes in URL-safe base64, 44 characters")
    if not keys:
        raise BadKey(f"{place}: it is empty. Put the key back, or, if nothing was encrypted yet, remove the file")
    return keys


def _is_key(text: str) -> bool:
    try:
        return len(base64.urlsafe_b64decode(text.encode("ascii"))) == KEY_BYTES
    except (binascii.Error, ValueError):
        return False
