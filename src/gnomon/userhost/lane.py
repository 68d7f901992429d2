"""One queue of questions and the one process at a time that answers them, in order.

Several questions are on their way at once. The process says which one it is at; so when it ends, that one is to blame,
and the others are asked again in a new process.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator

from gnomon.clock import Clock
from gnomon.errors.product import GnomonError
from gnomon.userhost import endings
from gnomon.userhost.interface import Answer, Answers, Question
from gnomon.userhost.messages import Alive, Retired
from gnomon.userhost.process import AskedProcess
from gnomon.userhost.settings import ANSWERS, Settings
from gnomon.wire import messages as wire

FLYING_MAX = 16
"""Questions on their way to one process."""
START_S = 60.0
"""A new interpreter on a busy machine has so long until its first word."""
GRACE_S = 2.0
"""A process watches its calls itself; it is ended from here when it says nothing for so much longer."""
DUMP_S = 1.0
"""Between being told to say where it is and being killed."""
IDLE_S = 60.0
"""A process that nobody asks for so long ends."""


class Lane:
    """Times are seconds of the monotonic clock."""

    def __init__(
        self, settings: Settings, clock: Clock, on_blame: Callable[[Question], None], answers: Answers | None = None
    ) -> None:
        """`on_blame` hears which question ended a process, once the others wait again. `answers`: see `Hosts`."""
        self._environ = settings.environ if answers is None else {**settings.environ, ANSWERS: "1"}
        self._answers = answers
        self._clock = clock
        self._on_blame = on_blame
        self._waiting: deque[Question] = deque()
        self._flying: dict[int, Question] = {}
        self._process: AskedProcess | None = None
        self._lingering: list[AskedProcess] = []
        """Processes that were killed and have not ended yet."""
        self._at: int | None = None
        """The question that the process is at."""
        self._patience_s = START_S
        self._heard_at = 0.0
        self._told_at: float | None = None
        """When it was told to say where it is."""
        self._has_answered = False
        self._blamed: Question | None = None
        """Whose answer was the last of a process."""
        self._inputs: dict[str, str] = {}
        """By DAG file: the inputs that the process has seen."""

    def put(self, question: Question) -> None:
        """It will be answered by a later `turn`."""
        self._waiting.append(question)

    def take_back(self, wanted: Callable[[Question], bool]) -> list[Question]:
        """These questions are no longer asked here, unless they are on their way already."""
        taken = [question for question in self._waiting if wanted(question)]
        self._waiting = deque(question for question in self._waiting if not wanted(question))
        return taken

    def turn(self) -> list[Answer]:
        """What has come; then more is sent. Never blocks, but for the end of a process that was killed."""
        answers = [*self._hear()]
        answers += self._watch()
        answers += self._send()
        return answers

    def wake_in_s(self) -> float | None:
        """When to take a turn though the descriptor is silent."""
        if self._process is None:
            return 0.0 if self._waiting else None
        if not self._flying:
            return max(0.0, self._heard_at + IDLE_S - self._clock.monotonic())
        return max(0.0, self._deadline() - self._clock.monotonic())

    def filenos(self) -> list[int]:
        """Where its words arrive."""
        return [self._process.fileno()] if self._process is not None else []

    def close(self) -> None:
        """Its process is gone."""
        self._waiting.clear()
        self._flying.clear()
        self._end()

    # ---- what the process says ---------------------------------------------------------------------------------------
    def _hear(self) -> Iterator[Answer]:
        process = self._process
        if process is None:
            return
        for message in process.link.receive():
            self._heard_at = self._clock.monotonic()
            match message:
                case Alive(number=number, patience_s=patience_s):
                    self._at, self._patience_s = number, patience_s
                case Answer(number=number):
                    self._has_answered = True
                    question = self._flying.pop(number, None)
                    self._at = None
                    if question is not None:
                        if message.ended:
                            self._blamed = question
                        yield message
                case Retired():
                    self._has_answered = True
                case wire.Ask():
                    process.say(self._answered(message))
        process.link.flush()
        if process.link.ended:
            yield from self._ended()

    def _answered(self, ask: wire.Ask) -> wire.Answer:
        """What author code is told."""
        if self._answers is None:
            return wire.Answer(number=ask.number, error="nobody answers here")
        try:
            return wire.Answer(number=ask.number, value=self._answers(ask.question))
        except GnomonError as error:
            return wire.Answer(number=ask.number, error=str(error))

    def _ended(self) -> Iterator[Answer]:
        """The process has ended: the question that it was at is answered by the reason, the others are asked again."""
        told, at, knew, patience_s, answered = self._told_at, self._at, self._has_answered, self._patience_s, self._blamed
        code, output = self._end()
        blamed = self._flying.pop(at, None) if at is not None else None
        flying, self._flying = self._flying, {}
        self._waiting.extendleft(reversed(flying.values()))
        for one in filter(None, (blamed, answered)):
            self._on_blame(one)
        if blamed is not None:
            said = endings.of_end(blamed, code, output) if told is None else endings.of_silence(blamed, patience_s, output)
            yield Answer(number=blamed.number, error=said, ended=True)
        elif not knew:
            waiting, self._waiting = self._waiting, deque()
            yield from (Answer(number=one.number, error=endings.of_no_start(code, output)) for one in waiting)

    def _end(self) -> tuple[int, str]:
        process, self._process = self._process, None
        self._at, self._told_at, self._has_answered, self._blamed, self._inputs = None, None, False, None, {}
        if process is None:
            return 0, ""
        ending = process.end()
        self._lingering = [one for one in (*self._lingering, process) if not one.is_reaped()]
        return ending

    # ---- what it takes ----------------------------------------------------------------------------------------------
    def _deadline(self) -> float:
        if self._told_at is not None:
            return self._told_at + DUMP_S
        return self._heard_at + self._patience_s + GRACE_S

    def _watch(self) -> Iterator[Answer]:
        """A process that is silent for too long is ended; so is one that nobody asks."""
        process, now = self._process, self._clock.monotonic()
        if process is None:
            return
        if not self._flying:
            if not self._waiting and now >= self._heard_at + IDLE_S:
                self._end()
            return
        if now < self._deadline():
            return
        if self._told_at is None:
            self._told_at = now
            process.explain_yourself()
        else:
            yield from self._ended()

    def _send(self) -> Iterator[Answer]:
        while self._waiting and len(self._flying) < FLYING_MAX and self._told_at is None:
            question = self._waiting[0]
            if self._process is not None and self._is_outdated(question):
                if self._flying:
                    return  # it answers what it has, then a new one takes its place
                self._end()
            if self._process is None:
                try:
                    self._process = AskedProcess(self._environ)
                except OSError as error:
                    waiting, self._waiting = self._waiting, deque()
                    yield from (Answer(number=one.number, error=endings.of_refused(error)) for one in waiting)
                    return
                self._patience_s, self._heard_at = START_S, self._clock.monotonic()
            if not self._flying:
                self._heard_at = self._clock.monotonic()
            self._waiting.popleft()
            if question.file is not None:
                self._inputs[question.file] = question.input_hash
            self._flying[question.number] = question
            self._process.say(question)

    def _is_outdated(self, question: Question) -> bool:
        """Whether the process has seen other inputs of the question's file."""
        return question.file is not None and self._inputs.get(question.file, question.input_hash) != question.input_hash
