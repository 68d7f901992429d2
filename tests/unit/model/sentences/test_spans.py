"""The words of sentences, and the spans from which links are made."""

from __future__ import annotations

import pytest

from gnomon.model.instants import SECOND, Instant
from gnomon.model.languages.recognition import recognize
from gnomon.model.sentences import (
    ArgumentKind,
    Command,
    RunName,
    Sentence,
    TaskName,
    list_spans,
    quote,
    render,
    say,
    split_instants,
)

AT: Instant = 1_772_355_600 * SECOND
ISO = "2026-03-01T09:00:00.000000+00:00"
T = ArgumentKind.TEXT


def kinds(sentence: Sentence) -> list[tuple[ArgumentKind, str]]:
    return [(span.kind, span.text) for span in list_spans(sentence)]


def test_a_run_an_instant_and_a_stored_reason() -> None:
    name = RunName("a", "r")
    sentence = say("run_ended", run=name, state="failed", at=AT, stored=say("because", why=quote("OSError: away")))
    assert render(sentence) == f"run r ended in state failed at {ISO}: OSError: away"
    assert kinds(sentence) == [
        (T, "run "),
        (ArgumentKind.RUN, "r"),
        (T, " ended in state failed at "),
        (ArgumentKind.INSTANT, ISO),
        (T, ": OSError: away"),
    ]
    assert [span.value for span in list_spans(sentence) if span.value is not None] == [name, AT]


def test_a_phrase_that_is_nothing_leaves_nothing() -> None:
    assert render(say("next_run_is_due", at=AT, jitter=None, past=None)) == f"the next run is due at {ISO}"
    past = say("which_is_past")
    assert (
        render(say("next_run_is_due", at=AT, jitter=None, past=past)) == f"the next run is due at {ISO}, which is past"
    )


def test_a_number_chooses_the_words() -> None:
    assert [render(say("slots", count=count)) for count in (0, 1, 2)] == ["0 slots", "1 slot", "2 slots"]


def test_a_list_has_commas_and_clauses_have_semicolons() -> None:
    tasks = tuple(say("task_without_status", task=TaskName("a", "r", "t", index)) for index in (-1, 3))
    rule = quote("it waits")
    assert render(say("rule_waits_for", rule=rule, tasks=tasks)) == "it waits; open: t (no status), t[3] (no status)"
    assert [span.value for span in list_spans(say("rule_waits_for", rule=rule, tasks=tasks)) if span.value] == [
        TaskName("a", "r", "t"),
        TaskName("a", "r", "t", 3),
    ]
    ended = say("edge_ended", edge=quote("a waited for b"), rule_name="span", clauses=(rule, rule), at=AT)
    assert "it waits; it waits, the last change" in render(ended)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.25, "0.25 s"),
        (59, "59 s"),
        (60, "1 min"),
        (600.0, "10 min"),
        (3_725, "1 h 2 min"),
        (86_400, "1 d"),
        (90_061, "1 d 1 h"),
        (-90, "-1 min 30 s"),
    ],
)
def test_a_duration_of_a_minute_or_more_is_in_its_two_largest_units(seconds: float, words: str) -> None:
    sentence = say("run_is_slow", duration=seconds, usual=1)
    assert render(sentence) == f"it has run for {words}; 95 of 100 runs take at most 1 s"


@pytest.mark.parametrize("seconds", [0.25, 59.0, 60.0, 600.0, 3_720.0, 90_000.0])
def test_a_duration_in_words_is_recognised(seconds: float) -> None:
    sentence = say("run_is_slow", duration=seconds, usual=1.0)
    assert recognize(render(sentence)) == sentence


def test_a_short_duration_is_in_seconds() -> None:
    assert (
        render(say("run_is_slow", duration=12, usual=1.5)) == "it has run for 12 s; 95 of 100 runs take at most 1.5 s"
    )


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (Command("dags unpause", ("a dag",)), "gnomon dags unpause 'a dag'"),
        (Command("runs release", ("a", "-r"), ("--from", "b c")), "gnomon runs release --from 'b c' -- a -r"),
        (Command("triggerer", (), ("--queues", "q")), "gnomon triggerer --queues q"),
        (Command("worker"), "gnomon worker"),
    ],
)
def test_a_command_can_be_given_to_a_shell(command: Command, text: str) -> None:
    sentence = say("no_triggerer", command=command)
    assert kinds(sentence) == [(T, "no triggerer is alive; start one with: "), (ArgumentKind.COMMAND, text)]


def test_words_of_users_are_never_read_as_words_of_the_catalogue() -> None:
    assert render(quote("{dag} {0} %s")) == "{dag} {0} %s"
    assert render(say("pool_is_full", pool="{x}", used=1, slots=1, needed=1)).startswith("pool {x} is full")


def test_an_instant_in_a_stored_text_is_a_span_and_one_in_a_run_id_is_none() -> None:
    text = "run manual__2026-01-01T00:00:00.5+00:00 is due at 2026-01-02T00:00:00.000000+00:00: later"
    assert [span.text for span in split_instants(text) if span.kind is ArgumentKind.INSTANT] == [
        "2026-01-02T00:00:00.000000+00:00"
    ]
    assert "".join(span.text for span in split_instants(text)) == text
    assert kinds(quote(f"since {ISO}")) == [(T, "since "), (ArgumentKind.INSTANT, ISO)]


def test_equal_sentences_are_one_key() -> None:
    """Thousands of instances of a mapped task that wait for the same are one group."""
    one, two = (say("pool_is_full", pool="p", used=1, slots=1, needed=1) for _ in range(2))
    assert {one: 1}[two] == 1


def test_a_quoted_argument_is_escaped_and_only_its_name_is_a_span() -> None:
    sentence = say("dag_has_no_partitions", dag="it's\n")
    assert kinds(sentence)[:3] == [(T, 'DAG "'), (ArgumentKind.DAG, "it's\\n"), (T, kinds(sentence)[2][1])]
    assert render(sentence).startswith('DAG "it\'s\\n" has no partitions')
    assert [span.value for span in list_spans(sentence) if span.value] == ["it's\n"]


def test_a_quoted_name_may_be_empty() -> None:
    sentence = say("dag_has_no_partitions", dag="")
    assert render(sentence).startswith("DAG '' has no partitions")
    assert [kind for kind, _ in kinds(sentence)] == [T]
