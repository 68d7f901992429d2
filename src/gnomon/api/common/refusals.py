"""`Refusal`: the answer to a request that is not carried out, with a sentence of the catalogue."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import HTTPException
from starlette.responses import JSONResponse

from gnomon.api.common.sentence_answers import build_sentence
from gnomon.model.errors.product import GnomonError
from gnomon.model.json_text import escape_surrogates
from gnomon.model.sentences import Sentence, quote, render

RETRY_AFTER_S = "5"
"""When a client may ask again if the database, or something else that the answer needs, is away."""


class Refusal(HTTPException):
    """The request is refused with this HTTP status and this sentence."""

    def __init__(self, status: int, sentence: Sentence, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(status, render(sentence), headers)
        self.sentence = sentence


class ApiUnsupported(Refusal):
    """A known operation, body or parameter that Gnomon does not have; 501, with the reason."""

    def __init__(self, reason: Sentence) -> None:
        super().__init__(501, reason)


def find_sentence(error: Exception) -> Sentence:
    """The sentence of an error; its text as it is, where it has none of the catalogue."""
    sentence = error.sentence if isinstance(error, GnomonError) else None
    return quote(str(error)) if sentence is None else sentence


def answer_refusal(status: int, sentence: Sentence, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """`{"detail": ...}` with the text of the sentence, and beside it its code, its arguments and its spans, in the form of `SentenceAnswer`."""
    fields = build_sentence(sentence, lambda text: str(escape_surrogates(text))).model_dump(mode="json")
    return build_error_answer(status, fields.pop("text"), headers, **fields)


def build_error_answer(status: int, detail: Any, headers: Mapping[str, str] | None = None, **more: Any) -> JSONResponse:
    """An answer in the shape of all errors. Any: a text, or a list of faults; what is away (503) may come back, and the header says when."""
    pause = {"Retry-After": RETRY_AFTER_S} if status == 503 else {}
    return JSONResponse({"detail": detail, **more}, status, {**pause, **(headers or {})})
