"""Where the documentation and the real recordings lie."""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("PACL_DATA", ROOT.parent / "shared" / "data"))


def need(*names: str) -> None:
    """Stop, saying what to do, where a database is missing."""
    missing = [name for name in names if not (DATA / name).is_dir()]
    if missing:
        sys.exit(
            f"no {' and no '.join(missing)} in {DATA}; set PACL_DATA to the folder that holds them"
        )
