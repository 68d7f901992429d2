"""Warnings for people: those about dates without a time zone are one line, because old folders have one in every file."""

from __future__ import annotations

from collections.abc import Iterable

from gnomon.model.sentences import render, say

NO_TIME_ZONE = "has no time zone and is read"
"""What all warnings about a date without a time zone contain."""
_NAMED = 5


def group_warnings(warnings: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The pairs (DAG or file, warning) in their order; of several about dates without a time zone one pair, with an empty first part, in the place of the first."""
    pairs = list(warnings)
    naive = [pair for pair in pairs if NO_TIME_ZONE in pair[1]]
    if len(naive) < 2:
        return pairs
    subjects = list(dict.fromkeys(subject for subject, _ in naive))
    grouped = ("", _describe_naive_dates(len(naive), subjects))
    return [grouped if pair is naive[0] else pair for pair in pairs if pair is naive[0] or NO_TIME_ZONE not in pair[1]]


def _describe_naive_dates(count: int, subjects: list[str]) -> str:
    more = len(subjects) - _NAMED
    return render(
        say(
            "dates_have_no_time_zone",
            number=count,
            names=", ".join(subjects[:_NAMED]),
            more=say("and_more", count=more) if more > 0 else None,
        )
    )
