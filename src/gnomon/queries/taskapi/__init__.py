"""The task API: requests of author code, answered from the store with the rights of an attempt, a trigger, or a DAG file.

Open `answers.py` first: the table from request to answer, and who may make which request. `run_queries.py` reads runs,
states and XComs; `run_creation.py` creates runs. `execution.py` is what workers without a database ask.
"""

from __future__ import annotations

from gnomon.queries.taskapi.answers import answer_task, answer_trigger
from gnomon.queries.taskapi.result_mail import build_result_mail
from gnomon.queries.taskapi.run_queries import TaskApiRefused
from gnomon.queries.taskapi.xcom_elements import read_elements

__all__ = ["TaskApiRefused", "answer_task", "answer_trigger", "build_result_mail", "read_elements"]
