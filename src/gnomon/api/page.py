"""Renders the health page as HTML: problems, services and counts. It needs no script."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape

from gnomon.api.common.accepted_language import find_language
from gnomon.api.health import ComponentHealth, HealthSnapshot, WorkCounts
from gnomon.api.health_words import WORDS
from gnomon.ground.config.language_files import find_language as find_texts
from gnomon.model.instants import SECOND, to_datetime
from gnomon.model.languages.language import Language
from gnomon.model.languages.translation import render_in, translate
from gnomon.model.sentences import Sentence, render

REFRESH_S = 5
STYLE = """
:root{color-scheme:light dark;--ink:#1d2330;--soft:#5d6679;--line:#dfe3ea;--paper:#fff;--ground:#f5f6f9;
--good:#1a7f4b;--bad:#b3261e;--idle:#6b7280}
@media (prefers-color-scheme:dark){:root{--ink:#e8eaf0;--soft:#a2abbd;--line:#333b4a;--paper:#1b212c;--ground:#12161e;
--good:#58c38b;--bad:#ff8a80;--idle:#9aa3b2}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif}
main{max-width:60rem;margin:0 auto;padding:1.5rem 1rem 3rem}
header{display:flex;flex-wrap:wrap;align-items:baseline;gap:.25rem 1rem;margin-bottom:1.5rem}
h1{font-size:1.6rem;margin:0}h1 a{color:inherit;text-decoration:none}
h2{font-size:1.05rem;margin:2rem 0 .75rem}
.soft{color:var(--soft);font-size:.9rem}
li .soft{display:block}
ul{list-style:none;margin:0;padding:0;display:grid;gap:.75rem;grid-template-columns:repeat(2,1fr)}
@media (min-width:48rem){ul{grid-template-columns:repeat(4,1fr)}}
li{background:var(--paper);border:1px solid var(--line);border-radius:.6rem;padding:.8rem 1rem;overflow-wrap:anywhere}
li b{display:block;font-size:1.2rem;font-weight:600;font-variant-numeric:tabular-nums}
.healthy{color:var(--good)}.unhealthy{color:var(--bad)}.none{color:var(--idle)}
.notice{margin:0 0 .75rem;border-left-width:.3rem;background:var(--paper);border:1px solid var(--bad);border-radius:.6rem;padding:.8rem 1rem;overflow-wrap:anywhere}
button{font:inherit;font-size:.9rem;padding:.2rem .6rem;border:1px solid var(--line);border-radius:.4rem;background:var(--paper);color:var(--ink);cursor:pointer}
header form{margin-left:auto}
code{background:var(--paper);border:1px solid var(--line);border-radius:.3rem;padding:.05rem .3rem;overflow-wrap:anywhere}
"""
_PARTS = ("metadatabase", "scheduler", "worker", "triggerer", "dag_processor")
"""What is shown. The triggerer is not while no task was ever deferred."""
_STATES = ("queued", "running", "success", "failed")
_CODE = re.compile("`([^`]+)`")


def render_page(
    health: HealthSnapshot, version: str, user: str | None = None, reason: str = "", *, accepted: str = ""
) -> str:
    """The whole page as HTML. It reloads itself and needs no script.

    `user`: the account that is logged in; None without accounts. `reason`: why there is no other page. `accepted`: the header Accept-Language.
    """
    name = find_language(accepted)
    page = _HealthPage(WORDS[name], find_texts(name))
    words = page.words
    notice = (
        f'<p class="notice">{_with_code(words["only_health"].format(reason=page.say(reason)))}</p>' if reason else ""
    )
    return (
        f'<!doctype html><html lang="{words["locale"]}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="refresh" content="{REFRESH_S}"><link rel="icon" href="data:,">'
        f"<title>Gnomon</title><style>{STYLE}</style></head><body><main>"
        f'<header><h1><a href="/">Gnomon</a></h1><span class="soft">{escape(words["version"].format(version=version))} · {_format_time(health.at)}</span>{page.render_user(user)}</header>'
        f"{page.render_problems(health)}{notice}<h2>{words['services']}</h2><ul>{''.join(page.render_component(part, health.at) for part in health.components if _is_shown(part))}</ul>"
        f"{page.render_counts(health.counts) if health.counts is not None else ''}</main></body></html>"
    )


class _HealthPage:
    """The parts of the page in one language."""

    def __init__(self, words: Mapping[str, str], language: Language | None) -> None:
        self.words = words
        self._language = language

    def say(self, sentence: Sentence | str) -> str:
        """The sentence, or the text that may be one, in the language."""
        if isinstance(sentence, str):
            return sentence if self._language is None else translate(sentence, self._language)
        return render(sentence) if self._language is None else render_in(sentence, self._language)

    def render_user(self, user: str | None) -> str:
        if user is None:
            return ""
        button = f"<button>{self.words['log_out']}</button>"
        return f'<form method="post" action="/auth/logout"><span class="soft">{escape(user)}</span> {button}</form>'

    def render_problems(self, health: HealthSnapshot) -> str:
        return "".join(
            f'<p class="notice" role="alert">{_with_code(self.say(problem))}</p>' for problem in health.problems
        )

    def render_component(self, part: ComponentHealth, now: int) -> str:
        kind = part.status.value if part.status is not None else "none"
        beat = "" if part.beat_at is None else self.words["beat"].format(age=self._format_age(now - part.beat_at))
        details = "".join(
            f'<span class="soft">{escape(detail)}</span>' for detail in (self.say(part.note), beat) if detail
        )
        return f'<li>{self.words[part.name]}<b class="{kind}">{self.words[kind]}</b>{details}</li>'

    def render_counts(self, counts: WorkCounts) -> str:
        words = self.words
        figures = [
            (words["dags"], counts.dags, words["paused"].format(count=counts.paused)),
            (words["runs"], sum(counts.runs.values()), words["in_all"]),
        ]
        figures += [
            (words.get(state, state), count, words["of_runs"])
            for state, count in sorted(counts.runs.items(), key=_state_order)
        ]
        if counts.import_errors:
            figures.append((words["not_loaded"], counts.import_errors, words["files"]))
        items = "".join(
            f'<li>{escape(name)}<b>{count:,}</b><span class="soft">{escape(note)}</span></li>'
            for name, count, note in figures
        )
        hint = "" if counts.dags else f"<p>{words['no_dags']}</p>"
        return f"<h2>{words['work']}</h2><ul>{items}</ul>{hint}"

    def _format_age(self, microseconds: int) -> str:
        seconds = max(microseconds // SECOND, 0)
        for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
            if seconds >= size:
                return self.words[unit].format(count=seconds // size)
        return self.words["s"].format(count=seconds)


def _is_shown(part: ComponentHealth) -> bool:
    return part.name in _PARTS and (part.name != "triggerer" or part.status is not None)


def _with_code(text: str) -> str:
    return _CODE.sub(r"<code>\1</code>", escape(text))


def _state_order(entry: tuple[str, int]) -> int:
    return [*_STATES, entry[0]].index(entry[0])


def _format_time(instant: int) -> str:
    return to_datetime(instant).strftime("%Y-%m-%d %H:%M:%S UTC")
