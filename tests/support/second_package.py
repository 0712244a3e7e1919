"""The second package, as if it were installed: its entry points are those of its pyproject.toml."""

import tomllib
from pathlib import Path

HOME = Path(__file__).parents[1] / "second_package"


def install(
    monkeypatch, folder: Path, *, name: str | None = None, **groups: dict[str, str]
) -> None:
    """Let packages be found; `groups` are other entry points under another `name`."""
    stated = tomllib.loads((HOME / "pyproject.toml").read_text())["project"]
    points = {**stated["entry-points"]} if name is None else groups
    name = name or stated["name"]
    about = folder / f"{name.replace('-', '_')}-{stated['version']}.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name}\nVersion: {stated['version']}\n"
    )
    lines = [
        line
        for group, entries in points.items()
        for line in (f"[{group}]", *(f"{key} = {value}" for key, value in entries.items()), "")
    ]
    (about / "entry_points.txt").write_text("\n".join(lines))
    monkeypatch.syspath_prepend(str(HOME))
    monkeypatch.syspath_prepend(str(folder))
