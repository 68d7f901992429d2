"""What is stored of an object of an author's class beside its path: its data as JSON, and a digest of the source of the class."""

from __future__ import annotations

import hashlib
import math
import os
import sys
from typing import Any

_PLAIN = (str, bool, int)
_OURS = "gnomon."


def find_unserializable(value: Any, path: str = "") -> str | None:
    """Return a description of the first part that JSON cannot represent, with what to write instead; None when there is none."""
    if value is None or isinstance(value, _PLAIN):
        return None
    if isinstance(value, float):
        return None if math.isfinite(value) else f"{value}{_describe_path(path)}, which JSON cannot hold"
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str | int):
                return f"a dict with the key {key!r}{_describe_path(path)}, which JSON cannot hold; keys are texts"
            fault = find_unserializable(item, f"{path}[{key!r}]")
            if fault is not None:
                return fault
        return None
    if isinstance(value, list | tuple):
        return next(filter(None, (find_unserializable(item, f"{path}[{at}]") for at, item in enumerate(value))), None)
    return f"{_with_article(type(value).__name__)}{_describe_path(path)}, which JSON cannot hold; {_remedy(value)}"


def _describe_path(path: str) -> str:
    return f" in {path}" if path else ""


def _with_article(name: str) -> str:
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def _remedy(value: Any) -> str:
    if hasattr(value, "isoformat"):
        return "store value.isoformat(), and read it with fromisoformat in deserialize"
    if hasattr(value, "total_seconds"):
        return "store value.total_seconds(), and make it again in deserialize"
    if isinstance(value, set | frozenset):
        return "store sorted(value), and make a set of it in deserialize"
    return "store texts and numbers, and make it again in deserialize"


def hash_code(cls: type) -> str:
    """Return a digest of the source files of the class and its base classes, without those of Gnomon."""
    whole = hashlib.sha256()
    modules = {kind.__module__ for kind in cls.__mro__ if not kind.__module__.startswith(_OURS)}
    for name in sorted(modules - {"builtins", "typing", "abc", "object"}):
        whole.update(f"{name}\0".encode() + _hash_module_source(name) + b"\0")
    return whole.hexdigest()[:16]


def _hash_module_source(module: str) -> bytes:
    """Return a digest of the source of an imported module; for a module in an archive, the time and size of the archive."""
    file = getattr(sys.modules.get(module), "__file__", None)
    if not isinstance(file, str):
        return b""
    try:
        with open(file, "rb") as opened:
            return hashlib.sha256(opened.read()).digest()
    except OSError:
        return _stamp_archive(file)


def _stamp_archive(file: str) -> bytes:
    while (above := os.path.dirname(file)) != file:
        file = above
        try:
            stat_result = os.stat(file)
        except OSError:
            continue
        return f"{stat_result.st_mtime_ns} {stat_result.st_size}".encode()
    return b""
