"""Damage inputs many thousands of times: `python tests/support/mutation_run.py --count 20000`.

Each case writes one damaged file and opens it. A right answer is a result or a `PaclError`;
anything else, and whatever takes longer than the time limit, is a failure: it is counted by where
it was raised, one input of each is kept, and the run ends with status 1. To add inputs, append a
tuple of `Target`s to `TARGETS`.
"""

# ruff: noqa: T201 - it tells its results on standard output

import argparse
import faulthandler
import resource
import signal
import sys
import tempfile
import time
import traceback
import zlib
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from pacl.errors import PaclError
from support.mutation_edits import EDITS_TARGETS
from support.mutation_exports import EXPORT_TARGETS
from support.mutation_live import LIVE_TARGETS
from support.mutation_records import RECORD_TARGETS
from support.mutation_signals import SIGNAL_TARGETS
from support.mutation_stored import STORED_TARGETS
from support.mutation_target import Target
from support.mutation_text_exports import TEXT_EXPORT_TARGETS

OF_RECORDS = (*RECORD_TARGETS, *SIGNAL_TARGETS, *EXPORT_TARGETS, *TEXT_EXPORT_TARGETS)
TARGETS = (*OF_RECORDS, *EDITS_TARGETS, *LIVE_TARGETS, *STORED_TARGETS)


class TooLong(BaseException):
    """A case that ran past the limit; no reader may catch it."""


def run_case(target: Target, folder: Path, limit_s: float) -> BaseException | None:
    """Open a folder; what went wrong, where that is not one of our own errors."""

    def stop(*_: object) -> None:
        raise TooLong(f"longer than {limit_s:g} s")

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, limit_s)
    try:
        target.open(folder)
    except PaclError:
        return None
    except (Exception, TooLong) as error:
        return error
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return None


def run_target(
    target: Target, cases: int, seed: int, limit_s: float, keep: Path
) -> tuple[Counter[str], int]:
    """Failures of a target by where they arose, and how many cases were not refused."""
    failures: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        files = list(target.write(folder))
        sound = {path: path.read_bytes() for path in files}
        target.open(folder)  # the sound files must be read, not refused
        share = -(-cases // len(files))
        done = 0
        for path in files:
            salt = zlib.crc32(f"{target.name} {path.name}".encode())
            for content in target.damage(sound[path], min(share, cases - done), seed + salt):
                done += 1
                if done % 100 == 1:  # code in C hears no signal: this ends the process
                    faulthandler.dump_traceback_later(100 * limit_s, exit=True)
                path.write_bytes(content)
                error = run_case(target, folder, limit_s)
                if error is not None:
                    failure = describe(error)
                    if not failures[failure]:
                        kept = keep / f"{target.name.replace('/', '-')}-{done}-{path.name}"
                        kept.write_bytes(content)
                        print(f"{target.name}: {failure}; kept as {kept}", flush=True)
                    failures[failure] += 1
            path.write_bytes(sound[path])
    faulthandler.cancel_dump_traceback_later()
    return failures, done


def describe(error: BaseException) -> str:
    """Kind of a failure and where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "/pacl/" in frame.filename] or frames
    return f"{type(error).__name__} at {Path(own[-1].filename).name}:{own[-1].lineno} ({error})"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--readers", default="", help="targets whose names start so")
    parser.add_argument("--count", type=int, default=20_000, help="damaged inputs in all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit-s", type=float, default=5.0, help="seconds for one input")
    parser.add_argument("--keep", type=Path, default=Path(tempfile.gettempdir()))
    given = parser.parse_args()
    targets = [target for target in TARGETS if target.name.startswith(given.readers)]
    if not targets:
        names = ", ".join(target.name for target in TARGETS)
        parser.error(f"no target starts with {given.readers!r}; there are {names}")
    given.keep.mkdir(parents=True, exist_ok=True)
    total, failed = 0, 0
    for target in targets:
        began = time.perf_counter()
        share = -(-given.count // len(targets))
        failures, done = run_target(target, share, given.seed, given.limit_s, given.keep)
        total, failed = total + done, failed + failures.total()
        took_s = time.perf_counter() - began
        print(f"{target.name:<24}{done:>8,} cases {failures.total():>4} failures {took_s:>7.1f} s")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{total:,} damaged inputs, {failed} failures, at most {peak:,} MiB of memory")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
