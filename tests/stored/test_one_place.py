"""Files are parsed in one place: whoever reads JSON, TOML, arrays or tables asks `pacl.stored`."""

import ast
from pathlib import Path

import pytest

import pacl

SOURCE = Path(pacl.__file__).parent
PARSERS = {
    *("json.load", "json.loads", "tomllib.load", "tomllib.loads", "np.load", "np.fromfile"),
    *("np.memmap", "np.lib.format.read_array", "pq.read_table", "pq.ParquetFile", "torch.load"),
    *("safetensors.safe_open", "safe_open", "load_file", "pickle.load", "pickle.loads"),
}
ALLOWED = {
    "records": "recordings have readers of their own",
    "stored": "this is the place",
    "work": "what processes of one command send each other",
}


def calls(path):
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in PARSERS:
            yield f"{path.relative_to(SOURCE)}:{node.lineno}: {ast.unparse(node.func)}"


def allowed(path):
    name = path.relative_to(SOURCE).as_posix()
    return any(name == place or name.startswith(f"{place}/") for place in ALLOWED)


def test_nobody_else_parses_files():
    found = [call for path in SOURCE.rglob("*.py") if not allowed(path) for call in calls(path)]
    assert found == []


@pytest.mark.parametrize("place", [place for place in ALLOWED if place != "records"])
def test_every_exception_is_still_needed(place):
    paths = [SOURCE / place] if place.endswith(".py") else sorted((SOURCE / place).glob("*.py"))
    assert [call for path in paths for call in calls(path)]
