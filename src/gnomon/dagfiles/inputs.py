"""What a DAG file depended on: stamps that are cheap to compare, and a hash over the content that decides.

An input is a file, a folder listing (`/folder/`, with its slash), a variable of the environment (`env:NAME`) or a fact
of this installation (`gnomon:`). Equal stamps: unchanged. Other stamps: the content is hashed, and only another hash
means that the DAG file is parsed again.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version

from gnomon.config import Config, environment, without_secrets
from gnomon.model.spec import FileInputs

MISSING = "-"
"""The stamp of what is not there; a file that an author looked for and that appears later is a change."""
UNKNOWN = "?"
"""The stamp of an input that changed while it was read: equal to no stamp, so the content decides."""
HASHED_MAX = 64 * 1024 * 1024
"""Of a longer file the stamp stands in for the content."""
ENV = "env:"
INSTALLATION = "gnomon:"

StampOf = Callable[[str], str]
"""The stamp of an input that is not a path: of `env:NAME` and `gnomon:`."""


def stamp_of(path: str, facts: StampOf) -> str:
    """What changes whenever the input does: times, size and inode of a file or folder. Never raises."""
    if path.startswith((ENV, INSTALLATION)):
        return facts(path)
    try:
        seen = os.stat(path)
    except FileNotFoundError:
        return MISSING
    except (OSError, ValueError) as error:
        return f"!{getattr(error, 'errno', 0)}"
    return f"{seen.st_mtime_ns:x}.{seen.st_ctime_ns:x}.{seen.st_size:x}.{seen.st_ino:x}"


def content_hash(path: str, facts: StampOf) -> str:
    """The digest of what an author can read there. Never raises."""
    if path.startswith((ENV, INSTALLATION)):
        return facts(path)
    try:
        if path.endswith("/"):
            names = sorted(name for name in os.listdir(path) if name != "__pycache__")
            return hashlib.sha256("\0".join(names).encode(errors="surrogateescape")).hexdigest()
        with open(path, "rb") as opened:
            if os.fstat(opened.fileno()).st_size > HASHED_MAX:
                return stamp_of(path, facts)
            return hashlib.sha256(opened.read()).hexdigest()
    except FileNotFoundError:
        return MISSING
    except (OSError, ValueError) as error:
        return f"!{getattr(error, 'errno', 0)}"


def combined_hash(paths: Iterable[str], facts: StampOf) -> str:
    """One hash over the content of all inputs; the same in every process that sees the same content."""
    whole = hashlib.sha256()
    for path in sorted(set(paths)):
        whole.update(f"{path}\0{content_hash(path, facts)}\n".encode(errors="surrogateescape"))
    return whole.hexdigest()[:32]


def collect_inputs(
    stamped: dict[str, str], facts: StampOf, *, looked_further: bool, fresh: str | None, answers: str | None = None
) -> FileInputs:
    """The inputs of a parse that just ended. `stamped`: path to its stamp before it was read.

    `answers`: the digest of what the service answered to the file. Other answers are another hash, so that no process
    that imported the file with the old ones runs its tasks.
    """
    whole = combined_hash(stamped, facts)
    if answers is not None:
        whole = hashlib.sha256(f"{whole}\0{answers}".encode()).hexdigest()[:32]
    paths = tuple((path, before if stamp_of(path, facts) == before else UNKNOWN) for path, before in sorted(stamped.items()))
    return FileInputs(input_hash=whole, paths=paths, looked_further=looked_further, fresh=fresh)


class StampCache:
    """One look at the inputs of many files: each path is looked at once."""

    def __init__(self, facts: StampOf) -> None:
        self._facts = facts
        self._stamps: dict[str, str] = {}

    def stamp(self, path: str) -> str:
        found = self._stamps.get(path)
        if found is None:
            found = self._stamps[path] = stamp_of(path, self._facts)
        return found

    def renewed(self, inputs: FileInputs) -> FileInputs | None:
        """The inputs with today's stamps when their content is the same; None when the file is to be parsed again."""
        now = tuple((path, self.stamp(path)) for path, _ in inputs.paths)
        if now == inputs.paths:
            return inputs
        if combined_hash((path for path, _ in now), self._facts) != inputs.input_hash:
            return None
        return FileInputs(
            input_hash=inputs.input_hash, paths=now, looked_further=inputs.looked_further, fresh=inputs.fresh
        )


SHAPING_SECTIONS = ("core", "scheduler", "operators", "sensors", "workers")
"""Options of these sections are defaults of what an author writes."""
_PACKAGES = ("gnomon", "holidays", "exchange_calendars")
"""What days off are worked out with changes what a DAG file gives."""


class EnvironmentStamps:
    """Answers for `env:NAME` and `gnomon:`; the environment of a process and its options do not change while it lives."""

    def __init__(self, environ: Mapping[str, str], installation: str) -> None:
        self._environ = environ
        self._installation = installation

    def __call__(self, name: str) -> str:
        if name.startswith(ENV):
            value = self._environ.get(name[len(ENV) :])
            return MISSING if value is None else _digest(value)
        return self._installation


def create_environment_stamps(cfg: Config) -> EnvironmentStamps:
    """The facts of this process: another version of Gnomon, Python or a calendar's library, or another default, means parsing everything again."""
    options = [f"{section}.{name}={value}" for section in SHAPING_SECTIONS
               for name, value in sorted(cfg.for_author_code().section(section).items())]
    environ = without_secrets(environment(), cfg.database_url)
    return EnvironmentStamps(environ, _digest("\n".join([*map(_installed_release, _PACKAGES), sys.version, *options])))


def installation_input(facts: EnvironmentStamps) -> tuple[str, str]:
    """The input that every file has: this installation, with its stamp."""
    return INSTALLATION, facts(INSTALLATION)


def _installed_release(package: str) -> str:
    """The installed release of a package; `-` where it is not installed (Gnomon itself: run from its source)."""
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return f"{package} -"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()[:16]
