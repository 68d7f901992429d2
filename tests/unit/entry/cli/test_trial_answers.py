"""`gnomon dags test --answer`: what is no answer to a task of the DAG is refused before anything runs."""

from __future__ import annotations

import click
import pytest
from tests.conformance.storeworld import spec

from gnomon.entry.cli.trial.trial_answers import AnswerType, check_answered_tasks
from gnomon.queries.report.listings.not_found import NameNotFound

pytestmark = pytest.mark.pure


def test_an_answer_to_a_task_that_the_dag_does_not_have_is_refused() -> None:
    check_answered_tasks(spec("release", ["approve", "version"]), {"approve": (("Approve",), {})})
    with pytest.raises(NameNotFound, match=r"there is no task 'aprove' in DAG 'release'; did you mean 'approve'\?"):
        check_answered_tasks(spec("release", ["approve", "version"]), {"aprove": (("Approve",), {})})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("approve", "'approve' is not TASK=OPTION"),
        ('version={"paramz": {}}', "has 'paramz'; an answer has only 'options' and 'params'"),
        ("version={bad", 'is not {"options": [...], "params": {...}}'),
    ],
)
def test_what_is_no_answer_is_refused_with_the_form(text: str, said: str) -> None:
    with pytest.raises(click.UsageError) as raised:
        AnswerType().convert(text, None, None)
    assert said in raised.value.message


def test_an_answer_is_an_option_or_options_and_params() -> None:
    assert AnswerType().convert("approve=Reject", None, None) == ("approve", (("Reject",), {}))
    assert AnswerType().convert('v={"params": {"n": 1}}', None, None) == ("v", ((), {"n": 1}))
