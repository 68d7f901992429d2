"""Renders the page with the form of the login."""

from __future__ import annotations

from html import escape
from urllib.parse import quote

from gnomon.api.access.accounts_policy import LOGIN_PATH
from gnomon.api.common.accepted_language import find_language

_STYLE = """
:root{color-scheme:light dark;--ink:#171a21;--soft:#5a6275;--line:#e6e8ee;--edge:#868e9f;--paper:#fff;--ground:#f8f9fb;--raised:#f1f3f7;
--accent:#1f5fd6;--on-accent:#fff;--bad:#b3261e;--bad-soft:#fdeceb}
@media (prefers-color-scheme:dark){:root{--ink:#e8eaf0;--soft:#a2abbd;--line:#2a303c;--edge:#7a8496;--paper:#171b23;--ground:#0f1218;--raised:#212733;
--accent:#8ab4ff;--on-accent:#0d1626;--bad:#ff9d94;--bad-soft:#3a1b1b}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;background:var(--ground);color:var(--ink);
font:14px/1.5 system-ui,-apple-system,"Segoe UI","Noto Sans","PingFang SC","Microsoft YaHei","Noto Sans CJK SC",sans-serif}
main{width:min(22.5rem,100vw);padding:1.5rem 1rem 4rem;overflow-wrap:anywhere}
header{display:grid;justify-items:center;gap:.75rem;margin-bottom:1.5rem;color:var(--accent)}
h1{margin:0;font-size:1.25rem;font-weight:600;letter-spacing:-.01em;color:var(--ink)}
.card{display:grid;gap:1rem;padding:1.5rem;background:var(--paper);border-radius:.625rem;box-shadow:0 0 0 1px var(--line),0 .5rem 1.5rem #171a210f}
form{display:grid;gap:1rem}
label{display:grid;gap:.25rem;font-weight:500}
input,button,a.provider{font:inherit;min-height:2.5rem;padding:0 .75rem;border:1px solid var(--edge);border-radius:.375rem;background:var(--paper);color:var(--ink)}
button,a.provider{display:grid;place-items:center;font-weight:500;text-decoration:none;cursor:pointer}
button{border-color:var(--accent);background:var(--accent);color:var(--on-accent)}
button:hover{filter:brightness(1.08)}
a.provider:hover{background:var(--raised)}
:focus-visible{outline:2px solid var(--accent);outline-offset:1px}
a{color:var(--accent)}
p{margin:0}
.soft{margin-top:1rem;color:var(--soft);font-size:.8125rem;text-align:center}
.notice{padding:.5rem .75rem;background:var(--bad-soft);color:var(--bad);border-radius:.375rem}
code{font:.95em ui-monospace,"SF Mono","Noto Sans Mono","DejaVu Sans Mono",monospace}
"""
"""The colours and sizes are those of the page (`web/src/styles/tokens.css`): this page comes before its files."""
_SIGN = (
    '<svg width="36" height="36" viewBox="0 0 20 20" aria-hidden="true"><path d="M3 16 14 3v13z" fill="currentColor"/>'
    '<path d="M14 16h4L14 9z" fill="currentColor" opacity=".35"/><path d="M1 17.5h18" stroke="currentColor" stroke-width="1.6" stroke-linecap="round"/></svg>'
)
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
        f'<link rel="icon" href="data:,"><title>{texts["title"]} - Gnomon</title><style>{_STYLE}</style></head><body><main>'
        f'<header>{_SIGN}<h1>Gnomon</h1></header><div class="card">{notice}<form method="post" action="{LOGIN_PATH}"><input type="hidden" name="next" value="{escape(target)}">'
        f'<label>{texts["name"]}<input name="username" autocomplete="username" value="{escape(name)}" required{"" if name else " autofocus"}></label>'
        f'<label>{texts["password"]}<input name="password" type="password" autocomplete="current-password" required{" autofocus" if name else ""}></label>'
        f'<button>{texts["title"]}</button></form>{provider}</div><p class="soft">{texts["help"]}</p></main></body></html>'
    )
