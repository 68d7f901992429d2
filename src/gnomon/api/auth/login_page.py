"""Renders the page with the form of the login."""

from __future__ import annotations

import contextlib
from html import escape
from urllib.parse import quote

from gnomon.api.access.accounts_policy import LOGIN_PATH
from gnomon.api.page import STYLE

_FORM_STYLE = """
main{max-width:22rem}
form{display:grid;gap:.75rem}
label{display:grid;gap:.25rem;font-size:.9rem}
input,button{font:inherit;padding:.55rem .7rem;border:1px solid var(--line);border-radius:.4rem;background:var(--paper);color:var(--ink)}
a.provider{display:inline-block;padding:.55rem .7rem;border:1px solid var(--ink);border-radius:.4rem;color:var(--ink);text-decoration:none}
button{border-color:var(--ink);background:var(--ink);color:var(--paper);cursor:pointer}
"""
_COMMAND = "<code>gnomon users reset-password NAME</code>"
_TEXTS = {
    "en": {
        "title": "Log in",
        "name": "Name",
        "password": "Password",
        "leave": "Log out at the identity provider too",
        "help": f"No password, or a forgotten one: {_COMMAND}, on the machine of Gnomon, gives a new one.",
    },
    "zh": {
        "title": "登录",
        "name": "用户名",
        "password": "密码",
        "leave": "同时从身份提供方退出登录",
        "help": f"没有密码或忘记密码：在 Gnomon 所在的机器上运行 {_COMMAND} 可获得新密码。",
    },
}
"""The words of the page by language."""
SESSION_ENDED = "your session has ended; log in again to go on where you were"
_PROBLEMS = {
    "zh": {"wrong name or password": "用户名或密码错误", SESSION_ENDED: "会话已结束；重新登录后将回到原来的页面"}
}
"""By language: the translations of errors; the others are English."""


def find_language(accepted: str) -> str:
    """The language of the page that a browser prefers, by its header Accept-Language: `en` or `zh`."""
    weighted: list[tuple[float, str]] = []
    for part in accepted.split(",")[:20]:
        tag, _, weight = part.strip().partition(";q=")
        with contextlib.suppress(ValueError):
            weighted.append((float(weight or 1), tag.partition("-")[0].lower()))
    return next(
        (language for _, language in sorted(weighted, key=lambda choice: -choice[0]) if language in _TEXTS), "en"
    )


def render_login_page(
    target: str,
    problem: str = "",
    button: str | None = None,
    *,
    name: str = "",
    is_logged_out: bool = False,
    accepted: str = "",
) -> str:
    """The page. `target`: the path to go to after the login; `problem`: why the last try failed; `name`: the name that was typed in it;
    `accepted`: the header Accept-Language.

    `button`: the text of the link to the identity provider; None: there is none. `is_logged_out`: the browser has just logged out here.
    """
    language = find_language(accepted)
    texts = _TEXTS[language]
    provider = ""
    if button is not None:
        provider = (
            f'<p><a class="provider" href="/auth/oidc/login?next={quote(target, safe="")}">{escape(button)}</a></p>'
        )
        provider += f'<p class="soft"><a href="/auth/oidc/logout">{texts["leave"]}</a></p>' if is_logged_out else ""
    problem = _PROBLEMS.get(language, {}).get(problem, problem)
    notice = f'<p class="notice" role="alert">{escape(problem[:1].upper() + problem[1:])}</p>' if problem else ""
    return (
        f'<!doctype html><html lang="{"zh-CN" if language == "zh" else "en"}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="icon" href="data:,"><title>{texts["title"]} - Gnomon</title><style>{STYLE}{_FORM_STYLE}</style></head><body><main>'
        f'<header><h1>Gnomon</h1></header>{notice}<form method="post" action="{LOGIN_PATH}"><input type="hidden" name="next" value="{escape(target)}">'
        f'<label>{texts["name"]}<input name="username" autocomplete="username" value="{escape(name)}" required{"" if name else " autofocus"}></label>'
        f'<label>{texts["password"]}<input name="password" type="password" autocomplete="current-password" required{" autofocus" if name else ""}></label>'
        f'<button>{texts["title"]}</button></form>{provider}<p class="soft">{texts["help"]}</p></main></body></html>'
    )
