"""The folder of a study: started once, then resumed by the same study alone.

`study.json` holds the identity of the study: its settings, its data, digests of its windows. Every
command that makes a study (`reproduce`, `rivals`, `weights`, `tune`) writes and checks it here.
"""

import shutil
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from pacl.atomic_write import atomic_write, check_new
from pacl.settings import SettingsError, differences
from pacl.stored import as_read, read_json
from pacl.studies.errors import RunError
from pacl.studies.provenance import as_json

FILE = "study.json"
FORMAT = "pacl study 2"
EARLIER = {"reproduce.json": "reproduce", "rivals.json": "rivals", "weights-study.json": "weights"}
"""Files in which version 0.1 kept a part of the identity, and of which study."""

Kind = Literal["reproduce", "rivals", "systems", "weights", "beats", "tune"]
Upgrade = Callable[[dict[str, Any]], Mapping[str, Any]]


def start_study(
    target: Path,
    kind: Kind,
    identity: Mapping[str, Any],
    *,
    results: str | None,
    upgrade: Upgrade = lambda stated: stated,
    new: bool = False,
    grows: Collection[str] = (),
    free: Collection[str] = (),
    scratch: Sequence[str] = (),
    inputs: Sequence[Path] = (),
) -> None:
    """Keep the identity of a study, or check that the study in the folder is the same.

    Until there are results, the identity may change. Keys that only the file has are kept.

    Parameters
    ----------
    target
        Folder of the study.
    kind
        Which command makes it.
    identity
        What is studied, as far as it is known by now.
    results
        Name of the folder of results; None if the first call fixes the identity.
    upgrade
        Turns what an earlier version wrote into what this version writes.
    new
        Whether this is the first call for a study: a folder without a study must be empty, and a
        changed study starts again.
    grows
        Mappings that may get further keys.
    free
        Keys that may change.
    scratch
        Folders that are removed when the study starts again.
    inputs
        Paths that must not be removed with them.
    """
    now = as_read({"format": FORMAT, "kind": kind, **identity})
    started = results is None or any((target / results).glob("*"))
    then = read_study(target, kind, upgrade)
    if then is None:
        if new:
            check_new(target)
        if results is not None and started:
            raise _unknown(target / FILE, "there is no such file")
        then = {}
    elif then.get("kind") != kind:
        raise RunError(
            target, f"it holds a study of `pacl {then.get('kind')}`", "name another folder"
        )
    elif differ := _differences(then, now, grows, free, strict=started):
        if started:
            raise other_study(target, differ)
        if new:
            _clear(target, scratch, inputs)
            then = {}
    merged = {**now, **{key: value for key, value in then.items() if key not in now}}
    for key in grows:
        known = then.get(key)
        merged[key] = {**(known if isinstance(known, dict) else {}), **now[key]}
    target.mkdir(parents=True, exist_ok=True)
    atomic_write(target / FILE, as_json(merged))
    for name in EARLIER:
        (target / name).unlink(missing_ok=True)


def read_study(
    target: Path, kind: Kind, upgrade: Upgrade = lambda stated: stated
) -> dict[str, Any] | None:
    """The identity of the study in a folder; None if there is no study."""
    found: dict[str, Any] = {}
    files = [name for name in (FILE, *EARLIER) if (target / name).exists()]
    for name in files:
        found |= read_json(target / name, dict[str, Any], _unknown)
    if not files:
        return None
    if found.get("format") == FORMAT:
        there = found.get("kind")
    else:
        there = found.get("kind") or next(
            (EARLIER[name] for name in files if name in EARLIER),
            "tune" if "about" in found else "reproduce" if "plans" in found else "rivals",
        )
        found |= found.pop("about") if isinstance(found.get("about"), dict) else {}
    if there != kind:
        return {"kind": there}
    try:
        stated: dict[str, Any] = as_read({**upgrade(found), "format": FORMAT, "kind": kind})
    except (RunError, SettingsError, LookupError, TypeError, ValueError, AttributeError) as error:
        raise _unknown(target / files[-1], f"it does not describe a study ({error})") from error
    return stated


def other_study(where: Path, differ: Sequence[str]) -> RunError:
    """The error for a folder that holds something else."""
    return RunError(
        where,
        f"it was started with other settings or data (then / now): {', '.join(differ)}",
        "give the same to resume it, or name another folder",
    )


def _differences(
    then: Mapping[str, Any],
    now: Mapping[str, Any],
    grows: Collection[str],
    free: Collection[str],
    *,
    strict: bool,
) -> list[str]:
    """Where the identity differs; `strict` takes a key that the file lacks as a difference."""
    found = []
    for key in now:
        if key in ("format", "kind", *free) or (key not in then and not strict):
            continue
        old, new = then.get(key), now[key]
        if key in grows and isinstance(old, Mapping):
            new = {name: value for name, value in new.items() if name in old}
            old = {name: old[name] for name in new}
        found += differences({key: old}, {key: new})
    return found


def _clear(target: Path, scratch: Sequence[str], inputs: Sequence[Path]) -> None:
    """Remove what was prepared for a study that was changed before it had results."""
    for path in inputs:
        if scratch and path.resolve().is_relative_to(target.resolve()):
            raise RunError(path, f"it is in {target}, the folder of another study", "move it")
    for name in scratch:
        shutil.rmtree(target / name, ignore_errors=True)


def _unknown(path: Path, what: str) -> RunError:
    return RunError(
        path,
        f"{what}, so that the study in this folder is not known",
        "restore the file, remove the results, or name another folder with --output",
    )
