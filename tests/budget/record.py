"""`python -m tests.budget.record`: counts everything and writes `budgets.json` for this Python."""

from __future__ import annotations

from tests.budget.child_costs import count_child, count_frames, count_system_calls
from tests.budget.counted_work import WORKS
from tests.budget.imported_modules import PROCESSES, count
from tests.budget.recorded_budgets import count_in_process, write


def main() -> None:
    """Count and write."""
    everything: dict[str, dict[str, int]] = {}
    for name in WORKS:
        counts = count_in_process("tests.budget.counted_work", name)
        everything[f"scheduler, {name}"] = counts["work"]
        if name == "wide":
            everything["scheduler, idle"] = counts["idle"]
    everything |= {f"modules, {name}": count(module) for name, module in PROCESSES.items()}
    everything["child"] = count_child()
    everything["child, system calls"] = count_system_calls()
    everything["worker, frames"] = count_frames()
    write(everything)


if __name__ == "__main__":
    main()
