"""A study's folder: new, or that of the same study."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pacl.atomic_write import atomic_write, check_new
from pacl.stored import as_read, read_json
from pacl.studies.errors import RunError


def begin_study(target: Path, file: str, stated: Mapping[str, object], *, trained: str) -> None:
    """Keep what a study is, or see that the one in the folder is the same.

    Parameters
    ----------
    target
        Folder of the study; if no study was begun there, it has to be new or empty.
    file
        Name of the file that says what the study is.
    stated
        What it is. As long as nothing is trained, it may become something else.
    trained
        Name of the folder that is there once something was trained.
    """
    stated = as_read(stated)
    path = target / file
    if not path.exists():
        check_new(target)
    else:
        there = read_json(path, dict[str, Any], _refused)
        differ = [key for key in stated if stated[key] != there.get(key)]
        if differ and (target / trained).exists():
            raise RunError(
                target,
                f"a study with other {', '.join(differ)} was begun here (see {path})",
                "give the same to go on with it, or another folder",
            )
        if not differ:
            return
    atomic_write(path, f"{json.dumps(stated, indent=1)}\n".encode())


def _refused(path: Path, what: str) -> RunError:
    return RunError(path, what, "put it back as it was, or name another folder with --output")
