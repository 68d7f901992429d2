"""The secrets of this process that its logs must not show. Formatters and the output of tasks write text through `hide`."""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable, Iterable

from gnomon.ground.log.secret_index import SecretIndex

HIDDEN = "***"
"""What a log shows in place of a secret."""

_index = SecretIndex()
_on_first_secret: list[Callable[[], None]] = []
_adding = threading.Lock()
"""One thread adds at a time; threads that mask need no lock."""


def _renew_lock() -> None:
    """The lock of a fork is free: the thread that may have held it is not in the fork."""
    global _adding
    _adding = threading.Lock()


@functools.cache
def _renew_lock_in_forks() -> None:
    """Called with the first secret: a hook costs every child process that is forked."""
    os.register_at_fork(after_in_child=_renew_lock)


def add_secrets(texts: Iterable[str]) -> None:
    """From now on `hide` replaces these texts, in this process and in forks of it. Empty texts are ignored."""
    global _index
    _renew_lock_in_forks()
    with _adding:
        _index = _index.widened_by(texts)
    while _on_first_secret and len(_index):
        _on_first_secret.pop()()


def forget_secrets() -> None:
    """Remove all secrets of this process."""
    global _index
    _index = SecretIndex()


def has_secrets() -> bool:
    """Return whether this process knows a secret."""
    return len(_index) > 0


def call_at_first_secret(function: Callable[[], None]) -> None:
    """Call the function once, when this process knows a secret: now, or in the `add_secrets` that adds the first one."""
    if has_secrets():
        function()
    else:
        _on_first_secret[:] = [function]


def hide(text: str, replacement: str = HIDDEN) -> str:
    """Return the text with each secret replaced. Secrets that overlap are replaced as one."""
    spans = _index.find_spans(text) if len(_index) else None
    if not spans:
        return text
    pieces = []
    shown = 0
    for start, end in spans:
        pieces += [text[shown:start], replacement]
        shown = end
    return "".join([*pieces, text[shown:]])


class StreamMasker:
    """Hides secrets in a stream of text that arrives in pieces: a secret may be spread over any number of them.

    The end of a piece is held back while it may be the beginning of a secret. `release` gives it out when nothing follows for some time;
    if the rest of the secret follows after that, the rest is hidden.
    """

    def __init__(self) -> None:
        self._shown = ""
        """What was given out and may be the beginning of a secret."""
        self._held = ""

    @property
    def is_holding(self) -> bool:
        """True while the end of what was fed is held back."""
        return bool(self._held)

    def feed(self, text: str) -> str:
        """Return what of the stream can be written now."""
        if not len(_index) and not self._shown and not self._held:
            return text
        return self._give_out(text, holds_back=True)

    def release(self) -> str:
        """Return what is held back."""
        return self._give_out("", holds_back=False) if self._held else ""

    def _give_out(self, text: str, holds_back: bool) -> str:
        start = len(self._shown)
        whole = self._shown + self._held + text
        unfinished = len(whole) - _index.count_unfinished(whole)
        end = max(unfinished, start) if holds_back else len(whole)
        pieces, place = [], start
        for first, last in _index.find_spans(whole):
            if first < end and last > place:
                pieces += [whole[place : max(first, place)], HIDDEN]
                place, end = last, max(end, last)
        pieces.append(whole[place:end])
        self._shown, self._held = whole[unfinished:end], whole[end:]
        return "".join(pieces)
