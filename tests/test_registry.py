"""What is chosen by name, also from other packages."""

import subprocess
import sys
from dataclasses import dataclass

import pytest

from pacl.registry import Entry, NoSettings, Registry, RegistryError
from pacl.settings import AUGMENTATIONS, ENCODERS, LOSSES
from support.refusals import refused
from support.second_package import install


@dataclass(frozen=True)
class OneSettings:
    times: int = 1


def registry(**more) -> Registry[str]:
    one = Entry("one", lambda settings: "1" * settings.times, OneSettings, "the first")
    return Registry("number", "pacl.numbers", {"one": one}, {"uno": "one"}, **more)


def test_an_entry_makes_what_its_settings_say():
    numbers = registry()
    assert numbers.named("one").make() == "1"
    assert numbers.named("uno").make(OneSettings(3)) == "111"
    assert numbers.name_of(OneSettings(2)) == "one"
    assert numbers.names == numbers.built_in == ("one",)
    assert "uno" in numbers
    assert "two" not in numbers


def test_an_unknown_name_is_told_those_there_are():
    with refused(RegistryError, "number 'two'", "one", "pacl.numbers"):
        registry().named("two")
    with refused(RegistryError, "number", "NoSettings", "one"):
        registry().name_of(NoSettings())


def test_an_entry_can_be_added_for_one_process():
    numbers = registry()
    numbers.add(Entry("two", lambda settings: "2", NoSettings))
    assert numbers.named("two").make() == "2"
    assert numbers.names == ("one", "two")
    with refused(RegistryError, "number 'one'", "there already"):
        numbers.add(Entry("one", lambda settings: "1", NoSettings))


@pytest.fixture
def theirs(monkeypatch, tmp_path):
    install(monkeypatch, tmp_path / "site")


@pytest.mark.usefixtures("theirs")
def test_another_package_is_listed_without_being_imported():
    sys.modules.pop("their_signals.gru", None)
    assert ENCODERS.names == ("branches", "residual", "gru")
    assert "their_signals.gru" not in sys.modules
    assert ENCODERS.named("gru").settings.__name__ == "GRUSettings"


def test_a_package_that_is_gone_is_not_there_any_more():
    assert ENCODERS.names == ("branches", "residual")
    with refused(RegistryError, "'gru'"):
        ENCODERS.named("gru")


@pytest.mark.usefixtures("theirs")
def test_a_package_that_fails_is_named_and_breaks_nothing_else():
    assert "broken" in LOSSES.names
    with refused(RegistryError, "loss 'broken'", "their-signals 1.2", "no_such_module"):
        LOSSES.named("broken")
    assert LOSSES.named("triplet").name == "triplet"
    assert set(LOSSES.problems()) == {"broken"}


@pytest.mark.usefixtures("theirs")
def test_a_name_of_two_packages_names_both(monkeypatch, tmp_path):
    install(
        monkeypatch,
        tmp_path / "other",
        name="more-signals",
        **{"pacl.losses": {"triplet": "their_signals.triplet:ENTRY", "bce": "a.b:C"}},
    )
    with refused(RegistryError, "'triplet'", "their-signals 1.2", "more-signals 1.2"):
        LOSSES.named("triplet")
    with refused(RegistryError, "'bce'", "pacl and", "more-signals 1.2"):
        LOSSES.named("bce")
    assert LOSSES.named("supcon").name == "supcon"


@pytest.mark.parametrize(
    ("point", "fact"),
    [
        ("their_signals.triplet:TripletSettings", "TripletSettings"),
        ("their_signals.triplet:ENTRY", "'triplet'"),
        ("their_signals.nowhere:ENTRY", "nowhere"),
    ],
)
def test_an_entry_point_of_something_else_is_refused(monkeypatch, tmp_path, point, fact):
    install(monkeypatch, tmp_path, name="odd", **{"pacl.losses": {"odd": point}})
    with refused(RegistryError, "loss 'odd'", "odd 1.2", fact):
        LOSSES.named("odd")


def test_all_of_pacls_own_are_found_without_torch():
    code = (
        "import sys\n"
        "from pacl.settings import AUGMENTATIONS, ENCODERS, LOSSES, Plan\n"
        "from pacl.records import READERS\n"
        "for one in (AUGMENTATIONS, ENCODERS, LOSSES, READERS):\n"
        "    [one.named(name).settings() for name in one.built_in]\n"
        "Plan.from_dict(Plan().to_dict())\n"
        "print('torch' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "False", done.stdout + done.stderr


def test_each_has_a_line_of_text():
    for registry in (AUGMENTATIONS, ENCODERS, LOSSES):
        for name in registry.built_in:
            assert registry.named(name).summary
