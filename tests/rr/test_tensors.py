import subprocess
import sys

import numpy as np
import pytest
import torch

import pacl.rr
from pacl.cohort import PooledProtocol
from pacl.records import open_records
from pacl.records.simulate import write_cohort
from pacl.rr import RRWindowSet, prepare
from pacl.rr.tensors import RRWindowTensors
from pacl.windows import split_units


@pytest.fixture(scope="module")
def windows(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tensors")
    write_cohort(folder / "cohort", patients=4, seed=1)
    prepare(
        open_records(folder / "cohort"),
        folder / "windows",
        protocol=PooledProtocol(),
        divide=lambda strata, _: split_units(strata, seed=1),
    )
    return RRWindowSet.open(folder / "windows")


@pytest.mark.parametrize("scaled", [True, False])
@pytest.mark.parametrize("part", [None, "test"])
def test_tensors_are_the_arrays_to_the_bit(windows, scaled, part):
    chosen = windows.part(part) if part else windows
    tensors = RRWindowTensors.of(chosen)
    assert len(tensors) == len(chosen)
    rows = np.random.default_rng(0).integers(len(chosen), size=300)
    found = tensors.take(torch.tensor(rows), scaled=scaled)
    assert np.array_equal(found.numpy(), chosen.windows(rows, scaled=scaled))


def test_only_the_beats_that_are_needed_are_copied(windows):
    tensors = RRWindowTensors.of(windows.part("test"))
    assert tensors.rr_ms.numel() < windows.rr_ms.size


def test_importing_windows_loads_no_torch():
    import subprocess
    import sys

    code = "import sys, pacl.rr; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_package_gives_tensors_without_importing_torch_at_start():
    assert pacl.rr.RRWindowTensors is RRWindowTensors
    assert not hasattr(pacl.rr, "Tensors")
    code = "import sys, pacl.rr; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "False", done.stderr
