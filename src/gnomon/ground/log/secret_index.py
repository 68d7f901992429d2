"""Finds many texts in a text: the spans that any of them covers, and how much of its end may be the beginning of one.

The cost hardly depends on the number of texts. Each occurrence of a text contains one of the short pieces ("grams") that stand at every n-th
place of the searched text, if n and the length of the pieces are chosen so; a dict says which beginnings of texts contain that piece, and where.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator

WIDTH_MAX = 8
"""The most characters of the beginning of a text that the dicts have as keys."""
INSERTED_MAX = 64
"""Up to so many new texts are inserted into the sorted list; more are sorted with it."""


class SecretIndex:
    """A set of texts that is searched for in other texts. Adding a text takes little time, however many there are."""

    def __init__(self) -> None:
        self._texts: set[str] = set()
        self._sorted: list[str] = []
        self._longest = 0
        self._set_width(WIDTH_MAX)

    def __len__(self) -> int:
        return len(self._texts)

    def widened_by(self, texts: Iterable[str]) -> SecretIndex:
        """An index with these texts too: this one, or a new one where this one would have to be empty for a moment.

        So a thread that searches meanwhile finds all earlier texts. Threads that add at the same time need a lock of theirs.
        """
        added = [text for text in texts if text]
        if not self._texts or min(map(len, added), default=self._width) >= self._width:
            self.add(added)
            return self
        index = SecretIndex()
        index.add([*self._texts, *added])
        return index

    def add(self, texts: Iterable[str]) -> None:
        """Add the texts; empty ones and known ones are ignored."""
        new = {text for text in texts if text} - self._texts
        if not new:
            return
        self._longest = max(self._longest, *map(len, new))
        if len(new) > INSERTED_MAX:
            self._sorted = sorted([*self._sorted, *new])
        else:
            for text in new:
                insort(self._sorted, text)
        width = min(self._width, *map(len, new))
        width_is_kept = width == self._width
        if not width_is_kept:
            self._set_width(width)
        for text in new if width_is_kept else self._texts | new:
            self._add_beginning(text[: self._width], len(text))
        self._texts |= new

    def find_spans(self, text: str) -> list[tuple[int, int]]:
        """The parts of the text that known texts cover, from left to right; overlapping parts are one."""
        spans: list[tuple[int, int]] = []
        for start in self._iterate_candidates(text):
            end = self._find_end(text, start)
            if end and spans and start < spans[-1][1]:
                spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
            elif end:
                spans.append((start, end))
        return spans

    def count_unfinished(self, text: str) -> int:
        """How many characters at the end of the text are the beginning of a known text that is longer; 0 for none."""
        first = max(0, len(text) - self._longest + 1)
        last_whole = len(text) - self._width
        candidates = [start for start in self._iterate_candidates(text[first:]) if start + first <= last_whole]
        for start in (*(first + start for start in candidates), *range(max(first, last_whole + 1), len(text))):
            end = text[start:]
            place = bisect_left(self._sorted, end)
            if place < len(self._sorted) and self._sorted[place] == end:
                place += 1
            if place < len(self._sorted) and self._sorted[place].startswith(end):
                return len(end)
        return 0

    def _set_width(self, width: int) -> None:
        """Forget all beginnings; new ones have `width` characters."""
        self._width = width
        self._gram = (width + 1) // 2
        self._stride = width - self._gram + 1
        self._lengths: dict[str, tuple[int, ...]] = {}
        """Beginning to the lengths of the texts that begin so, the longest first."""
        self._offsets: dict[str, tuple[int, ...]] = {}
        """Piece of a beginning to its places in beginnings, the last first."""

    def _add_beginning(self, beginning: str, length: int) -> None:
        lengths = self._lengths.get(beginning, ())
        if length not in lengths:
            self._lengths[beginning] = tuple(sorted((*lengths, length), reverse=True))
        if lengths:
            return
        for offset in range(self._stride):
            gram = beginning[offset : offset + self._gram]
            offsets = self._offsets.get(gram, ())
            if offset not in offsets:
                self._offsets[gram] = tuple(sorted((*offsets, offset), reverse=True))

    def _iterate_candidates(self, text: str) -> Iterator[int]:
        """The places where the beginning of a known text stands, in ascending order."""
        gram, offsets, lengths, width = self._gram, self._offsets, self._lengths, self._width
        for place in range(0, len(text) - gram + 1, self._stride):
            offsets_of_gram = offsets.get(text[place : place + gram])
            if offsets_of_gram is not None:
                for offset in offsets_of_gram:
                    start = place - offset
                    if start >= 0 and text[start : start + width] in lengths:
                        yield start

    def _find_end(self, text: str, start: int) -> int:
        """The end of the longest known text that begins there; 0 when none does."""
        for length in self._lengths.get(text[start : start + self._width], ()):
            if text[start : start + length] in self._texts:
                return start + length
        return 0
