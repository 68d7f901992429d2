"""A sentence for users: its code in the catalogue, and its arguments."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TypeAlias, Union

from gnomon.model.ids import UNMAPPED, quote_arguments
from gnomon.model.sentences.templates import find_template


@dataclass(frozen=True, slots=True)
class RunName:
    """A run as a sentence names it: by its id."""

    dag_id: str
    run_id: str

    def __str__(self) -> str:
        return self.run_id


@dataclass(frozen=True, slots=True)
class TaskName:
    """A task instance as a sentence names it: `task`, or `task[3]`."""

    dag_id: str
    run_id: str
    task_id: str
    map_index: int = UNMAPPED

    def __str__(self) -> str:
        return self.task_id if self.map_index == UNMAPPED else f"{self.task_id}[{self.map_index}]"


@dataclass(frozen=True, slots=True)
class Command:
    """A command of Gnomon that a sentence gives as the remedy; as text it can be given to a shell."""

    verb: str
    """The words after `gnomon`, such as `dags unpause`."""
    names: tuple[str, ...] = ()
    """Ids and names, not quoted."""
    options: tuple[str, ...] = ()
    """Options and their values, not quoted."""

    def __str__(self) -> str:
        arguments = quote_arguments(*self.names, options=" ".join(map(shlex.quote, self.options)))
        return f"gnomon {self.verb} {arguments}".rstrip()


@dataclass(frozen=True, slots=True)
class CronText:
    """A cron expression as a sentence names it: by its words."""

    expression: str
    words: str

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True, slots=True)
class Sentence:
    """A code of the catalogue with its arguments, in the order in which the words name them. Made by `say`."""

    code: str
    arguments: tuple[tuple[str, ArgumentValue], ...] = ()


ArgumentValue: TypeAlias = Union[str, float, RunName, TaskName, Command, CronText, Sentence, tuple[Sentence, ...], None]
"""An argument of the kind that `templates.ARGUMENTS` gives its name. An int is a count or an instant."""


def say(code: str, **arguments: ArgumentValue) -> Sentence:
    """The sentence with this code. Raises KeyError for an unknown code, and TypeError if the arguments are not those that its words name."""
    names = find_template(code).names
    if arguments.keys() != set(names):
        raise TypeError(f"the sentence {code} has the arguments {', '.join(names)}, not {', '.join(arguments)}")
    return Sentence(code, tuple((name, arguments[name]) for name in names))


def quote(text: str) -> Sentence:
    """A text that is stored as such, or written by a user or an author, as a sentence."""
    return Sentence("text", (("text", text),))
