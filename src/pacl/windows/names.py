"""A column of names, such as the subject of each window."""

from dataclasses import dataclass

import numpy as np

from pacl.axes import Array, Bool, Int32


@dataclass(frozen=True, eq=False, slots=True)
class Names:
    """A column of names, kept as numbers: row i is `names[codes[i]]`."""

    codes: Int32[Array, "window"]
    names: tuple[str, ...]

    def __len__(self) -> int:
        return int(self.codes.size)

    def __getitem__(self, rows: Array) -> "Names":
        return Names(self.codes[rows], self.names)

    @property
    def valid(self) -> bool:
        """Whether each row has a name."""
        return bool(np.all((self.codes >= 0) & (self.codes < len(self.names))))

    def is_(self, name: str) -> Bool[Array, "window"]:
        """Which rows have a name."""
        code = self.names.index(name) if name in self.names else -1
        found: Bool[Array, "window"] = self.codes == code
        return found

    def present(self) -> tuple[str, ...]:
        """Names that any row has, sorted."""
        return tuple(sorted(self.names[code] for code in np.unique(self.codes)))

    def to_list(self) -> list[str]:
        """The name of each row."""
        return [self.names[code] for code in self.codes]
