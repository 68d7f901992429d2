"""What author code may read and write, answered with the rights of one attempt, or of a file that is being parsed."""

from __future__ import annotations

from gnomon.taskapi.answers import answer, answer_trigger
from gnomon.taskapi.refused import Refused

__all__ = ["Refused", "answer", "answer_trigger"]
