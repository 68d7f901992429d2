"""Responses to requests of author code: a value, a refusal, or an internal error that does not end the service."""

from __future__ import annotations

import logging

import pytest

from gnomon.author_code.processes.task_api_messages import TaskApiRequestMessage, TaskApiResponse, answer_request
from gnomon.ground import log
from gnomon.model.errors import GnomonError, ResourceUnavailable
from gnomon.model.task_api_requests import AnyTaskApiRequest, GetVariable

pytestmark = pytest.mark.pure

MESSAGE = TaskApiRequestMessage(number=7, request=GetVariable(key="k"))
_log = log.get_logger("answering")


def test_the_response_holds_the_value_of_the_handler() -> None:
    assert answer_request(lambda request: request.key, MESSAGE, log=_log) == TaskApiResponse(number=7, value="k")  # type: ignore[union-attr]


def test_a_refusal_is_the_error_of_the_response_and_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    def refuse(_request: AnyTaskApiRequest) -> object:
        raise GnomonError("no Variable here")

    response = answer_request(refuse, MESSAGE, log=_log)
    assert response == TaskApiResponse(number=7, error="no Variable here")
    assert not caplog.records
    with pytest.raises(LookupError, match="no Variable here"):
        response.unwrap(LookupError)


def test_an_internal_error_is_logged_and_its_text_stays_out_of_the_response(caplog: pytest.LogCaptureFixture) -> None:
    def fail(_request: AnyTaskApiRequest) -> object:
        raise KeyError("postgresql://user:secret@host")

    response = answer_request(fail, MESSAGE, log=_log)
    assert (
        response.error is not None and "GetVariable could not be answered: internal error (KeyError)" in response.error
    )
    assert "secret" not in response.error
    assert [record.levelno for record in caplog.records] == [logging.ERROR]


def test_an_error_that_the_caller_handles_is_raised() -> None:
    def fail(_request: AnyTaskApiRequest) -> object:
        raise ResourceUnavailable("the database is away")

    with pytest.raises(ResourceUnavailable):
        answer_request(fail, MESSAGE, log=_log, reraised=(ResourceUnavailable,))
