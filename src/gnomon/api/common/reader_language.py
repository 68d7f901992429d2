"""The language of whoever reads the answer to this request: that of the header `Gnomon-Language`, which the page sends.

Only sentences for people are put into it; codes, arguments and states stay as they are. Without the header, as other programs ask, all is English.
"""

from __future__ import annotations

import json
from contextvars import ContextVar

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from gnomon.ground.config.language_files import find_language
from gnomon.model.languages.language import Language
from gnomon.model.languages.translation import list_spans_in, list_spans_of_text, render_in, translate
from gnomon.model.sentences import Sentence, SentenceSpan, list_spans, render, split_instants
from gnomon.model.sentences.stored_sentences import put_into_details
from gnomon.queries.report.listings.audit_list import read_details

LANGUAGE_HEADER = "Gnomon-Language"
_language: ContextVar[Language | None] = ContextVar("language", default=None)


class ReaderLanguage:
    """Middleware: remembers the language of the request."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        name = Headers(scope=scope).get(LANGUAGE_HEADER, "") if scope["type"] == "http" else ""
        token = _language.set(find_language(name))
        try:
            await self._app(scope, receive, send)
        finally:
            _language.reset(token)


def word(sentence: Sentence | str) -> str:
    """A sentence, or a stored text that may be one, in the language of the reader."""
    language = _language.get()
    if isinstance(sentence, str):
        return sentence if language is None else translate(sentence, language)
    return render(sentence) if language is None else render_in(sentence, language)


def word_spans(sentence: Sentence | str) -> list[SentenceSpan]:
    """The spans of `word`."""
    language = _language.get()
    if language is None:
        return list(split_instants(sentence)) if isinstance(sentence, str) else list_spans(sentence)
    return list_spans_of_text(sentence, language) if isinstance(sentence, str) else list_spans_in(sentence, language)


def word_body(body: str) -> str:
    """The body of a row of the audit log: a sentence, or JSON in which some fields are sentences, in the language of the reader."""
    details = read_details(body)
    if not details:
        return word(body) if body else body
    shown = put_into_details(details, word)
    return body if shown == details else json.dumps(shown, ensure_ascii=False)
