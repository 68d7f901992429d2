"""Renders the page with the form of the login."""

from __future__ import annotations

from html import escape
from urllib.parse import quote

from gnomon.api.access.accounts_policy import LOGIN_PATH
from gnomon.api.page import STYLE

_FORM_STYLE = """
form{display:grid;gap:.75rem;max-width:22rem}
label{display:grid;gap:.25rem;font-size:.9rem}
input,button{font:inherit;padding:.55rem .7rem;border:1px solid var(--line);border-radius:.4rem;background:var(--paper);color:var(--ink)}
a.provider{display:inline-block;padding:.55rem .7rem;border:1px solid var(--ink);border-radius:.4rem;color:var(--ink);text-decoration:none}
button{border-color:var(--ink);background:var(--ink);color:var(--paper);cursor:pointer}
"""


def render_login_page(target: str, problem: str = "", button: str | None = None, *, is_logged_out: bool = False) -> str:
    """The page. `target`: the path to go to after the login; `problem`: why the last try failed.

    `button`: the text of the link to the identity provider; None: there is none. `is_logged_out`: the browser has just logged out here.
    """
    provider = ""
    if button is not None:
        provider = f'<p><a class="provider" href="/auth/oidc/login?next={quote(target, safe="")}">{escape(button)}</a></p>'
        provider += '<p class="soft"><a href="/auth/oidc/logout">Log out at the identity provider too</a></p>' if is_logged_out else ""
    notice = f'<p class="notice" role="alert">{escape(problem[:1].upper() + problem[1:])}</p>' if problem else ""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="icon" href="data:,"><title>Log in - Gnomon</title><style>{STYLE}{_FORM_STYLE}</style></head><body><main>'
        f'<header><h1>Gnomon</h1></header>{notice}<form method="post" action="{LOGIN_PATH}"><input type="hidden" name="next" value="{escape(target)}">'
        '<label>Name<input name="username" autocomplete="username" required autofocus></label>'
        '<label>Password<input name="password" type="password" autocomplete="current-password" required></label>'
        f"<button>Log in</button></form>{provider}</main></body></html>"
    )
