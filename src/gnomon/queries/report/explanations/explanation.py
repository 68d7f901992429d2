"""What an explanation consists of: conditions, and sentences. The sentences tell the conditions that are not met, and notes that are no condition."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from gnomon.model.sentences import Sentence, render
from gnomon.model.wait_conditions import WaitCondition


class ToldSentence(NamedTuple):
    """A sentence of an explanation."""

    sentence: Sentence
    is_condition: bool
    """True: one of the conditions says it."""


@dataclass(slots=True)
class Explanation:
    """Why something does not run, or how it ended."""

    conditions: list[WaitCondition] = field(default_factory=list)
    told: list[ToldSentence] = field(default_factory=list)

    def add(self, *conditions: WaitCondition) -> None:
        """Add conditions, and tell those that are not met."""
        self.conditions += conditions
        self.told += [ToldSentence(condition.told, True) for condition in conditions if not condition.is_met]

    def note(self, *sentences: Sentence) -> None:
        """Add sentences that are no condition."""
        self.told += [ToldSentence(sentence, False) for sentence in sentences]

    def tell(self, conditions: Iterable[WaitCondition]) -> None:
        """Tell conditions that belong to one that was added."""
        self.told += [ToldSentence(condition.told, True) for condition in conditions]

    def include(self, other: Explanation) -> None:
        """Add the conditions and the sentences of another."""
        self.conditions += other.conditions
        self.told += other.told

    @property
    def texts(self) -> list[str]:
        """The sentences in English."""
        return [render(entry.sentence) for entry in self.told]
