from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.model.attempts import build_attempt_log_path
from gnomon.storage.remote_logs.remote_log_names import build_remote_name

pytestmark = pytest.mark.pure


def test_usual_names_are_those_of_the_local_folder() -> None:
    name = build_attempt_log_path("etl.daily", "scheduled__2026-03-01T00:00:00+00:00", "group.load", 3, 2)
    assert build_remote_name(name) == name


def test_characters_that_stores_give_a_meaning_are_encoded() -> None:
    assert build_remote_name("run_id=a?versionId=b#1[*]{}\\") == "run_id=a%3FversionId=b%231%5B%2A%5D%7B%7D%5C"


HOSTILE = st.text(st.sampled_from("?#*[]{}\\%/.~:\0\n\x01 aé"), min_size=1, max_size=250)


@given(HOSTILE, HOSTILE)
def test_hostile_run_ids_stay_in_the_folder_and_apart(first: str, second: str) -> None:
    names = [build_remote_name(build_attempt_log_path("d", run_id, "t", -1, 1)) for run_id in (first, second)]
    for name in names:
        parts = name.split("/")
        assert len(parts) == 3
        assert all(0 < len(part.encode()) <= 255 for part in parts)
        assert not {".", ".."} & set(parts)
        assert not set("?#*[]{}\\\0\n\x01") & set(name)
    assert (names[0] == names[1]) == (first == second)


def test_attempts_with_a_long_name_stay_apart() -> None:
    names = {
        build_remote_name(build_attempt_log_path("d", "r", "?" * 250, index, seq))
        for index in (-1, 0, 1)
        for seq in (1, 2)
    }
    assert len(names) == 6
    assert all(name.endswith(".log") for name in names)
