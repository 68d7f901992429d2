"""A batch of reports of one worker: each is checked and answered as a request with it alone would be, and all are stored in one transaction."""

from __future__ import annotations

import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from gnomon.api.common.errors import find_status
from gnomon.api.context import ApiContext
from gnomon.ground import log
from gnomon.model.errors import ResourceUnavailable
from gnomon.model.errors.product import GnomonError
from gnomon.model.execution_messages import (
    ClaimedAttempt,
    Report,
    ReportAnswer,
    ReportedClaim,
    ReportedEntry,
    ReportedResult,
)
from gnomon.queries.accounts.attempt_tokens import ATTEMPT, CLAIM, WORKER
from gnomon.queries.taskapi.report_batches import RecordedReports, record_reports
from gnomon.queries.taskapi.xcom_elements import read_elements

_log = log.get_logger("api")

TOKEN_LIFETIME_S = 600.0
"""How long a token of an attempt or a worker is valid; each heartbeat brings new ones."""
_decoder = msgspec.json.Decoder(Report)


@dataclass(frozen=True, slots=True)
class _CheckedReport:
    """A report that can be read and has a valid token."""

    number: int
    """Its place in the batch."""
    attempt_id: str
    report: Report


def answer_reports(
    context: ApiContext, worker_id: str, encoded: Sequence[bytes | msgspec.Raw]
) -> tuple[ReportAnswer, ...]:
    """The answers in the order of the reports. Raises ResourceUnavailable: nothing is stored."""
    answers: dict[int, ReportAnswer] = {}
    checked: list[_CheckedReport] = []
    seen_reports: set[tuple[type, str]] = set()
    for number, encoded_report in enumerate(encoded):
        checked_report = _check(context, worker_id, number, encoded_report)
        if isinstance(checked_report, ReportAnswer):
            answers[number] = checked_report
        elif (place := (type(checked_report.report), checked_report.attempt_id)) in seen_reports:
            answers[number] = ReportAnswer(
                status=409,
                detail=f"the batch has another report of this kind about attempt {checked_report.attempt_id}",
            )
        else:
            seen_reports.add(place)
            checked.append(checked_report)
    answers.update(_record(context, worker_id, checked))
    return tuple(answers[number] for number in range(len(encoded)))


def _check(
    context: ApiContext, worker_id: str, number: int, encoded: bytes | msgspec.Raw
) -> _CheckedReport | ReportAnswer:
    try:
        report = _decoder.decode(encoded)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return ReportAnswer(status=400, detail=f"the report cannot be read: {error}")
    use, of_token = (CLAIM, "") if isinstance(report, ReportedClaim) else (ATTEMPT, worker_id)
    attempt_id = report.result.attempt_id if isinstance(report, ReportedResult) else report.attempt_id
    if context.attempt_tokens.find_worker(report.token, use, attempt_id, context.clock.now()) != of_token:
        return ReportAnswer(status=401, detail=f"the report has no valid token for the attempt {attempt_id}")
    return _CheckedReport(number, attempt_id, report)


def _record(context: ApiContext, worker_id: str, checked: Sequence[_CheckedReport]) -> Mapping[int, ReportAnswer]:
    """Store the reports together or, when that fails, each by itself, so that one which cannot be stored does not hold the others."""
    if not checked:
        return {}
    try:
        return _record_together(context, worker_id, checked)
    except ResourceUnavailable:
        raise
    except Exception as error:
        if len(checked) > 1:
            return {
                number: answer for entry in checked for number, answer in _record(context, worker_id, [entry]).items()
            }
        status = find_status(error)
        if status == 500:
            _log.error(
                "report_failed",
                worker=worker_id,
                attempt=checked[0].attempt_id,
                traceback="".join(traceback.format_exception(error)),
            )
        detail = "an internal error; the log of the api-server has the details" if status == 500 else str(error)
        return {checked[0].number: ReportAnswer(status=status, detail=detail)}


def _record_together(
    context: ApiContext, worker_id: str, checked: Sequence[_CheckedReport]
) -> Mapping[int, ReportAnswer]:
    claims = [entry.attempt_id for entry in checked if isinstance(entry.report, ReportedClaim)]
    entries = {entry.attempt_id: entry.report.at for entry in checked if isinstance(entry.report, ReportedEntry)}
    results = {entry.attempt_id: entry.report.result for entry in checked if isinstance(entry.report, ReportedResult)}
    recorded = record_reports(context.database, worker_id, claims, entries, results, context.clock.now())
    worker_token = sign(context, WORKER, worker_id, worker_id) if recorded.claimed else ""
    return {entry.number: _answer(context, worker_id, worker_token, entry, recorded) for entry in checked}


def _answer(
    context: ApiContext, worker_id: str, worker_token: str, entry: _CheckedReport, recorded: RecordedReports
) -> ReportAnswer:
    if isinstance(entry.report, ReportedEntry):
        return ReportAnswer()
    if isinstance(entry.report, ReportedResult):
        if entry.attempt_id in recorded.ended:
            return ReportAnswer()
        if entry.attempt_id in recorded.foreign:
            return ReportAnswer(
                status=400, detail=f"the result names another task instance than that of attempt {entry.attempt_id}"
            )
        return ReportAnswer(status=409, detail=f"worker {worker_id} does not have attempt {entry.attempt_id}")
    if recorded.is_lost:
        return ReportAnswer(status=410, detail=f"worker {worker_id} was declared lost")
    attempt = recorded.claimed.get(entry.attempt_id)
    if attempt is None:
        return ReportAnswer(
            status=409, detail=f"attempt {entry.attempt_id} cannot be claimed: another worker has it, or it has ended"
        )
    try:
        elements = read_elements(context.database, attempt)
    except GnomonError as error:  # the claim is stored: the worker repeats it, and gets the attempt then
        return ReportAnswer(status=find_status(error), detail=str(error))
    return ReportAnswer(
        status=200,
        claimed=ClaimedAttempt(
            attempt=attempt,
            elements=elements,
            attempt_token=sign(context, ATTEMPT, entry.attempt_id, worker_id),
            worker_token=worker_token,
            dags_folder=str(context.cfg.dags_folder),
        ),
    )


def sign(context: ApiContext, use: str, subject: str, worker_id: str) -> str:
    """A token for an attempt or a worker."""
    return context.attempt_tokens.sign(use, subject, worker_id, context.clock.now(), TOKEN_LIFETIME_S)
