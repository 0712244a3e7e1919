import pytest

from pacl.cli.config import ConfigError, settle
from pacl.cli.prepare_settings import PrepareSettings
from pacl.cohort import EpisodesProtocol, PooledProtocol
from pacl.rr import Cut
from pacl.settings import settled
from support.refusals import refused


def test_flags_lie_over_the_file_and_the_file_over_the_defaults(tmp_path):
    file = tmp_path / "a.toml"
    file.write_text('protocol = "pooled"\n[window]\nwindow_beats = 100\nstride = 10\n')
    flags = {"window": {"stride": 20}, "split": {"seed": 9}}
    found = settle(PrepareSettings, file, flags)
    assert found.protocol == "pooled"
    assert (found.window.window_beats, found.window.stride) == (100, 20)
    assert found.split.seed == 9
    assert found.window.implausible == "drop"


def test_all_problems_are_told_at_once_each_with_its_dotted_key(tmp_path):
    file = tmp_path / "a.toml"
    file.write_text('protocol = "pool"\nfoo = 1\n[window]\nstrid = 3\nstride = 0\n')
    with pytest.raises(ConfigError) as caught:
        settle(PrepareSettings, file, None)
    lines = str(caught.value).splitlines()
    assert lines[0] == f"{file}:"
    assert {line.split(":")[0].strip() for line in lines[1:]} == {
        "protocol",
        "foo",
        "window.strid",
        "window.stride",
    }


@pytest.mark.parametrize("content", [b"a = ", b"\xff\xfe"])
def test_a_file_that_is_no_toml_is_named(tmp_path, content):
    file = tmp_path / "a.toml"
    file.write_bytes(content)
    with refused(ConfigError, "a.toml: ", "TOML"):
        settle(PrepareSettings, file, None)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with refused(ConfigError, "a.toml: ", "No such file"):
        settle(PrepareSettings, tmp_path / "a.toml", None)


def test_the_chosen_protocol_is_made_with_its_settings():
    chosen = settled(PrepareSettings, {"protocol": "pooled", "pooled": {"scale_s": 60}})
    assert chosen.rule() == PooledProtocol(scale_s=60.0)
    assert PrepareSettings().rule() == EpisodesProtocol()
    assert PrepareSettings().window == Cut()


def test_patients_are_divided_as_set(tmp_path):
    strata = {f"p{n}": "SR+AF" for n in range(10)}
    patients = {f"r{n}": f"p{n // 2}" for n in range(20)}

    def split(**settings):
        return settled(PrepareSettings, {"split": settings}).divide(strata, patients)

    assert split(seed=3).part_of == split(seed=3).part_of
    assert split(seed=3).part_of != split(seed=4).part_of
    assert split(unit="record").part_of.keys() == patients.keys()
    assert not split(unit="record").safe
    del strata["p0"]  # a patient without windows has no stratum, and its records no part
    assert split(unit="record").part_of.keys() == patients.keys() - {"r0", "r1"}
    fold = split(folds=5, fold=2)
    assert sorted(fold.part_of.values()).count("test") == 2
    (tmp_path / "s.json").write_text('{"train": ["r0"], "test": ["r1"]}')
    assert split(file=tmp_path / "s.json").part_of == {"r0": "train", "r1": "test"}


def test_what_is_wrong_in_a_file_is_not_covered_by_flags(tmp_path):
    (tmp_path / "a.toml").write_text("window = 3\n")
    flags = {"window": {"stride": 20}}
    with refused(ConfigError, "window: "):
        settle(PrepareSettings, tmp_path / "a.toml", flags)


@pytest.mark.parametrize("split", [{"folds": 5, "unit": "record"}, {"folds": 5, "fold": 5}])
def test_settings_that_contradict_each_other_are_refused(tmp_path, split):
    lines = [f"{key} = {value!r}" for key, value in split.items()]
    (tmp_path / "a.toml").write_text("[split]\n" + "\n".join(lines) + "\n")
    with refused(ConfigError, "split: "):
        settle(PrepareSettings, tmp_path / "a.toml", None)
