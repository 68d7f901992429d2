"""What a message about alerts says: its title, its text, JSON for webhooks, JSON for Slack, HTML for mail."""

from __future__ import annotations

import html
import json
from collections import Counter

from gnomon.model.alerts import AlertItem, AlertKind, DeliveryBody, DeliveryRecord
from gnomon.model.ids import UNMAPPED
from gnomon.model.instants import iso

TITLE_MAX = 160
SLACK_TEXT_MAX = 2900
"""Slack refuses a block with more than 3000 characters."""
SLACK_ITEMS_MAX = 10
"""Alerts with a block of their own in one Slack message."""
VERSION = 1
"""The version of the JSON of webhooks."""


def build_title(body: DeliveryBody) -> str:
    """One line: the sentence of a single alert, or what the alerts have in common."""
    if body.count == 1:
        item = body.items[0]
        return _shorten(f"{'resolved: ' if item.is_resolved else ''}{item.sentence}")
    dags = list(dict.fromkeys(item.dag_id for item in body.items if item.dag_id is not None))
    of = f" of DAG {dags[0]}" if len(dags) == 1 else f" of {len(dags)} DAGs" if dags else ""
    kinds = Counter("resolved" if item.is_resolved else item.kind for item in body.items)
    parts = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    more = body.count - len(body.items)
    reason = f": {body.reason}" if body.reason else ""
    return _shorten(f"{body.count} alerts{of} ({parts}{f', {more} more' if more else ''}){reason}")


def build_text(body: DeliveryBody) -> str:
    """Plain text: each alert with its explanation, command and link."""
    blocks = ["\n".join(_item_lines(item)) for item in body.items]
    if body.count > len(body.items):
        blocks.append(f"and {body.count - len(body.items)} more; gnomon alerts list shows them")
    return "\n\n".join(blocks)


def build_html(body: DeliveryBody) -> str:
    """The content of a mail."""
    parts = [f"<p>{html.escape(build_title(body))}</p>"] if body.count > 1 else []
    for item in body.items:
        state = "<b>resolved</b>: " if item.is_resolved else ""
        lines = [f"<p>{state}{html.escape(item.sentence)}</p>"]
        if item.explanation:
            lines.append("<ul>" + "".join(f"<li>{html.escape(line)}</li>" for line in item.explanation) + "</ul>")
        if item.command:
            lines.append(f"<p><code>{html.escape(item.command)}</code></p>")
        if item.link:
            lines.append(f'<p><a href="{html.escape(item.link)}">{html.escape(item.link)}</a></p>')
        parts.append("\n".join(lines))
    if body.count > len(body.items):
        parts.append(f"<p>and {body.count - len(body.items)} more; <code>gnomon alerts list</code> shows them</p>")
    return "\n".join(parts)


def build_webhook_json(delivery: DeliveryRecord) -> bytes:
    """The JSON that a webhook gets; docs/how-to/alerts.md describes the fields."""
    body = delivery.body
    document = {
        "version": VERSION,
        "id": delivery.uid,
        "channel": delivery.channel,
        "group": delivery.group_key,
        "status": "resolved" if all(item.is_resolved for item in body.items) else "firing",
        "title": build_title(body),
        "text": build_text(body),
        "count": body.count,
        "alerts": [_item_json(item) for item in body.items],
    }
    return json.dumps(document, ensure_ascii=False).encode()


def build_slack_json(delivery: DeliveryRecord) -> bytes:
    """The JSON of an incoming webhook of Slack, which Mattermost and others take too."""
    body = delivery.body
    shown = body.items[:SLACK_ITEMS_MAX]
    blocks: list[dict[str, object]] = [
        {"type": "section", "text": {"type": "mrkdwn", "text": _slack_text(item)}} for item in shown
    ]
    if body.count > len(shown):
        blocks.append(
            {"type": "context", "elements": [{"type": "mrkdwn", "text": f"and {body.count - len(shown)} more"}]}
        )
    return json.dumps({"text": _escape_slack(build_title(body)), "blocks": blocks}, ensure_ascii=False).encode()


def _item_lines(item: AlertItem) -> list[str]:
    lines = [
        f"{'resolved: ' if item.is_resolved else ''}{item.sentence}",
        f"at {iso(item.at)}, rule {item.rule}{_describe_streak(item)}",
    ]
    lines += [f"- {sentence}" for sentence in item.explanation]
    return [*lines, *(text for text in (item.command, item.link) if text)]


def _describe_streak(item: AlertItem) -> str:
    return (
        f"; failed run {item.failed_runs} of the DAG since its last success"
        if item.failed_runs > 1 and not item.is_resolved
        else ""
    )


def _item_json(item: AlertItem) -> dict[str, object]:
    return {
        "kind": item.kind,
        "rule": item.rule,
        "status": "resolved" if item.is_resolved else "firing",
        "at": iso(item.at),
        "sentence": item.sentence,
        "explanation": list(item.explanation),
        "dag_id": item.dag_id,
        "run_id": item.run_id,
        "task_id": item.task_id,
        "map_index": None if item.map_index == UNMAPPED else item.map_index,
        "failed_runs": item.failed_runs if item.kind == AlertKind.FAILURE else None,
        "command": item.command,
        "link": item.link,
    }


def _slack_text(item: AlertItem) -> str:
    head = f"{'*resolved* ' if item.is_resolved else ''}{_escape_slack(item.sentence)}"
    lines = [head, *(f"• {_escape_slack(line)}" for line in item.explanation)]
    if item.command:
        lines.append(f"`{_escape_slack(item.command).replace('`', chr(39))}`")
    if item.link:
        lines.append(f"<{item.link}|open>")
    text = "\n".join(lines)
    return text if len(text) <= SLACK_TEXT_MAX else text[:SLACK_TEXT_MAX] + "…"


def _escape_slack(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= TITLE_MAX else line[: TITLE_MAX - 1] + "…"
