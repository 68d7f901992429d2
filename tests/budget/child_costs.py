"""What one real child of a worker takes: page faults up to the end of its task, and the modules that it has."""

from __future__ import annotations

import json
import statistics
import tempfile
from pathlib import Path

from tests.conformance.workerworld import WorkerWorld

CHILDREN = 15
TASK = """
import resource
return [resource.getrusage(resource.RUSAGE_SELF).ru_minflt, len(sys.modules)]
"""


def count_child() -> dict[str, int]:
    """The middle of some children: minor page faults (pages that it wrote, or that it was the first to touch) and modules."""
    with tempfile.TemporaryDirectory(prefix="g-") as folder:
        world = WorkerWorld(Path(folder) / "w")
        try:
            file = world.dag("counts", TASK)
            results = [world.run(world.attempt(file)) for _ in range(CHILDREN)]
        finally:
            world.close()
    found = [json.loads(result.xcoms[0].value) for result in results]
    faults, modules = zip(*found, strict=True)
    return {"page faults": int(statistics.median(faults[3:])), "modules": max(modules)}
