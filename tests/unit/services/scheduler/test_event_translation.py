"""What one round takes of the mail."""

from __future__ import annotations

from gnomon.model.records import MailRecord
from gnomon.services.scheduler.event_translation import take_mail_batch
from gnomon.services.scheduler.settings import MAIL_BATCH, MAX_TRIGGER_MESSAGES


def letters(kinds: list[str]) -> list[MailRecord]:
    return [MailRecord(number, 0, kind, None, "[]") for number, kind in enumerate(kinds)]


def test_letters_are_taken_up_to_the_one_that_would_make_the_step_long() -> None:
    found = letters(["run_created", *["trigger"] * MAX_TRIGGER_MESSAGES, "action", "trigger", "action"])
    assert take_mail_batch(found) == (found[:-2], True)


def test_all_are_taken_where_few_bring_events_of_triggers() -> None:
    found = letters(["trigger"] * MAX_TRIGGER_MESSAGES + ["action"] * 5)
    assert take_mail_batch(found) == (found, False)


def test_a_full_batch_says_that_there_may_be_more() -> None:
    found = letters(["action"] * MAIL_BATCH)
    assert take_mail_batch(found) == (found, True)
