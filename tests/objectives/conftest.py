"""One thread: on shared cores, threads that wait for each other make small tensors 300x slower.

And tiles of several sizes, for what goes through pairs in tiles.
"""

from collections.abc import Iterator

import pytest
import torch

from pacl.objectives import sorted_windows


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(params=[(256, 2048), (5, 7), (1, 1)], ids=["one tile", "some", "single pairs"])
def tiles(request, monkeypatch):
    monkeypatch.setattr(sorted_windows, "ROWS", request.param[0])
    monkeypatch.setattr(sorted_windows, "COLUMNS", request.param[1])
