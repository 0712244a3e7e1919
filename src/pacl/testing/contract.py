"""How a contract is checked: methods that are called `test_...`, by pytest or by `check`.

Subclass a contract in your tests, say how to make yours, and pytest runs all of it:

```python
class TestMine(EncoderContract):
    def make(self, seed=0):
        return make_encoder("mine", in_channels=3, generator=torch.Generator().manual_seed(seed))
    channels = 3
```
"""

from typing import Any

from pacl.errors import PaclError
from pacl.registry import Entry, Registry
from pacl.settings import SettingsError, check_settings


class ContractError(PaclError, AssertionError):
    """A promise that is not kept."""


def require(kept: object, promise: str) -> None:
    """Refuse what does not keep a promise."""
    if not kept:
        raise ContractError(promise)


def check(contract: Any) -> None:
    """Run all checks of a contract; the errors of all that fail are told together."""
    failed = []
    for name in dir(contract):
        if not name.startswith("test_"):
            continue
        try:
            getattr(contract, name)()
        except ContractError as error:
            failed.append(f"{name}: {error}")
        except Exception as error:
            failed.append(f"{name}: {type(error).__name__}: {error}")
    if failed:
        lines = "\n  ".join(failed)
        raise ContractError(f"{type(contract).__name__}:\n  {lines}")


def check_entry(entry: Entry[Any]) -> None:
    """What every entry of a registry promises: a name, a line of text, settings with defaults."""
    require(entry.name and entry.name == entry.name.lower(), f"name {entry.name!r}: lower case")
    require(entry.summary and "\n" not in entry.summary, f"{entry.name}: a summary of one line")
    try:
        usual = entry.settings()
        check_settings(usual)
    except TypeError as error:
        raise ContractError(f"{entry.name}: each setting needs a default: {error}") from error
    except SettingsError as error:
        raise ContractError(f"{entry.name}: defaults of its settings: {error}") from error
    require(hash(usual) == hash(entry.settings()), f"{entry.name}: settings are frozen")


def entry_of(registry: Registry[Any], which: str | Entry[Any]) -> Entry[Any]:
    """An entry, given itself or its name."""
    return which if isinstance(which, Entry) else registry.named(which)
