"""Flags of settings: dataclasses as cyclopts takes them, which keep only what was given.

A section whose settings depend on a name, such as those of an encoder, has the flags of all that
pacl has. Flags that are not known here, as those of other packages, are kept as words and checked
against the settings of what is named.
"""

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, Field, field, fields, is_dataclass, make_dataclass
from functools import cache, wraps
from itertools import pairwise
from typing import Annotated, Any, get_type_hints

from cyclopts import Group, Parameter

from pacl.registry import Entry, Registry
from pacl.settings import NAMED, Words

Flag = tuple[str, Any, Any]
"""Name, type and `dataclasses.field` of one."""

SECTIONS = (
    *("simulate", "prepare", "episodes", "pooled", "all_beats", "arrays", "window", "split"),
    *("sampler", "objective", "encoder", "augmentation", "train"),
)
"""Sections of settings, each a panel of the help, in the order in which they are used."""


class Given:
    """What was given of some settings, and nothing else."""

    given: dict[str, Any]

    def nested(self) -> dict[str, Any]:
        """Plain values by name; words where the type is not known yet."""
        found: dict[str, Any] = {}
        for name, value in self.given.items():
            if name.startswith(_WORDS):
                section = found.setdefault(name.removeprefix(_WORDS), {})
                section |= {_key(key): Words(tuple(words)) for key, words in value.items()}
            elif isinstance(value, Given):
                found[name] = {**found.get(name, {}), **value.nested()}
            else:
                found[name] = value
        return found


_WORDS = "words_of_"


@cache
def flags_of(kind: type[Any]) -> type[Given]:
    """A class with the flags of a dataclass of settings."""
    registries: Mapping[str, Registry[Any]] = getattr(kind, "REGISTRIES", {})
    made: list[Flag] = []
    for each, hint, text in _described(kind):
        if each.name in registries:
            made.append(_section(each.name, _of_registry(each.name, registries[each.name])))
        elif isinstance(hint, type) and is_dataclass(hint):
            made.append(_section(each.name, flags_of(hint)))
        else:
            made.append(_flag(each, hint, text, _choices(kind, each.name)))
            continue
        if registries:
            made.append(_others(each.name))
    return _class(f"{kind.__name__}Flags", made)


def _of_registry(part: str, registry: Registry[Any]) -> type[Given]:
    """The flags of all that pacl has, each once."""
    entries = [registry.named(name) for name in registry.built_in]
    made: dict[str, Flag] = {}
    if part in NAMED:
        lines = "; ".join(f"`{entry.name}`: {entry.summary}" for entry in entries)
        more = [name for name in registry.names if name not in registry.built_in]
        listed = f"; {', '.join(more)}" if more else ""
        doc = f"Which {registry.kind}. {lines}{listed}."
        name = field(default=NAMED[part][1], metadata={"help": doc})
        made["name"] = ("name", str, name)
    for entry in entries:
        for each, hint, text in _described(entry.settings):
            usual = part not in NAMED or entry.name == NAMED[part][1]
            if each.name not in made:
                others = _other_defaults(each, [one for one in entries if one is not entry])
                told = text if usual else f"{entry.name}: {text}"
                made[each.name] = _flag(each, hint, " ".join([told, *others]), ())
    return _class(f"{part.title()}Flags", list(made.values()))


def _other_defaults(each: Field[Any], entries: list[Entry[Any]]) -> Iterator[str]:
    """What the default of a field is for others that have it too."""
    for entry in entries:
        for other in fields(entry.settings):
            if other.name == each.name and other.default != each.default:
                yield f"[{entry.name}: {other.default}]"


def _flag(each: Field[Any], hint: Any, text: str, choices: tuple[str, ...]) -> Flag:
    if choices:
        text = f"{text} [choices: {', '.join(choices)}]"
    if hint is bool and each.default is True:
        hint = Annotated[bool, Parameter(negative=f"no-{each.name.replace('_', '-')}")]
    default = each.default_factory() if each.default_factory is not MISSING else each.default
    if default == ():  # names in a row after one flag
        hint = Annotated[hint, Parameter(consume_multiple=True, show_default=False)]
    return each.name, hint, field(default=default, metadata={"help": text})


def _section(name: str, kind: type[Given]) -> Flag:
    at = SECTIONS.index(name) if name in SECTIONS else len(SECTIONS)
    panel = Group(f"Settings: {name.replace('_', '-')}", sort_key=10 + at)
    return name, Annotated[kind | None, Parameter(group=panel)], field(default=None)


def _others(name: str) -> Flag:
    """Flags of the section that are not known here."""
    hidden = Parameter(name=f"--{name}", show=False)
    return _WORDS + name, Annotated[dict[str, list[str]] | None, hidden], field(default=None)


def _choices(kind: type[Any], name: str) -> tuple[str, ...]:
    registries: Mapping[str, Registry[Any]] = getattr(kind, "REGISTRIES", {})
    return registries["objective"].names if registries and name in ("loss", "losses") else ()


def _class(name: str, flags: list[Flag]) -> type[Given]:
    """A dataclass for cyclopts that keeps the arguments it is made with."""
    made: Any = make_dataclass(name, flags, bases=(Given,), kw_only=True, eq=False, repr=False)
    made.__module__ = __name__
    made.__init__ = _keeping(made.__init__)
    found: type[Given] = made
    return found


def _keeping(init: Callable[..., None]) -> Callable[..., None]:
    @wraps(init)
    def keep(self: Given, **given: Any) -> None:
        self.given = given

    return keep


def _described(kind: type[Any]) -> Iterator[tuple[Field[Any], Any, str]]:
    """Each field with its type and the text below it."""
    hints = get_type_hints(kind, include_extras=True)
    docs: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        if is_dataclass(base):
            docs |= _texts(base)
    for each in fields(kind):
        yield each, hints[each.name], docs.get(each.name, "")


@cache
def _texts(kind: type[Any]) -> dict[str, str]:
    """The text below each field of a class."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(kind)))
    except (OSError, TypeError, SyntaxError):  # made in a notebook, or without its source
        return {}
    body = tree.body[0].body if isinstance(tree.body[0], ast.ClassDef) else []
    return {
        one.target.id: " ".join(text.value.value.split())
        for one, text in pairwise(body)
        if isinstance(one, ast.AnnAssign)
        and isinstance(one.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
        and isinstance(text.value.value, str)
    }


def _key(flag: str) -> str:
    """The key of a flag: `--encoder.pooled-features` is `pooled_features`."""
    return flag.replace("-", "_")
