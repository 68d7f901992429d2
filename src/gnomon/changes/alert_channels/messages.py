"""What a message about alerts says in the language of its channel: its title, its text, JSON for webhooks, JSON for Slack, HTML for mail."""

from __future__ import annotations

import html
import json
from collections import Counter

from gnomon.model.alerts import AlertItem, AlertKind, DeliveryBody, DeliveryRecord
from gnomon.model.ids import UNMAPPED
from gnomon.model.instants import iso
from gnomon.model.languages.language import Language
from gnomon.model.languages.translation import list_spans_in, render_in
from gnomon.model.languages.word_forms import put_terms
from gnomon.model.sentences import ArgumentKind, Command, Sentence, list_spans, quote, render, say

TITLE_MAX = 160
SLACK_TEXT_MAX = 2900
"""Slack refuses a block with more than 3000 characters."""
SLACK_ITEMS_MAX = 10
"""Alerts with a block of their own in one Slack message."""
VERSION = 1
"""The version of the JSON of webhooks."""
RESOLVED = "resolved"


def describe_title(body: DeliveryBody) -> Sentence:
    """The sentence of a single alert, or what the alerts have in common."""
    if body.count == 1:
        item = body.items[0]
        return say("alert_is_resolved", message=item.message) if item.is_resolved else item.message
    dags = list(dict.fromkeys(item.dag_id for item in body.items if item.dag_id is not None))
    kinds = Counter(RESOLVED if item.is_resolved else item.kind for item in body.items)
    more = body.count - len(body.items)
    return say(
        "alerts_of_message",
        total=body.count,
        where=say("alerts_of_one_dag", dag=dags[0])
        if len(dags) == 1
        else say("alerts_of_dags", number=len(dags))
        if dags
        else None,
        counts=", ".join(f"{count} {kind}" for kind, count in kinds.items()),
        more=say("alerts_are_not_counted_by_kind", number=more) if more else None,
        why=say("because", why=quote(body.reason)) if body.reason else None,
    )


def build_title(body: DeliveryBody, language: Language | None) -> str:
    """One line. `language`: None for English, also below."""
    return _shorten(word(describe_title(body), language))


def build_text(body: DeliveryBody, language: Language | None) -> str:
    """Plain text: each alert with its explanation, command and link."""
    blocks = ["\n".join(_list_lines(item, language)) for item in body.items]
    if body.count > len(body.items):
        blocks.append(word(_describe_more(body), language))
    return "\n\n".join(blocks)


def build_html(body: DeliveryBody, language: Language | None) -> str:
    """The content of a mail."""
    parts = [f"<p>{html.escape(build_title(body, language))}</p>"] if body.count > 1 else []
    because = ": " if language is None else html.escape(language.joints.get("because", ": "))
    for item in body.items:
        state = f"<b>{html.escape(word_term(RESOLVED, language))}</b>{because}" if item.is_resolved else ""
        lines = [f"<p>{state}{_write_html(item.message, language)}</p>"]
        if item.explanation:
            reasons = (f"<li>{_write_html(reason, language)}</li>" for reason in item.reasons)
            lines.append(f"<ul>{''.join(reasons)}</ul>")
        if item.command:
            lines.append(f"<p><code>{html.escape(item.command)}</code></p>")
        if item.link:
            lines.append(f'<p><a href="{html.escape(item.link)}">{html.escape(item.link)}</a></p>')
        parts.append("\n".join(lines))
    if body.count > len(body.items):
        parts.append(f"<p>{_write_html(_describe_more(body), language)}</p>")
    return "\n".join(parts)


def build_webhook_json(delivery: DeliveryRecord, language: Language | None) -> bytes:
    """The JSON that a webhook gets; docs/how-to/alerts.md describes the fields."""
    body = delivery.body
    document = {
        "version": VERSION,
        "id": delivery.uid,
        "channel": delivery.channel,
        "group": delivery.group_key,
        "status": "resolved" if all(item.is_resolved for item in body.items) else "firing",
        "title": build_title(body, language),
        "text": build_text(body, language),
        "count": body.count,
        "alerts": [_build_item(item, language) for item in body.items],
    }
    return json.dumps(document, ensure_ascii=False).encode()


