"""What author code may read and write, answered with the rights of one attempt, or of a file that is being parsed."""

from __future__ import annotations

from gnomon.taskapi.answers import answer_task, answer_trigger
from gnomon.taskapi.run_queries import TaskApiRefused

__all__ = ["TaskApiRefused", "answer_task", "answer_trigger"]
