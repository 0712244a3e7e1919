"""A column of names, such as the subject of each window."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pacl.axes import Array, Bool, Int32

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@dataclass(frozen=True, eq=False, slots=True)
class Names:
    """A column of names, kept as numbers: row i is `names[codes[i]]`."""

    codes: Int32[Array, "window"]
    names: tuple[str, ...]

    @classmethod
    def of(cls, values: "ArrayLike", order: Sequence[str] | None = None) -> "Names":
        """A column of texts or whole numbers; names are sorted, numbers by size.

        With `order`, names have this order, and any other is a `KeyError`.

        Examples
        --------
        >>> Names.of([10, 2, 10]).names
        ('2', '10')
        """
        known, codes = np.unique(_plain(values), return_inverse=True)
        names = tuple(str(one) for one in known.tolist())
        codes = codes.reshape(-1).astype(np.int32)
        if order is None:
            return cls(codes, names)
        place = {name: at for at, name in enumerate(order)}
        renumbered = np.array([place[name] for name in names], dtype=np.int32)
        return cls(renumbered[codes], tuple(order))

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


def _plain(values: "ArrayLike") -> Array:
    """Texts or whole numbers as an array of their own type; others are a `TypeError`."""
    found: Array = np.asarray(values)
    if found.dtype.kind == "O":  # as tables give them
        listed = found.tolist()
        if all(isinstance(one, str) for one in listed):
            found = np.array(listed, dtype=np.str_)
        elif all(isinstance(one, int) and not isinstance(one, bool) for one in listed):
            found = np.array(listed, dtype=np.int64)
    if found.dtype.kind == "T":  # numpy's texts of variable length
        found = found.astype(np.str_)
    if found.dtype.kind == "b":
        found = found.astype(np.int64)
    if found.ndim != 1 or found.dtype.kind not in "iuU":
        raise TypeError(f"{found.dtype} of shape {found.shape}, expected texts or whole numbers")
    return found
