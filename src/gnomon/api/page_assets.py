"""The files of the page in memory, each compressed once: a page that is opened for the first time asks for several of them at the same moment."""

from __future__ import annotations

import gzip
import mimetypes
from dataclasses import dataclass
from pathlib import Path

CACHED = "public, max-age=31536000, immutable"
"""The name of a file has the hash of its content."""
COMPRESSED_MIN = 500
"""Bytes; a smaller file is sent as it is."""


@dataclass(frozen=True, slots=True)
class PageAsset:
    """The content of a file."""

    plain: bytes
    compressed: bytes | None
    """As gzip; None: the file is small, or is not smaller so."""
    media_type: str

    def choose(self, accepted: str) -> tuple[bytes, dict[str, str]]:
        """The body and the headers for a client whose Accept-Encoding is `accepted`."""
        headers = {"Cache-Control": CACHED, "Vary": "Accept-Encoding"}
        if self.compressed is None or not _accepts_gzip(accepted):
            return self.plain, headers
        return self.compressed, {**headers, "Content-Encoding": "gzip"}


class PageAssets:
    """The files of a folder. Each is read when it is asked for first; they do not change while the server runs."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[str, PageAsset] = {}

    def find(self, name: str) -> PageAsset | None:
        """The file with the name; None: there is none."""
        asset = self._known.get(name)
        if asset is None and (asset := self._read(name)) is not None:
            self._known[name] = asset
        return asset

    def _read(self, name: str) -> PageAsset | None:
        if "/" in name or "\0" in name or name.startswith("."):
            return None
        file = self._folder / name
        try:
            if not file.is_file():
                return None
        except OSError:  # the name is longer than those of files can be
            return None
        plain = file.read_bytes()
        compressed = gzip.compress(plain, 9, mtime=0) if len(plain) >= COMPRESSED_MIN else plain
        return PageAsset(
            plain,
            compressed if len(compressed) < len(plain) else None,
            mimetypes.guess_type(name)[0] or "application/octet-stream",
        )


def _accepts_gzip(accepted: str) -> bool:
    """RFC 9110, 12.5.3, for gzip: named, and not with the weight 0."""
    for entry in accepted.split(","):
        coding, _, weight = entry.partition(";")
        if coding.strip().lower() == "gzip":
            return weight.replace(" ", "").lower().rstrip("0") not in ("q=", "q=0.")
    return False
