"""Objects without a reference count, where CPython has them."""

from __future__ import annotations

import subprocess
import sys

HAS_IMMORTAL_OBJECTS = sys.version_info >= (3, 12)

PROGRAM = """
import sys
from gnomon.author_code.processes.immortal_objects import make_objects_immortal
kept = [object(), "a text that nothing else has" * 2, {"a": [1]}, make_objects_immortal]
made = make_objects_immortal()
before = [sys.getrefcount(one) for one in kept]
more = [kept * 100 for _ in range(10)]
after = [sys.getrefcount(one) for one in kept]
fresh = object()
counts = [sys.getrefcount(fresh)]
others = [fresh, fresh]
counts.append(sys.getrefcount(fresh))
del more, kept
import json, tempfile
with tempfile.TemporaryFile() as file:
    file.write(json.dumps({"still": "works"}).encode())
print(made > 3000, before == after, counts[1] == counts[0] + 2)
"""


def test_counts_stay_and_later_objects_have_one() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(HAS_IMMORTAL_OBJECTS), str(HAS_IMMORTAL_OBJECTS), "True"]
    assert not done.stderr
