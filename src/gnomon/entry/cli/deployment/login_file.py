"""The tokens of `gnomon login`, in a file of the user's config folder that only its owner can read."""

from __future__ import annotations

import json
import os
import stat
import tempfile
from pathlib import Path
from typing import NamedTuple

from gnomon.ground.config.environment import get_variable
from gnomon.model.errors.product import UserError
from gnomon.model.sentences import Command, say

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


class StoredLogin(NamedTuple):
    """The account of a login, and its token."""

    account: str
    token: str


def find_login_file() -> Path:
    """Below XDG_CONFIG_HOME, or below ~/.config."""
    folder = get_variable("XDG_CONFIG_HOME")
    return (
        (Path(folder) if folder and Path(folder).is_absolute() else Path.home() / ".config") / "gnomon" / "logins.json"
    )


def read_login(url: str) -> StoredLogin | None:
    """The login at this address; None without one. Raises UserError when the file is not as `gnomon login` writes it, or others can read it."""
    entry = _read_entries().get(url)
    return None if entry is None else StoredLogin(entry["account"], entry["token"])


def store_login(url: str, login: StoredLogin) -> Path:
    """Store or replace the login at this address; returns the path of the file. Raises UserError."""
    return _write_entries({**_read_entries(), url: {"account": login.account, "token": login.token}})


def remove_login(url: str) -> bool:
    """Remove the login at this address; returns whether there was one. Raises UserError."""
    entries = _read_entries()
    if url not in entries:
        return False
    del entries[url]
    _write_entries(entries)
    return True


def list_logins() -> list[str]:
    """The addresses with a login. Raises UserError."""
    return sorted(_read_entries())


def _read_entries() -> dict[str, dict[str, str]]:
    path = find_login_file()
    try:
        with path.open(encoding="utf-8") as file:
            if os.fstat(file.fileno()).st_mode & _OTHERS:
                raise UserError(say("login_file_is_not_private", file=str(path)))
            entries = json.load(file)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise UserError(say("file_cannot_be_read", file=str(path), error=error.strerror)) from None
    except ValueError:
        entries = None
    if not isinstance(entries, dict) or not all(_is_entry(entry) for entry in entries.values()):
        raise UserError(say("login_file_is_damaged", file=str(path), command=Command("login")))
    return entries


def _is_entry(entry: object) -> bool:
    return isinstance(entry, dict) and all(isinstance(entry.get(name), str) for name in ("account", "token"))


def _write_entries(entries: dict[str, dict[str, str]]) -> Path:
    """The file is replaced in one step: a command that ends in between leaves the old one."""
    path = find_login_file()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".logins-")  # a file that only its owner can read
        try:
            with open(handle, "w", encoding="utf-8") as file:
                json.dump(entries, file, indent=2)
            os.replace(temporary, path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise UserError(say("file_cannot_be_written", file=str(path), error=error.strerror)) from None
    return path
