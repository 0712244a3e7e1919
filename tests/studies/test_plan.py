import json
from dataclasses import replace

import pytest

from pacl.studies import EncoderPlan, Plan, RunError, SamplerPlan, TrainPlan
from support.refusals import refused
from support.small_runs import PLAN

LAST = Plan(
    sampler=SamplerPlan(patients=16, windows=8, one_class=True, turns=15),
    encoder=EncoderPlan(view="relative"),
    train=TrainPlan(epochs=72, keep="last", faults=0.5),
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
    assert (plan.loss, plan.sampler.patients, plan.sampler.windows) == ("patient-aware", 8, 16)
    assert (plan.train.lr, plan.train.weight_decay) == (6.8e-3, 8.8e-4)
    assert (plan.train.epochs, plan.train.patience, plan.encoder.dropout) == (100, 10, 0.12)
    assert (plan.objective.temperature, plan.objective.learnable) == (0.05, True)
    assert (plan.sampler.one_class, plan.sampler.turns) == (False, None)
    assert (plan.encoder.view, plan.train.keep, plan.train.faults) == ("given", "best", 0.0)


def test_a_plan_from_before_there_were_views_faults_and_turns_is_read():
    stated = json.loads(json.dumps(PLAN.to_dict()))
    for part, keys in {
        "sampler": ["one_class", "turns"],
        "encoder": ["view"],
        "train": ["keep", "faults", "respiratory_arrhythmia"],
    }.items():
        for key in keys:
            del stated[part][key]
    assert Plan.from_dict(stated) == PLAN
    assert Plan.from_dict(stated).differences(PLAN) == []


def test_a_plan_that_calls_respiratory_arrhythmia_breath_is_read():
    stated = json.loads(json.dumps(PLAN.to_dict()))
    del stated["train"]["respiratory_arrhythmia"]
    stated["train"]["breath"] = 0.25
    assert Plan.from_dict(stated).train.respiratory_arrhythmia == 0.25


def test_differences_are_dotted_keys_with_both_values():
    plan = Plan()
    other = replace(
        plan, seed=2, sampler=SamplerPlan(windows=4), encoder=EncoderPlan(channels=(8, 8))
    )
    assert plan.differences(plan) == []
    assert plan.differences(other) == [
        "seed 1 / 2",
        "sampler.windows 16 / 4",
        "encoder.channels (16, 32, 64) / (8, 8)",
    ]
    assert plan.differences(LAST) == [
        "sampler.patients 8 / 16",
        "sampler.windows 16 / 8",
        "sampler.one_class False / True",
        "sampler.turns None / 15",
        "encoder.view given / relative",
        "train.epochs 100 / 72",
        "train.keep best / last",
        "train.faults 0.0 / 0.5",
    ]


@pytest.mark.parametrize(
    "stated",
    [{"los": "bce"}, {"sampler": {"patient": 3}}, {"sampler": 3}, {"train": None}],
)
def test_a_plan_of_another_version_is_refused(stated):
    with refused(RunError, "plan: ", "version"):
        Plan.from_dict(stated)
