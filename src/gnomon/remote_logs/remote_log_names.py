"""The name of a log in the remote folder: as in the local one, with characters encoded that a store gives a meaning."""

from __future__ import annotations

import re
import zlib

_SPECIAL = re.compile(r"[?#*\[\]{}\\\x00-\x1f\x7f]")
"""In the paths of fsspec's stores `?versionId=` and `#` begin a version, and the others are patterns. A percent sign in a local name is encoded already."""
_PART_MAX = 240
"""Bytes of one part of a path: a file system takes 255, and keys of object stores 1,024 for all parts."""
_KEPT = 200


def build_remote_name(name: str) -> str:
    """The path in the remote folder of the log with this path in the local one. Two logs have two names."""
    return "/".join(_encode(part) for part in name.split("/"))


def _encode(part: str) -> str:
    encoded = _SPECIAL.sub(lambda found: f"%{ord(found[0]):02X}", part)
    if len(encoded.encode(errors="surrogateescape")) <= _PART_MAX or encoded == part:
        return encoded
    checksum = zlib.crc32(part.encode(errors="surrogateescape"))
    return f"{encoded.encode(errors='surrogateescape')[:_KEPT].decode(errors='ignore')}~{checksum:08x}{_find_suffix(part)}"


def _find_suffix(part: str) -> str:
    """The end of the name of an attempt's log, which tells attempts from one another."""
    found = re.search(r"(\.map_index=\d+)?\.attempt=\d+(\.trigger)?\.log$", part)
    return found[0] if found else ""
