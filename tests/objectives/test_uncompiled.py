"""Functions that torch.compile leaves as they are."""

import subprocess
import sys

CODE = """
import torch
from pacl.objectives.uncompiled import uncompiled

seen = []

@uncompiled
def apart(x, *, by):
    seen.append(torch.compiler.is_compiling())
    return x * by

def around(x):
    return apart(x + 1, by=2) + 1

assert apart(torch.ones(1), by=3).item() == 3
compiled = torch.compile(around, backend="eager")
assert [compiled(torch.ones(1)).item() for _ in range(3)] == [5.0] * 3
assert seen == [False] * 4
torch.compiler.reset()
try:
    torch.compile(around, backend="eager", fullgraph=True)(torch.ones(1))
except Exception as error:
    print(type(error).__module__)
"""


def test_the_graph_breaks_around_it_and_within_nothing_is_compiled():
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("torch._dynamo")