def build_slack_json(delivery: DeliveryRecord, language: Language | None) -> bytes:
    """The JSON of an incoming webhook of Slack, which Mattermost and others take too."""
    body = delivery.body
    shown = body.items[:SLACK_ITEMS_MAX]
    blocks: list[dict[str, object]] = [
        {"type": "section", "text": {"type": "mrkdwn", "text": _build_slack_text(item, language)}} for item in shown
    ]
    if body.count > len(shown):
        more = word(say("more_alerts", number=body.count - len(shown)), language)
        blocks.append({"type": "context", "elements": [{"type": "mrkdwn", "text": more}]})
    document = {"text": _escape_slack(build_title(body, language)), "blocks": blocks}
    return json.dumps(document, ensure_ascii=False).encode()


def word(sentence: Sentence, language: Language | None) -> str:
    """The sentence in the language."""
    return render(sentence) if language is None else render_in(sentence, language)


def word_term(term: str, language: Language | None) -> str:
    """A word of `catalogue.TERMS` in the language."""
    return term if language is None else put_terms(term, language)


def _describe_more(body: DeliveryBody) -> Sentence:
    return say("more_alerts_are_listed", number=body.count - len(body.items), command=Command("alerts list"))


def _list_lines(item: AlertItem, language: Language | None) -> list[str]:
    message = say("alert_is_resolved", message=item.message) if item.is_resolved else item.message
    is_streak = item.failed_runs > 1 and not item.is_resolved
    again = say("failed_run_of_streak", number=item.failed_runs) if is_streak else None
    lines = [
        word(message, language),
        word(say("alert_of_rule", at=item.at, rule_name=item.rule, again=again), language),
    ]
    lines += [f"- {word(reason, language)}" for reason in item.reasons]
    return [*lines, *(text for text in (item.command, item.link) if text)]


def _build_item(item: AlertItem, language: Language | None) -> dict[str, object]:
    return {
        "kind": item.kind,
        "rule": item.rule,
        "status": "resolved" if item.is_resolved else "firing",
        "at": iso(item.at),
        "sentence": word(item.message, language),
        "explanation": [word(reason, language) for reason in item.reasons],
        "dag_id": item.dag_id,
        "run_id": item.run_id,
        "task_id": item.task_id,
        "map_index": None if item.map_index == UNMAPPED else item.map_index,
        "failed_runs": item.failed_runs if item.kind == AlertKind.FAILURE else None,
        "command": item.command,
        "link": item.link,
    }


def _write_html(sentence: Sentence, language: Language | None) -> str:
    spans = list_spans(sentence) if language is None else list_spans_in(sentence, language)
    return "".join(
        f"<code>{html.escape(span.text)}</code>" if span.kind is ArgumentKind.COMMAND else html.escape(span.text)
        for span in spans
    )


def _build_slack_text(item: AlertItem, language: Language | None) -> str:
    state = f"*{_escape_slack(word_term(RESOLVED, language))}* " if item.is_resolved else ""
    lines = [
        f"{state}{_escape_slack(word(item.message, language))}",
        *(f"• {_escape_slack(word(reason, language))}" for reason in item.reasons),
    ]
    if item.command:
        lines.append(f"`{_escape_slack(item.command).replace('`', chr(39))}`")
    if item.link:
        lines.append(f"<{item.link}|{word(say('open_page'), language)}>")
    text = "\n".join(lines)
    return text if len(text) <= SLACK_TEXT_MAX else text[:SLACK_TEXT_MAX] + "…"


def _escape_slack(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= TITLE_MAX else line[: TITLE_MAX - 1] + "…"
