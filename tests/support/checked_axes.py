"""Every call into `pacl` is checked against its types; only those with arrays pay for axes.

beartype checks arguments and result in less than a microsecond. Where arrays are in a signature it
asks jaxtyping, which remembers the size of each axis for the length of the call. jaxtyping's own
wrapper says the same with longer messages, in twice the time.
"""

import inspect
from collections.abc import Callable, Iterator
from functools import update_wrapper, wraps
from types import CodeType, FunctionType
from typing import Any, Literal, get_args, get_origin

import jaxtyping
from beartype import BeartypeConf, beartype

original = jaxtyping.jaxtyped
without_axes = beartype(conf=BeartypeConf(violation_type=TypeError))  # as jaxtyping's errors are
CHECKED = "__beartype_func"
"""The argument by which a check knows the function that it checks."""
_WITHIN: dict[CodeType, Any] = {}


class _UnknownError(Exception):
    """An annotation that cannot be read before all is imported."""


def install() -> None:
    """Check what is imported of `pacl` from now on."""
    jaxtyping.jaxtyped = _checked
    jaxtyping.install_import_hook("pacl", "beartype.beartype")


def _checked(*, typechecker: Any) -> Callable[[Any], Any]:
    """What the import hook puts before each function and class."""

    def decorate(found: Any) -> Any:
        if inspect.isfunction(found) and not has_axes(found):
            return with_types(found)
        if inspect.isclass(found):
            return _checked_class(found, typechecker)
        if inspect.isfunction(found) and can_be_checked_quickly(found):
            return with_axes(found)
        return original(found, typechecker=typechecker)

    return decorate


def with_types(found: Any) -> Any:
    """The function, checked by beartype.

    A function within a function is made whenever the outer one is called. Its check is written
    once, which takes milliseconds, and copied for those that are made later.
    """
    before = _WITHIN.get(found.__code__)
    if before is None or before.__annotations__ != found.__annotations__:
        made = without_axes(found)
        if "<locals>" in found.__qualname__ and CHECKED in (made.__kwdefaults__ or {}):
            _WITHIN[found.__code__] = made
        return made
    made = FunctionType(before.__code__, before.__globals__, before.__name__)
    made.__kwdefaults__ = {**before.__kwdefaults__, CHECKED: found}
    return update_wrapper(made, found)


def can_be_checked_quickly(function: Callable[..., Any]) -> bool:
    """Whether annotations can be read now, and no axis size is computed from an argument.

    And it is no generator, which beartype checks when it is first asked, within another call.
    """
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        return False
    try:
        read = [_read(one, function) for one in function.__annotations__.values()]
        parts = [part for one in read for part in _parts(one)]
    except _UnknownError:
        return False
    return not any("{" in getattr(part, "dim_str", "") for part in parts)


def with_axes(found: Callable[..., Any]) -> Callable[..., Any]:
    """The function, checked; an axis of one name has one size throughout a call."""
    checked = with_types(found)

    @wraps(found)
    def call(*args: Any, **kwargs: Any) -> Any:
        with original("context"):
            return checked(*args, **kwargs)

    return call


def _checked_class(found: type, typechecker: Any) -> type:
    """A dataclass whose `__init__` is checked; other classes are as they were."""
    made = vars(found).get("__init__")
    if not hasattr(found, "__dataclass_fields__") or not inspect.isfunction(made):
        return original(found, typechecker=typechecker)
    if not has_axes(made):
        found.__init__ = without_axes(made)  # type: ignore[misc]
    elif can_be_checked_quickly(made):
        found.__init__ = with_axes(made)  # type: ignore[misc]
    else:
        return original(found, typechecker=typechecker)
    return found


def has_axes(function: Callable[..., Any]) -> bool:
    """Whether arrays are in the signature, or may be."""
    try:
        return any(
            isinstance(part, type) and issubclass(part, jaxtyping.AbstractArray)
            for annotation in function.__annotations__.values()
            for part in _parts(_read(annotation, function))
        )
    except _UnknownError:
        return True


def _read(annotation: Any, function: Callable[..., Any]) -> Any:
    if not isinstance(annotation, str):
        return annotation
    if annotation in function.__qualname__.split("."):
        return None  # the class that is being defined
    try:
        return eval(annotation, function.__globals__)
    except Exception as error:  # what type checkers alone understand
        raise _UnknownError from error


def _parts(annotation: Any) -> Iterator[Any]:
    """The annotation and all that is in it; the words of a `Literal` are no annotations."""
    if get_origin(annotation) is Literal:
        return
    if type(annotation).__name__ == "ForwardRef" or isinstance(annotation, str):
        raise _UnknownError
    yield annotation
    for part in annotation if isinstance(annotation, list | tuple) else get_args(annotation):
        yield from _parts(part)
