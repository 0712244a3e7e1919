"""Losses, encoders, augmentations, readers and systems by name, also those of other packages.

Another package adds its own by an entry point, which names an `Entry`:

```toml
[project.entry-points."pacl.encoders"]
wavelet = "their_package.wavelet:ENTRY"
```

Nothing is imported before it is used by its name, so a package that fails cannot break the rest.
"""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, is_dataclass
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pacl.errors import PaclError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

OURS = "pacl"

T = TypeVar("T")


class RegistryError(PaclError):
    """A name that is not known, is taken twice, or whose package cannot be used."""


@dataclass(frozen=True, slots=True)
class NoSettings:
    """For what has nothing to set."""


@dataclass(frozen=True, slots=True)
class Entry(Generic[T]):
    """Something that can be chosen by its name.

    Parameters
    ----------
    name
        What it is chosen by.
    factory
        Called with an instance of `settings`, and with what its registry states, such as the number
        of channels. Or where it is, as `package.module:name`: then it is imported when it is used.
    settings
        A frozen dataclass, with a default for each field. Its annotations state what is allowed,
        the text below a field is shown by --help. It should import no torch.
    summary
        One line, shown where all names are listed.
    recognises
        Of a reader: whether it can read a path. Without it, the reader is used if it is named.

    Examples
    --------
    >>> @dataclass(frozen=True)
    ... class GreetingSettings:
    ...     times: int = 1
    >>> entry = Entry("hello", lambda settings: "hello" * settings.times, GreetingSettings)
    >>> entry.make(GreetingSettings(2))
    'hellohello'
    """

    name: str
    factory: Callable[..., T] | str
    settings: type[Any] = NoSettings
    summary: str = ""
    recognises: Callable[..., bool] | None = None

    def make(self, settings: Any = None, **context: Any) -> T:
        """Call the factory; without settings, with their defaults."""
        factory = located(self.factory) if isinstance(self.factory, str) else self.factory
        made: T = factory(self.settings() if settings is None else settings, **context)
        return made


class Registry(Generic[T]):
    """What can be chosen by name: what pacl has, and what other packages add.

    Parameters
    ----------
    kind
        What one of them is called in messages.
    group
        Name of the entry points by which packages add theirs.
    built_in
        Where the entry of each of pacl's own is, or the entry itself.
    aliases
        Other names, each with the name it stands for.
    """

    def __init__(
        self,
        kind: str,
        group: str,
        built_in: Mapping[str, str | Entry[T]],
        aliases: Mapping[str, str] | None = None,
    ) -> None:
        self.kind, self.group, self.aliases = kind, group, dict(aliases or {})
        self._built_in = dict(built_in)
        self._added: dict[str, Entry[T]] = {}
        self._loaded: dict[str, Entry[T]] = {}

    @property
    def built_in(self) -> tuple[str, ...]:
        """The names of pacl's own."""
        return tuple(self._built_in)

    @property
    def names(self) -> tuple[str, ...]:
        """All names, pacl's own first; nothing is imported for it."""
        return tuple(dict.fromkeys((*self._built_in, *self._added, *sorted(self._points()))))

    def __contains__(self, name: object) -> bool:
        return name in self.aliases or name in self.names

    def canonical(self, name: str) -> str:
        """The name that an alias stands for; any other name as it is."""
        return self.aliases.get(name, name)

    def named(self, name: str) -> Entry[T]:
        """The entry of a name or an alias."""
        name = self.canonical(name)
        points = self._points().get(name, [])
        owners = [OURS] * (name in self._built_in) + ["this process"] * (name in self._added)
        owners += [_package(point) for point in points]
        if len(owners) > 1:
            raise RegistryError(
                f"{self.kind} {name!r} is given by {' and by '.join(owners)}; rename or uninstall "
                "one of them"
            )
        if not owners:
            raise RegistryError(
                f"no {self.kind} {name!r}; choose from {', '.join(self.names)}, or install the "
                f"package that has it (its entry points of the group {self.group})"
            )
        if name in self._added:
            return self._added[name]
        if name not in self._loaded:
            self._loaded[name] = self._load(name, points[0] if points else None)
        return self._loaded[name]

    def add(self, entry: Entry[T]) -> Entry[T]:
        """Add an entry for this process alone, such as in a notebook; the same name replaces it."""
        if entry.name in self._built_in or entry.name in self._points():
            self._added.pop(entry.name, None)
            raise RegistryError(f"{self.kind} {entry.name!r} is there already; give another name")
        self._added[entry.name] = entry
        return entry

    def name_of(self, settings: object) -> str:
        """The name whose entry has settings of this type; each type is of one entry."""
        known = [*self._built_in, *self._added, *self._loaded]
        for name in dict.fromkeys((*known, *self._points())):
            try:
                found = self.named(name)
            except RegistryError:
                continue
            if found.settings is type(settings):
                return name
        raise RegistryError(
            f"no {self.kind} has settings of type {type(settings).__name__}; choose from "
            f"{', '.join(self.names)}"
        )

    def problems(self) -> dict[str, str]:
        """Why entries of other packages cannot be used, by name; imports all of them."""
        found = {}
        for name in self._points():
            try:
                self.named(name)
            except RegistryError as error:
                found[name] = str(error)
        return found

    def _points(self) -> "dict[str, list[EntryPoint]]":
        """Entry points of other packages by name; a package that is found twice counts once."""
        found: dict[str, dict[str, EntryPoint]] = {}
        for point in _points_of(self.group, tuple(sys.path)):
            found.setdefault(point.name, {}).setdefault(f"{_package(point)} {point.value}", point)
        return {name: list(points.values()) for name, points in found.items()}

    def _load(self, name: str, point: "EntryPoint | None") -> Entry[T]:
        where = self._built_in.get(name)
        if isinstance(where, Entry):
            return where
        if isinstance(where, str):
            found: Entry[T] = located(where)
            return found
        assert point is not None  # noqa: S101 - for the type checker
        whose = f"{self.kind} {name!r} of the package {_package(point)} ({point.value})"
        try:
            loaded: Any = point.load()
        except Exception as error:
            raise RegistryError(
                f"{whose} cannot be imported: {type(error).__name__}: {error}; repair or uninstall "
                "the package"
            ) from error
        if not isinstance(loaded, Entry) or loaded.name != name:
            other = f"one named {loaded.name!r}" if isinstance(loaded, Entry) else repr(loaded)[:80]
            raise RegistryError(f"{whose} is {other}; expected a pacl.registry.Entry named {name}")
        if not is_dataclass(loaded.settings):
            raise RegistryError(f"{whose} has settings {loaded.settings!r}; expected a dataclass")
        return loaded


def located(where: str) -> Any:
    """What is at `package.module:name`."""
    module, _, name = where.partition(":")
    return getattr(import_module(module), name)


@lru_cache(maxsize=32)
def _points_of(group: str, path: tuple[str, ...]) -> "tuple[EntryPoint, ...]":
    """Entry points of a group; looked up again only if `path`, where packages are, has changed."""
    from importlib.metadata import entry_points  # deferred: most commands need no other package

    return tuple(entry_points(group=group))


def _package(point: "EntryPoint") -> str:
    """The package that an entry point is of, with its version."""
    dist = point.dist
    return f"{dist.name} {dist.version}" if dist is not None else point.module.partition(".")[0]
