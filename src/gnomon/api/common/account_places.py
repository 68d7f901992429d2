"""`AccountPlaces`: how many long answers of one kind are open, so that no account can take all places."""

from __future__ import annotations

from collections import Counter

from gnomon.model.sentences import Sentence, render, say


class NoPlace(Exception):
    """No answer of the kind can be opened now; the sentence says why."""

    def __init__(self, sentence: Sentence) -> None:
        super().__init__(render(sentence))
        self.sentence = sentence


class AccountPlaces:
    """An account has at most as many places as are free. Used by the event loop only. `kind`: the answers, in the plural."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._owned: Counter[str] = Counter()
        self.count = 0
        """The places that are taken."""

    def take(self, account: str, most: int) -> None:
        """Take one of `most` places. Raises NoPlace."""
        if self.count >= most:
            raise NoPlace(say("server_has_no_place", most=most, things=self._kind))
        owned = self._owned[account]
        if owned >= most - self.count:
            raise NoPlace(say("account_has_its_places", name=account, used=owned, things=self._kind))
        self.count += 1
        self._owned[account] += 1

    def release(self, account: str) -> None:
        """Give a place back."""
        self.count -= 1
        self._owned[account] -= 1
        if not self._owned[account]:
            del self._owned[account]
