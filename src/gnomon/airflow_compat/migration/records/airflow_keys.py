"""The keys that decrypt the database of another Airflow installation. They are never an argument of a command, where the list of processes shows them."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import NamedTuple

import click
from cryptography.fernet import Fernet, InvalidToken, MultiFernet

from gnomon.ground.config import Config
from gnomon.ground.config.environment import get_variable
from gnomon.model.errors.product import UserError
from gnomon.model.sentences import say

KEY_VARIABLE = "AIRFLOW_FERNET_KEY"
KEY_FILE_OPTION = "--airflow-fernet-key-file"
WAYS = f"write it into a file and name that with {KEY_FILE_OPTION}, or set the variable {KEY_VARIABLE}"
_SEPARATOR = re.compile(r"[\s,]+")


class KeyText(NamedTuple):
    """Keys as they were given, and where they come from, for errors."""

    text: str
    place: str


class AirflowCipher:
    """Decrypts what Airflow encrypted. The keys are loaded when the first encrypted value is met."""

    def __init__(self, load_keys: Callable[[], KeyText]) -> None:
        self._load_keys = load_keys
        self._fernet: MultiFernet | None = None
        self.place = ""
        """Where the keys come from; empty before they are loaded."""
        self.decrypted = 0
        """How many values were decrypted."""
        self.failed = 0
        """How many values none of the keys decrypts."""

    def load(self) -> MultiFernet:
        """The keys. Raises UserError when there is none, or a text that is none."""
        if self._fernet is None:
            keys = self._load_keys()
            self._fernet, self.place = build_fernet(keys), keys.place
        return self._fernet

    def decrypt(self, ciphertext: str) -> str | None:
        """The text; None when none of the keys encrypted it. Raises UserError as `load` does."""
        try:
            text = self.load().decrypt(ciphertext.encode()).decode()
        except InvalidToken:
            self.failed += 1
            return None
        self.decrypted += 1
        return text


def build_fernet(keys: KeyText) -> MultiFernet:
    """The keys of Airflow's `[core] fernet_key`, separated by commas or lines; each decrypts. Raises UserError for a text that is none."""
    texts = [text for text in _SEPARATOR.split(keys.text) if text]
    fernets = []
    for number, text in enumerate(texts, 1):
        try:
            fernets.append(Fernet(text.encode()))
        except ValueError:
            raise UserError(
                say("fernet_key_is_invalid", place=keys.place)
                if len(texts) == 1
                else say("one_fernet_key_is_invalid", number=number, total=len(texts), place=keys.place)
            ) from None
    if not fernets:
        raise UserError(say("fernet_key_is_missing", place=keys.place))
    return MultiFernet(fernets)


def find_keys(key_file: str | None, cfg: Config) -> KeyText:
    """The keys of the file, of the variable, of this installation, or what a person types at a terminal: the first of these that exists.

    Raises UserError when there is none, or when the file cannot be read.
    """
    if key_file is not None:
        return _read_file(key_file)
    if (text := get_variable(KEY_VARIABLE)) is not None:
        return KeyText(text, f"the variable {KEY_VARIABLE}")
    if own := cfg.text("core", "fernet_key"):
        return KeyText(own, "[core] fernet_key of this installation")
    if sys.stdin.isatty():
        return KeyText(click.prompt("Airflow's [core] fernet_key", hide_input=True, err=True), "the terminal")
    raise UserError(say("fernet_key_is_not_known", remedy=WAYS))


def _read_file(path: str) -> KeyText:
    try:
        with open(path, encoding="ascii") as file:
            return KeyText(file.read(), path)
    except OSError as error:
        raise UserError(
            say("file_of_option_cannot_be_read", option=KEY_FILE_OPTION, file=str(path), error=error.strerror)
        ) from None
    except UnicodeDecodeError:
        raise UserError(say("file_of_option_has_no_keys", option=KEY_FILE_OPTION, file=str(path))) from None
