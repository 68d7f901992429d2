"""Sentences for users as data: a code and typed arguments. Their English words stand in `catalogue/` and nowhere else.

Whoever explains or refuses writes `say("dag_is_not_paused", dag=dag_id)`. Whoever prints calls `render(sentence)`; whoever makes links calls
`list_spans(sentence)`: the text in pieces, each with its kind and its value. Nobody reads words back.
"""

from gnomon.model.sentences.sentence import ArgumentValue, Command, CronText, RunName, Sentence, TaskName, quote, say
from gnomon.model.sentences.spans import SentenceSpan, list_spans, render, render_shared, split_instants
from gnomon.model.sentences.stored_sentences import StoredSentence, read_sentence, store_sentence, store_sentences
from gnomon.model.sentences.templates import ArgumentKind, list_literals

__all__ = [
    "ArgumentKind",
    "ArgumentValue",
    "Command",
    "CronText",
    "RunName",
    "Sentence",
    "SentenceSpan",
    "StoredSentence",
    "TaskName",
    "list_literals",
    "list_spans",
    "quote",
    "read_sentence",
    "render",
    "render_shared",
    "say",
    "split_instants",
    "store_sentence",
    "store_sentences",
]
