import json
from dataclasses import replace

import pytest

from pacl.studies import EncoderPlan, Plan, RunError, SamplerPlan
from support.small_runs import PLAN


@pytest.mark.parametrize("plan", [Plan(), PLAN, Plan(loss="bce", seed=9)])
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


@pytest.mark.parametrize(
    "stated",
    [{"los": "bce"}, {"sampler": {"patient": 3}}, {"sampler": 3}, {"train": None}],
)
def test_a_plan_of_another_version_is_refused(stated):
    with pytest.raises(RunError, match=r"plan: .*; use the version of pacl that wrote it"):
        Plan.from_dict(stated)
