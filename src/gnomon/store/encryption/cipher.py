"""What must not lie in clear text in the database: sealed as it is written, opened as it is read (Fernet).

A key encrypts and authenticates: what another key has sealed, or somebody has changed, is refused and never misread.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from gnomon.store.errors import InvalidKey, MissingKey, WrongKey

if TYPE_CHECKING:
    from cryptography.fernet import Fernet

KEY_BYTES = 32
REMEDY = (
    "every host needs the same key. Copy fernet.key from the home that made it, or give all of them one option "
    "[core] fernet_key, the old key behind the new one"
)
_TOKEN_TIME = 0
"""A token tells when it was made; ours tell nothing, and no clock is asked."""


class Cipher:
    """The first key seals, every key opens. The keys are asked for at the first need, and the library is loaded then."""

    def __init__(
        self, keys: Callable[[], Sequence[str]], place: str = "the key", make: Callable[[], None] = lambda: None
    ) -> None:
        """`make`: where `keys` raised MissingKey there is one afterwards. Only sealing makes it: what is new opens nothing."""
        self._keys = keys
        self._key_source = place
        self._make = make
        self._fernets: tuple[Fernet, ...] = ()

    def encrypt(self, text: str) -> str:
        """The text, readable by whoever has the key; BadKey when there is no usable one."""
        try:
            self._load_fernets()
        except MissingKey:
            self._make()
        return self._load_fernets()[0].encrypt_at_time(text.encode(), _TOKEN_TIME).decode()

    def decrypt(self, sealed: str) -> str:
        """The text that was sealed; WrongKey when none of the keys is the one, or it was changed."""
        from cryptography.fernet import InvalidToken

        for fernet in self._load_fernets():
            with suppress(InvalidToken):
                return fernet.decrypt(sealed.encode()).decode()
        raise WrongKey(f"the database holds values that {self._key_source} does not open: {REMEDY}")

    def uses_primary_key(self, sealed: str) -> bool:
        """Whether it is from the key that seals here, and not from one that only opens."""
        from cryptography.fernet import InvalidToken

        try:
            self._load_fernets()[0].decrypt(sealed.encode())
        except InvalidToken:
            return False
        return True

    def check_usable(self) -> None:
        """The keys can be used, where there are any yet; BadKey with the reason otherwise."""
        with suppress(MissingKey):
            self._load_fernets()

    def _load_fernets(self) -> tuple[Fernet, ...]:
        if not self._fernets:
            from cryptography.fernet import Fernet  # 3 MB that few commands need

            self._fernets = tuple(Fernet(key) for key in self._keys())
        return self._fernets


def parse_keys(text: str, place: str) -> tuple[str, ...]:
    """The keys of a comma-separated list; BadKey names the place and the number of the one that is none."""
    keys = tuple(key.strip() for key in text.split(",") if key.strip())
    for number, key in enumerate(keys, 1):
        if not _is_key(key):
            which = "it holds no key" if len(keys) == 1 else f"number {number} of its {len(keys)} keys is none"
            raise InvalidKey(f"{place}: {which}. A key is {KEY_BYTES} random bytes in URL-safe base64, 44 characters")
    if not keys:
        raise InvalidKey(f"{place}: it is empty. Put the key back, or, if nothing was encrypted yet, remove the file")
    return keys


def _is_key(text: str) -> bool:
    try:
        return len(base64.urlsafe_b64decode(text.encode("ascii"))) == KEY_BYTES
    except (binascii.Error, ValueError):
        return False
