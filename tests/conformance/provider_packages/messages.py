"""Services that take messages: local servers that answer as their APIs document, in the place of each."""

from __future__ import annotations

import asyncio
from urllib.parse import parse_qs

from fake_http import fake_api
from use_case import connect, run_tasks, use


@use("slack", "SlackAPIPostOperator and SlackNotifier, on an API of Slack")
def slack() -> None:
    from airflow.providers.slack.notifications.slack import SlackNotifier
    from airflow.providers.slack.operators.slack import SlackAPIPostOperator

    with fake_api({"POST /api/chat.postMessage": {"ok": True, "channel": "C1", "ts": "1.2", "message": {}}}) as api:
        connect("slack_use", "slack", password="xoxb-1", extra={"base_url": f"{api.url}/api/"})

        def make() -> None:
            SlackAPIPostOperator(
                task_id="posted",
                slack_conn_id="slack_use",
                channel="#general",
                text="run of {{ dag.dag_id }}",
                username="u",
                on_success_callback=SlackNotifier(
                    slack_conn_id="slack_use", channel="#done", text="{{ ti.task_id }} is done"
                ),
            )

        run_tasks(make)
        first, second = (
            parse_qs(request.body.decode()) if b"=" in request.body[:40] else request.json() for request in api.requests
        )
    assert "run of use" in str(first) and "posted is done" in str(second)


@use("dingding", "DingdingOperator, on an API of DingTalk")
def dingding() -> None:
    from airflow.providers.dingding.operators.dingding import DingdingOperator

    with fake_api({"POST /robot/send": {"errcode": 0, "errmsg": "ok"}}) as api:
        connect("dingding_use", "dingding", host=api.url, password="token")

        def make() -> None:
            DingdingOperator(
                task_id="told", dingding_conn_id="dingding_use", message_type="text", message="of {{ dag.dag_id }}"
            )

        run_tasks(make)
        (request,) = api.requests
    assert request.query == "access_token=token" and request.json()["text"] == {"content": "of use"}


@use("discord", "DiscordWebhookOperator, on an API of Discord")
def discord() -> None:
    from airflow.providers.discord.operators.discord_webhook import DiscordWebhookOperator

    with fake_api({"POST /webhooks/1/abc": (204, "")}) as api:
        connect("discord_use", "http", host=api.url, extra={"webhook_endpoint": "webhooks/1/abc"})

        def make() -> None:
            DiscordWebhookOperator(task_id="told", http_conn_id="discord_use", message="of {{ dag.dag_id }}")

        run_tasks(make)
        (request,) = api.requests
    assert request.json()["content"] == "of use"


@use("telegram", "TelegramHook, on an API of Telegram")
def telegram() -> None:
    from airflow.providers.telegram.hooks.telegram import TelegramHook
    from telegram import Bot

    message = {
        "ok": True,
        "result": {"message_id": 1, "date": 1, "chat": {"id": 5, "type": "private"}, "text": "hello"},
    }
    with fake_api(
        {
            "POST /bot1:a/sendMessage": message,
            "POST /bot1:a/getMe": {"ok": True, "result": {"id": 1, "is_bot": True, "first_name": "b"}},
        }
    ) as api:
        connect("telegram_use", "telegram", password="1:a", host="5")
        hook = TelegramHook(telegram_conn_id="telegram_use")
        hook.connection = Bot("1:a", base_url=f"{api.url}/bot")
        hook.send_message({"text": "hello"})
        sent = parse_qs(api.requests[-1].body.decode())
    assert sent["chat_id"] == ["5"] and sent["text"] == ["hello"]


@use("opsgenie", "OpsgenieCreateAlertOperator, on an API of Opsgenie")
def opsgenie() -> None:
    from airflow.providers.opsgenie.operators.opsgenie import OpsgenieCreateAlertOperator

    with fake_api(
        {"POST /v2/alerts": (202, {"result": "Request will be processed", "took": 0.1, "requestId": "r"})}
    ) as api:
        connect("opsgenie_use", "opsgenie", host=api.url, password="key")

        def make() -> None:
            OpsgenieCreateAlertOperator(task_id="told", opsgenie_conn_id="opsgenie_use", message="of {{ dag.dag_id }}")

        run_tasks(make)
        (request,) = api.requests
    assert request.json()["message"] == "of use" and request.headers["Authorization"] == "GenieKey key"


