"""How a detector is made, as plain values: they can be sent to other processes, and stated."""

from collections.abc import Mapping
from copy import copy
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from pacl.detect.bundled import BUNDLED
from pacl.detect.detection import MIN_DURATION_S
from pacl.detect.detector import Detector, person_of
from pacl.detect.judge import OperatingPoint
from pacl.stored import digest_of_file


@dataclass(frozen=True, slots=True)
class DetectorSettings:
    """The arguments of a `Detector`.

    Examples
    --------
    >>> DetectorSettings(operating_point="specific").open().operating_point
    'specific'
    """

    weights: str = BUNDLED[0]
    operating_point: OperatingPoint = "balanced"
    min_duration_s: float = MIN_DURATION_S
    person: Path | None = None
    use_person: bool = True

    def elsewhere(self) -> "DetectorSettings":
        """The same for other processes, which may have another working folder."""
        person = None if self.person is None else self.person.resolve()
        weights = self.weights if self.weights in BUNDLED else str(Path(self.weights).resolve())
        return replace(self, weights=weights, person=person)

    def open(self) -> Detector:
        """The detector; a process loads the same weights once."""
        found = copy(
            _opened(self.weights, self.operating_point, self.min_duration_s, self._state())
        )
        found.person, found.use_person = person_of(found.judge, self.person), self.use_person
        return found

    def _state(self) -> tuple[tuple[str, int, int], ...]:
        """Names, sizes and times of the files of weights that are not bundled."""
        if self.weights in BUNDLED:
            return ()
        states = ((one.name, one.stat()) for one in files_at(Path(self.weights)))
        return tuple((name, state.st_size, state.st_mtime_ns) for name, state in states)

    def stated(self) -> Mapping[str, Any]:
        """The same with digests of the files."""
        return {
            **asdict(self),
            "person": None if self.person is None else digests_of(self.person),
            "weights_digests": None if self.weights in BUNDLED else digests_of(Path(self.weights)),
        }


@lru_cache(maxsize=2)
def _opened(weights: str, point: OperatingPoint, min_duration_s: float, state: object) -> Detector:
    return Detector(weights, operating_point=point, min_duration_s=min_duration_s)


def digests_of(path: Path) -> dict[str, str]:
    """Digests of a file, or of the files in a folder, by their names."""
    return {one.name: digest_of_file(one) for one in files_at(path)}


def files_at(path: Path) -> list[Path]:
    """A file, or the files in a folder; none where there is nothing."""
    if not path.is_dir():
        return [path] if path.is_file() else []
    return sorted(one for one in path.iterdir() if one.is_file())
