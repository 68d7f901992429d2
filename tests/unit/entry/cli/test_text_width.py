"""Tables of commands in a language whose characters take two columns."""

from __future__ import annotations

from gnomon.entry.cli.terminal.text_width import measure_text, pad_text, wrap_text


def test_a_chinese_character_takes_two_columns() -> None:
    assert measure_text("dag_id") == 6
    assert measure_text("运行 ID") == 7
    assert measure_text("e\u0301") == 1
    assert pad_text("资产", 6) == "资产  "
    assert pad_text("too long", 3) == "too long"


def test_a_wrapped_text_has_no_line_that_is_too_wide() -> None:
    assert wrap_text("a short text of words", 11) == ["a short", "text of", "words"]
    lines = wrap_text("任务 load 失败：文件没有到达", 10)
    assert "".join(lines).replace(" ", "") == "任务load失败：文件没有到达"
    assert all(measure_text(line) <= 10 for line in lines)
    assert wrap_text("", 10) == []
