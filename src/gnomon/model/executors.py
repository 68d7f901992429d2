"""The executors that `[core] executor` names, and which of them a name means. The first is that of every task without `executor=`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

LOCAL_EXECUTOR = "LocalExecutor"
CELERY_EXECUTOR = "CeleryExecutor"
KUBERNETES_EXECUTOR = "KubernetesExecutor"
EXECUTOR_CLASSES = {
    LOCAL_EXECUTOR: "airflow.executors.local_executor.LocalExecutor",
    CELERY_EXECUTOR: "airflow.providers.celery.executors.celery_executor.CeleryExecutor",
    KUBERNETES_EXECUTOR: "airflow.providers.cncf.kubernetes.executors.kubernetes_executor.KubernetesExecutor",
}
"""The executors of Gnomon, by their short name: the path of the class in Airflow. To the engine, each but the LocalExecutor is one worker
with that short name as its id.
"""
SLOTS_UNBOUND = 1024
"""Slots when `[core] parallelism` is 0, which means no bound."""
WORKER_TTL_S = 20.0
"""Schedulers declare a worker lost that sent no heartbeat for this time. A worker with neither store nor scheduler gives up after half of it."""
_ALIAS = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")


@dataclass(frozen=True, slots=True)
class ConfiguredExecutor:
    """One executor of the configuration."""

    name: str
    """Its short name, a key of EXECUTOR_CLASSES."""
    alias: str | None = None

    @property
    def names(self) -> Iterator[str]:
        """What `executor=` of a task may be: the alias, the short name, the path of the class."""
        yield from (*([] if self.alias is None else [self.alias]), self.name, EXECUTOR_CLASSES[self.name])

    def __str__(self) -> str:
        return self.name if self.alias is None else f"{self.alias} ({self.name})"


@dataclass(frozen=True, slots=True)
class ConfiguredExecutors:
    """All executors of the configuration, in its order."""

    executors: tuple[ConfiguredExecutor, ...]

    @property
    def default(self) -> str:
        """The short name of the first."""
        return self.executors[0].name

    def is_a_choice(self, name: str | None) -> bool:
        """Whether the executor matters for a task that names this one: with a single executor, a task that names none has all workers there are."""
        return name is not None or len(self.executors) > 1

    def find(self, name: str | None) -> str | None:
        """The short name of the executor that a task names; None: no configured executor has that name."""
        if name is None:
            return self.default
        return next((executor.name for executor in self.executors if name in executor.names), None)

    def __contains__(self, name: str) -> bool:
        """Whether the executor with this short name is configured."""
        return any(executor.name == name for executor in self.executors)

    def __str__(self) -> str:
        return ", ".join(map(str, self.executors))

    def describe_unknown(self, name: str) -> str:
        """That this name is none of theirs, with the remedy; a clause without a subject."""
        from gnomon.model.sentences import render, say  # commands that read the configuration have no sentence

        count = len(self.executors)
        return render(say("executor_is_not_configured", name=name, executor=str(self), count=count))


def parse_executors(text: str) -> ConfiguredExecutors:
    """The value of `[core] executor`: names with commas between them, each a short name, a path, or `alias:path`. Raises ValueError."""
    executors: list[ConfiguredExecutor] = []
    for entry in (part.strip() for part in text.split(",")):
        if not entry:
            raise ValueError(
                "it has an empty name; write names with commas between them, such as LocalExecutor,CeleryExecutor"
            )
        executor = _parse_entry(entry)
        if any(executor.name == other.name for other in executors):
            raise ValueError(f"it names the {executor.name} twice; name each executor once")
        if executor.alias is not None and any(executor.alias in other.names for other in executors):
            raise ValueError(f"two executors have the name {executor.alias}; give each alias another name")
        executors.append(executor)
    return ConfiguredExecutors(tuple(executors))


def _parse_entry(entry: str) -> ConfiguredExecutor:
    if entry.startswith(":") or ";" in entry or "=" in entry or entry.count(":") > 1:
        raise ValueError(f"{entry!r} is for a team, and Gnomon has no teams; write the executor without a team")
    alias, separator, path = entry.rpartition(":")
    alias, path = alias.strip(), path.strip()
    by_path = {name.lower(): short for short, module in EXECUTOR_CLASSES.items() for name in (short, module)}
    short = by_path.get(path.lower())
    if short is None:
        raise ValueError(f"{path!r} is no executor of Gnomon; write one or several of: {', '.join(EXECUTOR_CLASSES)}")
    if not separator:
        return ConfiguredExecutor(short)
    if not _ALIAS.fullmatch(alias) or by_path.get(alias.lower(), short) != short:
        raise ValueError(
            f"{alias!r} cannot be the alias of an executor; write a name of letters and digits that is not the name of another executor"
        )
    return ConfiguredExecutor(short, alias)
