"""Encryption of values in the database (Fernet): encrypted when they are written, decrypted when they are read.

A key encrypts and authenticates: a value of another key, or a value that was changed, raises WrongKey and is never misread.
"""

from __future__ import annotations

import base64
import binascii
import hmac
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from gnomon.model.sentences import say
from gnomon.storage.store.errors import InvalidKey, MissingKey, WrongKey

if TYPE_CHECKING:
    from cryptography.fernet import Fernet

KEY_BYTES = 32
REMEDY = (
    "every host needs the same key. Copy fernet.key from the home that made it, or give all of them one option "
    "[core] fernet_key, the old key behind the new one"
)
_TOKEN_TIME = 0
"""The time in every token. Fernet stores when a token was made; Gnomon does not need it, so no clock is read."""


class Cipher:
    """The first key encrypts, every key decrypts. Keys and the library are loaded at the first use."""

    def __init__(
        self,
        keys: Callable[[], Sequence[str]],
        key_source: str = "the key",
        create_key: Callable[[], None] = lambda: None,
    ) -> None:
        """`keys` returns the keys; `key_source` names their origin in errors.

        `create_key` is called when `keys` raised MissingKey and a value is encrypted. Decryption creates no key: a new one decrypts nothing.
        """
        self._keys = keys
        self._key_source = key_source
        self._create_key = create_key
        self._fernets: tuple[Fernet, ...] = ()

    def encrypt(self, text: str) -> str:
        """Encrypt a text. Raises InvalidKey when there is no usable key."""
        try:
            self._load_fernets()
        except MissingKey:
            self._create_key()
        return self._load_fernets()[0].encrypt_at_time(text.encode(), _TOKEN_TIME).decode()

    def decrypt(self, ciphertext: str) -> str:
        """The inverse of `encrypt`. Raises WrongKey when no key decrypts the text, or the text was changed."""
        from cryptography.fernet import InvalidToken  # 3 MB of memory, which few commands need

        for fernet in self._load_fernets():
            with suppress(InvalidToken):
                return fernet.decrypt(ciphertext.encode()).decode()
        raise WrongKey(say("key_opens_no_values", source=self._key_source, remedy=REMEDY))

    def uses_primary_key(self, ciphertext: str) -> bool:
        """Whether the first key encrypted this text, and not one of the others."""
        from cryptography.fernet import InvalidToken  # 3 MB of memory, which few commands need

        try:
            self._load_fernets()[0].decrypt(ciphertext.encode())
        except InvalidToken:
            return False
        return True

    def derive_keys(self, purpose: str) -> tuple[bytes, ...]:
        """A key of 64 bytes for a purpose from each key, the first key's first. Raises InvalidKey when there is no usable key."""
        try:
            keys = self._keys()
        except MissingKey:
            self._create_key()
            keys = self._keys()
        return tuple(hmac.digest(base64.urlsafe_b64decode(key), purpose.encode(), "sha512") for key in keys)

    def check_usable(self) -> None:
        """Return when the keys can be used or there is no key yet. Raises InvalidKey with the reason otherwise."""
        with suppress(MissingKey):
            self._load_fernets()

    def _load_fernets(self) -> tuple[Fernet, ...]:
        if not self._fernets:
            from cryptography.fernet import Fernet  # 3 MB of memory, which few commands need

            self._fernets = tuple(Fernet(key) for key in self._keys())
        return self._fernets


def parse_keys(text: str, place: str) -> tuple[str, ...]:
    """The keys of a comma-separated list. Raises InvalidKey, which names `place` and the number of the key that is malformed."""
    keys = tuple(key.strip() for key in text.split(",") if key.strip())
    for number, key in enumerate(keys, 1):
        if not _is_key(key):
            raise InvalidKey(
                say("text_is_no_key", place=place, number=KEY_BYTES)
                if len(keys) == 1
                else say("one_text_is_no_key", place=place, at_number=number, total=len(keys), number=KEY_BYTES)
            )
    if not keys:
        raise InvalidKey(say("key_is_empty", place=place))
    return keys


def _is_key(text: str) -> bool:
    try:
        return len(base64.urlsafe_b64decode(text.encode("ascii"))) == KEY_BYTES
    except (binascii.Error, ValueError):
        return False
