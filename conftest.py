"""The examples in docstrings of `src` are tests: `pytest --doctest-modules src/pacl`.

They run in a folder that has the files which they name, and find a `trainer` where they use one.
"""

from importlib import import_module
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent / "src"


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Import no module without examples: some need a GPU."""
    is_module = collection_path.suffix == ".py" and collection_path.is_relative_to(SOURCE)
    return True if is_module and ">>>" not in collection_path.read_text() else None


def pytest_collect_file(file_path: Path) -> None:
    """Import a module with examples as all others do, before pytest makes a copy of it."""
    if file_path.suffix == ".py" and file_path.is_relative_to(SOURCE):
        parts = file_path.relative_to(SOURCE).with_suffix("").parts
        import_module(".".join(parts[:-1] if parts[-1] == "__init__" else parts))


@pytest.fixture(scope="session")
def example_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that examples run in."""
    return tmp_path_factory.mktemp("examples")


@pytest.fixture(autouse=True)
def example_files(request: pytest.FixtureRequest) -> None:
    """Write what an example names, and run it there."""
    if not isinstance(request.node, pytest.DoctestItem):
        return
    text = request.node.dtest.docstring
    folder = request.getfixturevalue("example_folder")
    request.getfixturevalue("monkeypatch").chdir(folder)
    if '"' in text or "trainer" in text:
        from support import examples

        examples.write_named(text, folder)
        request.getfixturevalue("doctest_namespace").update(examples.objects_named(text))
