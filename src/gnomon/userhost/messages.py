"""What a host process says to who asks it. Questions go the other way, several at a time, answered in order.

What author code itself asks (`wire.Ask`, a Variable) is answered at once.
"""

from __future__ import annotations

import msgspec

from gnomon.userhost.interface import Answer, Question
from gnomon.wire import messages as wire


class Alive(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Question `number` is being answered, and its author's code is not stuck: the next word comes within `patience_s`."""

    number: int
    patience_s: float


class Retired(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A file that this process has imported is another now: it ends, and what it did not answer is to be asked again."""


FromHost = Answer | Alive | Retired | wire.Ask
ToHost = Question | wire.Answer
