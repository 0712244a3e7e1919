import json
from dataclasses import replace

import pytest

from pacl.rr import RRAugmentationSettings
from pacl.settings import (
    BranchesSettings,
    NoAugmentation,
    ObjectiveSettings,
    Plan,
    ResidualSettings,
    SamplerSettings,
    SettingsError,
    TrainSettings,
    settled,
)
from support.refusals import refused
from support.small_runs import PLAN

LAST = Plan(
    sampler=SamplerSettings(subjects=16, windows=8, one_class=True, turns=15),
    encoder=BranchesSettings(view="relative"),
    augmentation=RRAugmentationSettings(faults=0.5),
    train=TrainSettings(epochs=72, keep="last"),
)


def test_a_plan_from_before_there_was_a_memory_has_none():
    stated = Plan().to_dict()
    del stated["objective"]["memory"]
    assert Plan.from_dict(stated) == Plan()


@pytest.mark.parametrize("plan", [Plan(), PLAN, Plan(loss="bce", seed=9), LAST])
def test_a_plan_comes_back_from_json(plan):
    stated = json.loads(json.dumps(plan.to_dict()))
    assert Plan.from_dict(stated) == plan
    assert Plan.from_dict(plan.to_dict()) == plan


def test_the_defaults_are_the_papers():
    plan = Plan()
    assert (plan.loss, plan.sampler.subjects, plan.sampler.windows) == ("subject-aware", 8, 16)
    assert (plan.train.lr, plan.train.weight_decay) == (6.8e-3, 8.8e-4)
    assert (plan.train.epochs, plan.train.patience, plan.encoder.dropout) == (100, 10, 0.12)
    assert (plan.objective.temperature, plan.objective.learnable) == (0.05, True)
    assert (plan.sampler.one_class, plan.sampler.turns) == (False, None)
    assert (plan.encoder.view, plan.train.keep) == ("given", "best")
    assert plan.augmentation == NoAugmentation()


def test_a_plan_from_before_there_were_samples_scores_all_windows():
    stated = json.loads(json.dumps(Plan().to_dict()))
    assert stated["train"].pop("score_windows") == 0
    assert Plan.from_dict(stated) == settled(Plan, stated) == Plan()
    sampled = Plan(train=TrainSettings(score_windows=4096))
    assert Plan.from_dict(sampled.to_dict()) == sampled
    assert Plan().differences(sampled) == ["train.score_windows 0 / 4096"]


def test_a_plan_from_before_there_were_views_faults_and_turns_is_read():
    stated = json.loads(json.dumps(PLAN.to_dict()))
    del stated["augmentation"]
    for part, keys in {
        "sampler": ["one_class", "turns"],
        "encoder": ["view", "name"],
        "train": ["keep"],
    }.items():
        for key in keys:
            del stated[part][key]
    assert Plan.from_dict(stated) == PLAN
    assert Plan.from_dict(stated).differences(PLAN) == []


@pytest.mark.parametrize("breath", ["breath", "respiratory_arrhythmia"])
def test_a_plan_of_the_first_version_is_read(breath):
    stated = json.loads(json.dumps(PLAN.to_dict()))
    del stated["augmentation"], stated["encoder"]["name"]
    stated["loss"] = "patient-aware"
    stated["sampler"]["patients"] = stated["sampler"].pop("subjects")
    stated["train"] |= {breath: 0.0, "faults": 0.0}
    assert Plan.from_dict(stated) == replace(PLAN, loss="patient-aware")
    assert Plan.from_dict(stated).differences(PLAN) == []
    stated["train"] |= {breath: 0.25}
    assert Plan.from_dict(stated).augmentation == RRAugmentationSettings(0.25)


def test_a_plan_of_another_encoder_names_it():
    plan = Plan(encoder=ResidualSettings(width=16), loss="supcon")
    stated = json.loads(json.dumps(plan.to_dict()))
    assert stated["encoder"]["name"] == "residual"
    assert Plan.from_dict(stated) == plan
    with refused(SettingsError, "encoder.name", "'lost'", "branches, residual"):
        Plan.from_dict({**stated, "encoder": {"name": "lost"}})


def test_a_plan_with_another_loss_keeps_its_settings():
    plan = Plan(objective=ObjectiveSettings(temperature=0.2))
    assert plan.with_loss("supcon").objective.temperature == 0.2
    assert Plan(loss="bce").objective == ObjectiveSettings()


def test_differences_are_dotted_keys_with_both_values():
    plan = Plan()
    other = replace(
        plan, seed=2, sampler=SamplerSettings(windows=4), encoder=BranchesSettings(channels=(8, 8))
    )
    assert plan.differences(plan) == []
    assert plan.differences(other) == [
        "seed 1 / 2",
        "sampler.windows 16 / 4",
        "encoder.channels (16, 32, 64) / (8, 8)",
    ]
    assert plan.differences(LAST) == [
        "sampler.subjects 8 / 16",
        "sampler.windows 16 / 8",
        "sampler.one_class False / True",
        "sampler.turns None / 15",
        "encoder.view given / relative",
        "augmentation.name none / rr",
        "train.epochs 100 / 72",
        "train.keep best / last",
        "augmentation.respiratory_arrhythmia None / 0.0",
        "augmentation.faults None / 0.5",
    ]


@pytest.mark.parametrize(
    "stated",
    [{"los": "bce"}, {"sampler": {"patient": 3}}, {"sampler": 3}, {"train": None}],
)
def test_a_plan_of_another_version_is_refused(stated):
    with refused(SettingsError, next(iter(stated))):
        Plan.from_dict(stated)
