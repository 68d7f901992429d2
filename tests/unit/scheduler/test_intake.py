"""What one round takes of the mail."""

from __future__ import annotations

from gnomon.model.records import MailRecord
from gnomon.scheduler.intake import for_one_step
from gnomon.scheduler.settings import MAIL_BATCH, TRIGGER_LETTERS


def letters(kinds: list[str]) -> list[MailRecord]:
    return [MailRecord(number, 0, kind, None, "[]") for number, kind in enumerate(kinds)]


def test_letters_are_taken_up_to_the_one_that_would_make_the_step_long() -> None:
    found = letters(["run_created", *["trigger"] * TRIGGER_LETTERS, "action", "trigger", "action"])
    assert for_one_step(found) == (found[:-2], True)


def test_all_are_taken_where_few_bring_events_of_triggers() -> None:
    found = letters(["trigger"] * TRIGGER_LETTERS + ["action"] * 5)
    assert for_one_step(found) == (found, False)


def test_a_full_batch_says_that_there_may_be_more() -> None:
    found = letters(["action"] * MAIL_BATCH)
    assert for_one_step(found) == (found, True)
