"""The name of a log in the remote folder: as in the local one, with characters encoded that a store gives a meaning."""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Callable

_SPECIAL = re.compile(r"[?#*\[\]{}\\\x00-\x1f\x7f]")
"""In the paths of fsspec's stores `?versionId=` and `#` begin a version, and the others are patterns. A percent sign in a local name is encoded already."""
_PART_MAX = 240
"""Bytes of one part of a path: a file system takes 255, and keys of object stores 1,024 for all parts."""
_KEPT = 209
"""Bytes of a part that was cut, with its hash."""


def build_remote_name(name: str) -> str:
    """The path in the remote folder of the log with this path in the local one. Two logs have two names."""
    return "/".join(_encode(part, _build_hash) for part in name.split("/"))


def list_remote_names(name: str) -> list[str]:
    """Where a log may be that is to be read: at its path, or at that of the first rule, whose checksum other logs can be made to have."""
    former = "/".join(_encode(part, _build_former_checksum) for part in name.split("/"))
    return list(dict.fromkeys((build_remote_name(name), former)))


def _encode(part: str, build_hash: Callable[[bytes], str]) -> str:
    encoded = _SPECIAL.sub(lambda match: f"%{ord(match[0]):02X}", part)
    if len(encoded.encode(errors="surrogateescape")) <= _PART_MAX or encoded == part:
        return encoded
    ending = f"~{build_hash(part.encode(errors='surrogateescape'))}"
    return f"{encoded.encode(errors='surrogateescape')[: _KEPT - len(ending)].decode(errors='ignore')}{ending}{_find_suffix(part)}"


def _build_hash(part: bytes) -> str:
    return hashlib.blake2b(part, digest_size=8).hexdigest()


def _build_former_checksum(part: bytes) -> str:
    return f"{zlib.crc32(part):08x}"


def _find_suffix(part: str) -> str:
    """The end of the name of an attempt's log, which tells attempts from one another."""
    match = re.search(r"(\.map_index=\d+)?\.attempt=\d+(\.trigger)?\.log$", part)
    return match[0] if match else ""
