"""The key of an installation: the option `[core] fernet_key`, or else the file `fernet.key` of the home."""

from __future__ import annotations

import base64
import os
import secrets
from pathlib import Path

from gnomon.ground.config import Config
from gnomon.model.sentences import say
from gnomon.storage.store.encryption.cipher import KEY_BYTES, REMEDY, Cipher, parse_keys
from gnomon.storage.store.errors import InvalidKey, MissingKey

FILE_NAME = "fernet.key"
_OPTION = ("core", "fernet_key")


def load_cipher(cfg: Config) -> Cipher:
    """The cipher of this installation. A missing key file is created when the first value is encrypted."""
    written = cfg.text(*_OPTION)
    if written.strip():
        place = f"the option [core] fernet_key ({cfg.source(*_OPTION)})"
        return Cipher(lambda: parse_keys(written, place), place)
    path = cfg.home / FILE_NAME
    return Cipher(lambda: parse_keys(_read_key_file(path), str(path)), str(path), lambda: _create_key_file(path))


def _read_key_file(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise MissingKey(say("key_file_is_missing", file=str(path), remedy=REMEDY)) from None
    except UnicodeDecodeError:
        raise InvalidKey(say("key_file_is_no_key", file=str(path))) from None
    except OSError as error:
        raise _unusable_error(path, error) from None


def _create_key_file(path: Path) -> None:
    """Create the file with a new key, readable by its owner only. Raises InvalidKey."""
    try:
        _write_key_file(path)
    except OSError as error:
        raise _unusable_error(path, error) from None


def _unusable_error(path: Path, error: OSError) -> InvalidKey:
    return InvalidKey(say("key_file_cannot_be_used", file=str(path), error=error.strerror))


def _write_key_file(path: Path) -> None:
    """Write the file completely. When several processes do so at the same time, the first wins and all read its key."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}")
    fd = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(base64.urlsafe_b64encode(secrets.token_bytes(KEY_BYTES)) + b"\n")
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(part, path)
        except FileExistsError:
            return
    finally:
        part.unlink()
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)  # a key that is lost in a power cut makes all values unreadable
    finally:
        os.close(folder)
