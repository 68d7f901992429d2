"""Calls a notifier of an author or a provider package in a process of its own: neither the monitor nor the api-server runs author code."""

from __future__ import annotations

import select

from gnomon.author_code.processes.host_process import HostProcess, build_host_environment
from gnomon.author_code.processes.task_api_messages import TaskApiRequestMessage, TaskApiResponse, answer_request
from gnomon.changes.alert_channels.messages import build_text, build_title, word
from gnomon.changes.alert_channels.notifier_protocol import FromNotifier, NotifierRequest, NotifierResult
from gnomon.changes.alert_channels.webhook_post import DeliveryFailed
from gnomon.ground import log
from gnomon.ground.clock import Clock
from gnomon.ground.config import Config
from gnomon.ground.config.alert_channels import AlertChannel
from gnomon.model.alerts import DeliveryRecord
from gnomon.model.ids import UNMAPPED
from gnomon.model.instants import iso
from gnomon.model.languages.language import Language
from gnomon.model.sentences import quote, render, say
from gnomon.queries.taskapi import answer_task
from gnomon.storage.store import Database

MODULE = "gnomon.changes.alert_channels.notifier_main"
START_S = 30.0
"""Time for the start of the process and the import of the class, beside the `timeout` of the channel."""
_OUTPUT_SHOWN = 500
_log = log.get_logger("monitor.notifier")


class NotifierCalls:
    """Starts one process for each message. Threads may call it at the same time."""

    def __init__(self, cfg: Config, db: Database, clock: Clock) -> None:
        self._cfg = cfg
        self._db = db
        self._clock = clock

    def call(self, channel: AlertChannel, delivery: DeliveryRecord, language: Language | None) -> None:
        """Call the notifier with the message. Raises DeliveryFailed."""
        try:
            process: HostProcess[FromNotifier] = HostProcess(
                MODULE, build_host_environment(self._cfg, {}), FromNotifier, captures_output=True
            )
        except OSError as error:
            raise DeliveryFailed(say("notifier_has_no_process", error=str(error))) from None
        result = None
        try:
            process.send(
                NotifierRequest(
                    class_path=channel.class_path,
                    arguments=dict(channel.arguments),
                    context=build_context(delivery, language),
                    timeout_s=channel.timeout_s,
                )
            )
            result = self._serve(process, channel)
        finally:
            ended = process.kill_and_collect()
        if result is None:
            shown = " ".join(ended.output[-_OUTPUT_SHOWN:].split())
            raise DeliveryFailed(
                say(
                    "notifier_process_ended",
                    class_path=channel.class_path,
                    number=str(ended.code),
                    why=say("because", why=quote(shown)) if shown else None,
                )
            )
        if result.error is not None:
            raise DeliveryFailed(
                say("notifier_failed", class_path=channel.class_path, error=result.error), is_final=result.is_final
            )

    def _serve(self, process: HostProcess[FromNotifier], channel: AlertChannel) -> NotifierResult | None:
        """Answer the requests of the process until it reports the result; None when it ended first."""
        until = self._clock.monotonic() + START_S + channel.timeout_s
        while (remaining_s := until - self._clock.monotonic()) > 0:
            is_flushed = process.flush()
            select.select([process], [] if is_flushed else [process], [], remaining_s)
            for message in process.stream.receive():
                if isinstance(message, NotifierResult):
                    return message
                process.send(self._answer(message))
            if process.stream.ended:
                return None
        return NotifierResult(error=render(say("notifier_did_not_return", duration=channel.timeout_s)))

    def _answer(self, message: TaskApiRequestMessage) -> TaskApiResponse:
        return answer_request(lambda request: answer_task(self._db, None, request), message, log=_log)


def build_context(delivery: DeliveryRecord, language: Language | None) -> dict[str, object]:
    """The context of the notifier, which its template fields can use; docs/how-to/alerts.md lists the names."""
    alerts = [
        {
            "kind": item.kind,
            "rule": item.rule,
            "at": iso(item.at),
            "sentence": word(item.message, language),
            "is_resolved": item.is_resolved,
            "dag_id": item.dag_id,
            "run_id": item.run_id,
            "task_id": item.task_id,
            "map_index": None if item.map_index == UNMAPPED else item.map_index,
            "explanation": [word(reason, language) for reason in item.reasons],
            "command": item.command,
            "link": item.link,
        }
        for item in delivery.body.items
    ]
    first = alerts[0]
    return {
        "title": build_title(delivery.body, language),
        "text": build_text(delivery.body, language),
        "alerts": alerts,
        "alert_count": delivery.body.count,
        "alert_id": delivery.uid,
        "dag_id": first["dag_id"],
        "run_id": first["run_id"],
        "task_id": first["task_id"],
        "reason": first["sentence"],
    }