@use("pagerduty", "PagerdutyEventsAsyncHook, on an API of PagerDuty")
def pagerduty() -> None:
    from airflow.providers.pagerduty.hooks.pagerduty_events import PagerdutyEventsAsyncHook

    with fake_api({"POST /v2/enqueue": (202, {"status": "success", "dedup_key": "d"})}) as api:
        connect("pagerduty_use", "pagerduty_events", password="key")
        hook = PagerdutyEventsAsyncHook(pagerduty_events_conn_id="pagerduty_use")
        hook.base_url = api.url
        assert asyncio.run(hook.send_event(summary="of use", severity="info")) == "d"
        (request,) = api.requests
    assert request.json()["routing_key"] == "key" and request.json()["payload"]["summary"] == "of use"


@use("apprise", "AppriseNotifier, on an HTTP server")
def apprise() -> None:
    from airflow.providers.apprise.notifications.apprise import AppriseNotifier
    from airflow.providers.standard.operators.empty import EmptyOperator

    with fake_api({"POST /hook": {}}) as api:
        connect(
            "apprise_use", "apprise", extra={"config": [{"path": f"json://127.0.0.1:{api.port}/hook", "tag": "ops"}]}
        )

        def make() -> None:
            notifier = AppriseNotifier(
                title="end", body="{{ ti.task_id }} of {{ dag.dag_id }}", apprise_conn_id="apprise_use", tag="ops"
            )
            EmptyOperator(task_id="done", on_success_callback=notifier)

        run_tasks(make)
        (request,) = api.requests
    assert request.json()["message"] == "done of use"


@use("openai", "OpenAIEmbeddingOperator, on an API of OpenAI")
def openai() -> None:
    from airflow.providers.openai.operators.openai import OpenAIEmbeddingOperator

    answer = {
        "object": "list",
        "model": "m",
        "data": [{"object": "embedding", "index": 0, "embedding": [0.5, 1.0]}],
        "usage": {"prompt_tokens": 1, "total_tokens": 1},
    }
    with fake_api({"POST /v1/embeddings": answer}) as api:
        connect("openai_use", "openai", password="key", host=f"{api.url}/v1")

        def make() -> None:
            OpenAIEmbeddingOperator(
                task_id="embedded", conn_id="openai_use", input_text="of {{ dag.dag_id }}", model="m"
            )

        assert run_tasks(make)["embedded"] == [0.5, 1.0]
        (request,) = api.requests
    assert request.json()["input"] == "of use"


@use("http", "HttpOperator, HttpSensor and HttpAsyncHook, on an HTTP server")
def http() -> None:
    import aiohttp
    from airflow.providers.http.hooks.http import HttpAsyncHook
    from airflow.providers.http.operators.http import HttpOperator
    from airflow.providers.http.sensors.http import HttpSensor

    looks: list[int] = []

    def look(_: object) -> object:
        looks.append(1)
        return {"n": 1} if len(looks) > 2 else (404, {})

    with fake_api({"GET /late": look, "POST /echo": lambda request: request.json()}) as api:
        connect("http_use", "http", host=api.url)

        def make() -> None:
            waited = HttpSensor(task_id="waited", http_conn_id="http_use", endpoint="late", poke_interval=0.1)
            waited >> HttpOperator(
                task_id="posted",
                http_conn_id="http_use",
                endpoint="echo",
                data='{"of": "{{ dag.dag_id }}"}',
                response_filter=lambda answer: answer.json(),
            )

        assert run_tasks(make)["posted"] == {"of": "use"}

        async def ask() -> object:
            async with aiohttp.ClientSession() as session:
                answer = await HttpAsyncHook(method="GET", http_conn_id="http_use").run(
                    session=session, endpoint="late"
                )
                return await answer.json()

        assert asyncio.run(ask()) == {"n": 1}
