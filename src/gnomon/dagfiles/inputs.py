"""What a DAG file depended on: stamps that are cheap to compare, and a hash over the content that decides.

An input is a file, a folder listing (`/folder/`, with its slash), a variable of the environment (`env:NAME`) or a fact
of this installation (`gnomon:`). Equal stamps: unchanged. Other stamps: the content is hashed, and only another hash
means that the DAG file is parsed again.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable

from gnomon.model.spec import FileInputs

MISSING = "-"
"""The stamp of what is not there; a file that an author looked for and that appears later is a change."""
UNKNOWN = "?"
"""The stamp of an input that changed while it was read: equal to no stamp, so the content decides."""
HASHED_MAX = 64 * 1024 * 1024
"""Of a longer file the stamp stands in for the content."""
ENV = "env:"
FACTS = "gnomon:"

Facts = Callable[[str], str]
"""The stamp of an input that is not a path: of `env:NAME` and `gnomon:`."""


def stamp(path: str, facts: Facts) -> str:
    """What changes whenever the input does: times, size and inode of a file or folder. Never raises."""
    if path.startswith((ENV, FACTS)):
        return facts(path)
    try:
        seen = os.stat(path)
    except FileNotFoundError:
        return MISSING
    except (OSError, ValueError) as error:
        return f"!{getattr(error, 'errno', 0)}"
    return f"{seen.st_mtime_ns:x}.{seen.st_ctime_ns:x}.{seen.st_size:x}.{seen.st_ino:x}"


def content(path: str, facts: Facts) -> str:
    """The digest of what an author can read there. Never raises."""
    if path.startswith((ENV, FACTS)):
        return facts(path)
    try:
        if path.endswith("/"):
            names = sorted(name for name in os.listdir(path) if name != "__pycache__")
            return hashlib.sha256("\0".join(names).encode(errors="surrogateescape")).hexdigest()
        with open(path, "rb") as opened:
            if os.fstat(opened.fileno()).st_size > HASHED_MAX:
                return stamp(path, facts)
            return hashlib.sha256(opened.read()).hexdigest()
    except FileNotFoundError:
        return MISSING
    except (OSError, ValueError) as error:
        return f"!{getattr(error, 'errno', 0)}"


def input_hash(paths: Iterable[str], facts: Facts) -> str:
    """One hash over the content of all inputs; the same in every process that sees the same content."""
    whole = hashlib.sha256()
    for path in sorted(set(paths)):
        whole.update(f"{path}\0{content(path, facts)}\n".encode(errors="surrogateescape"))
    return whole.hexdigest()[:32]


def take(
    stamped: dict[str, str], facts: Facts, *, looked_further: bool, fresh: str | None, answers: str | None = None
) -> FileInputs:
    """The inputs of a parse that just ended. `stamped`: path to its stamp before it was read.

    `answers`: the digest of what the service answered to the file. Other answers are another hash, so that no process
    that imported the file with the old ones runs its tasks.
    """
    whole = input_hash(stamped, facts)
    if answers is not None:
        whole = hashlib.sha256(f"{whole}\0{answers}".encode()).hexdigest()[:32]
    paths = tuple((path, before if stamp(path, facts) == before else UNKNOWN) for path, before in sorted(stamped.items()))
    return FileInputs(input_hash=whole, paths=paths, looked_further=looked_further, fresh=fresh)


class Look:
    """One look at the inputs of many files: each path is looked at once."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._stamps: dict[str, str] = {}

    def stamp(self, path: str) -> str:
        found = self._stamps.get(path)
        if found is None:
            found = self._stamps[path] = stamp(path, self._facts)
        return found

    def renewed(self, inputs: FileInputs) -> FileInputs | None:
        """The inputs with today's stamps when their content is the same; None when the file is to be parsed again."""
        now = tuple((path, self.stamp(path)) for path, _ in inputs.paths)
        if now == inputs.paths:
            return inputs
        if input_hash((path for path, _ in now), self._facts) != inputs.input_hash:
            return None
        return FileInputs(
            input_hash=inputs.input_hash, paths=now, looked_further=inputs.looked_further, fresh=inputs.fresh
        )
