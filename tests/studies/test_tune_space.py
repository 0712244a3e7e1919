"""What is tried: dimensions and their values, as the documents list them."""

import re
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
import torch

from pacl.models import Encoder
from pacl.rr import Cut
from pacl.settings import ResidualSettings
from pacl.stored import as_toml
from pacl.studies import Plan
from pacl.studies.tuning import SPACES, Choice, Range, space_for
from pacl.studies.tuning.sampler import PlacedSampler
from pacl.studies.tuning.space import LR, apply_settings, flat_settings, kept_as, settings_of

PAGE = Path(__file__).parents[2] / "docs/tuning.md"
OBJECTIVE = {"objective.temperature", "objective.learnable"}


def keys(name="full", plan=None, patients=50, cuts=True):
    return [each.key for each in space_for(name, plan or Plan(), patients=patients, cuts=cuts)]


def test_the_documents_list_the_space_as_it_is():
    rows = re.findall(r"^\| `([a-z_.]+)` \| ([^|]+) \| ([^|]*) \|$", PAGE.read_text(), re.MULTILINE)
    assert [(key, values) for key, values, _ in rows] == [
        (each.key, str(each)) for each in SPACES["full"]
    ]
    fair = {key for key, _, spaces in rows if "fair" in spaces}
    assert fair == {each.key for each in SPACES["fair"]}


def test_every_key_is_a_setting_and_the_papers_settings_lie_in_the_space():
    stated = flat_settings(Plan(), Cut())
    for each in SPACES["full"]:
        assert each.kept(stated[each.key]) is not None, each.key
        assert each.value(each.kept(stated[each.key])) == stated[each.key]


def test_fair_is_rate_and_temperature_and_of_cross_entropy_the_rate_alone():
    assert keys("fair") == ["train.lr", "objective.temperature"]
    assert keys("fair", Plan(loss="supcon")) == ["train.lr", "objective.temperature"]
    assert keys("fair", Plan(loss="bce")) == ["train.lr"]


def test_dimensions_without_meaning_are_left_out():
    everything = [each.key for each in SPACES["full"]]
    assert set(everything) - set(keys()) == {"objective.head_on"}
    assert set(everything) - set(keys(plan=Plan(loss="bce"))) == OBJECTIVE
    assert not [key for key in keys(cuts=False) if key.startswith("window.")]
    none = replace(Plan(), encoder=replace(Plan().encoder, norm="none"))
    assert "encoder.groups" not in keys(plan=none)


@pytest.mark.parametrize(
    ("patients", "options"), [(50, (4, 8, 16)), (15, (4, 8)), (4, (4,)), (3, (8,))]
)
def test_no_batch_asks_for_more_patients_than_there_are(patients, options):
    found = space_for("full", Plan(), patients=patients, cuts=False)
    assert next(each for each in found if each.key == "sampler.subjects").options == options


def test_a_rate_stays_above_where_it_ends_and_a_temperature_above_its_floor():
    plan = replace(
        Plan(),
        train=replace(Plan().train, lowest_lr=1e-3),
        objective=replace(Plan().objective, floor=0.6),
    )
    rate, temperature = space_for("fair", plan, patients=8, cuts=False)
    assert (rate.low, rate.high) == (1e-3, 3e-2)
    assert (temperature.low, temperature.high) == (0.6, 0.6)


def test_every_combination_of_encoder_settings_can_be_built():
    by_key = {each.key.removeprefix("encoder."): each for each in SPACES["full"]}
    keys = ("kernels", "channels", "groups", "pooled_features", "pooled_by")
    x = torch.zeros(2, 50)  # the shortest windows of the space
    for values in product(*(by_key[key].options for key in keys)):
        chosen = dict(zip(keys, values, strict=True))
        encoder = Encoder(**chosen).eval()
        assert encoder(x).pooled.shape == (2, chosen["pooled_features"]), chosen


def test_values_go_to_optuna_and_come_back():
    kernels = Choice("encoder.kernels", ((3,), (3, 5, 7)))
    assert kernels.distribution().choices == ("3", "3 5 7")
    assert kernels.value("3 5 7") == (3, 5, 7)
    assert kernels.kept((5,)) is None
    assert str(kernels) == "3, 3 5 7"
    beats = Range("window.window_beats", 50, 400, step=50)
    assert beats.kept(200) == 200
    assert beats.kept(210) is None
    assert beats.kept(450) is None
    assert str(beats) == "50 to 400, every 50"
    assert str(Range("train.lr", 1e-4, 3e-2, log=True)) == "0.0001 to 0.03, logarithmic"
    assert str(Choice("objective.learnable", (True, False))) == "yes, no"
    assert settings_of([kernels, beats], {"encoder.kernels": "3"}) == {"encoder.kernels": (3,)}


def test_settings_find_their_places():
    chosen = {"train.lr": 0.5, "encoder.channels": (8, 8), "window.stride": 7}
    plan, cut = apply_settings(Plan(), Cut(), chosen)
    assert plan == replace(
        Plan(),
        train=replace(Plan().train, lr=0.5),
        encoder=replace(Plan().encoder, channels=(8, 8)),
    )
    assert cut == Cut(stride=7)
    flat = flat_settings(plan, cut)
    assert {key: flat[key] for key in chosen} == chosen
    assert flat["loss"] == "subject-aware"


def test_toml_is_read_as_it_was_written():
    import tomllib

    stated = {
        "word": 'a "b" \\ c\n ü',
        "nothing": None,
        "table": {"x": 1e-06, "yes": True, "list": [1, 2], "words": ("a", "b"), "none": None},
        "n": 3,
    }
    text = as_toml(stated, says=["one", "two"]).decode()
    assert text.startswith("# one\n# two\nword = ")
    assert tomllib.loads(text) == {
        "word": 'a "b" \\ c\n ü',
        "n": 3,
        "table": {"x": 1e-06, "yes": True, "list": [1, 2], "words": ["a", "b"]},
    }


def test_chance_follows_from_seed_and_place_alone():
    import optuna

    def draws(seed, count):
        study = optuna.create_study(sampler=PlacedSampler(seed, {}))
        distributions = {each.key: each.distribution() for each in SPACES["fair"]}
        found = []
        for _ in range(count):
            trial = study.ask(distributions)
            found.append(trial.params)
            study.tell(trial, trial.params["train.lr"])
        return found

    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        assert draws(1, 14) == draws(1, 14)
        assert draws(1, 3) != draws(2, 3)
    finally:
        optuna.logging.set_verbosity(before)


def test_parameters_keep_the_names_they_have_in_earlier_journals():
    choice = Choice("sampler.subjects", (2, 4))
    assert kept_as("sampler.subjects") == "sampler.patients"
    assert settings_of([choice, LR], {"sampler.patients": 4}) == {"sampler.subjects": 4}


def test_an_encoder_with_other_settings_has_a_space_of_what_it_shares():
    found = keys(plan=Plan(encoder=ResidualSettings()))
    assert "encoder.dropout" in found
    assert "encoder.kernels" not in found
    assert "train.lr" in found
