"""Every claim gets the verdict it must get, on numbers made so that it holds, fails, or is open."""

import re
import statistics
from dataclasses import asdict, replace
from functools import cache

import numpy as np
import pytest

from pacl.evaluation import EvaluationError, compare_seeds, measure_detection
from pacl.report.paper_values import TABLE_1
from pacl.studies.claims import check_claims, compare
from pacl.studies.claims.claim import all_of, verdict_of
from pacl.studies.metric import AUROC, CENTROID_DISTANCE, SR_COHESION
from pacl.studies.outcomes import Outcomes
from pacl.studies.patient_statistics import interval_of
from support.made_outcomes import made_outcomes, predicted
from support.refusals import refused
from support.small_runs import place

LOSSES = ("patient-aware", "supcon", "bce")
PATIENT = {  # a value a patient, of each loss
    "sr_cohesion": (0.85, 0.80, 0.77),
    "af_cohesion": (0.84, 0.92, 0.95),
    "compactness": (3.3, 2.2, 6.4),
    "sr_spread": (0.5, 0.6, 0.2),
    "af_spread": (0.5, 0.4, 0.2),
}
TOTAL = {  # a value of all patients together
    "pooled.centroid_distance": (1.0, 1.1, 1.6),
    "pooled.centroid_similarity": (0.24, 0.15, -0.7),
    "pooled.compactness": (1.2, 1.3, 2.4),
    "pooled_spread.classes.0.spread_ratio": (2.0, 1.0, 1.5),
    "pooled_spread.classes.0.centroid_cosine": (0.8, 0.7, 0.3),
}
ALSO = {"sr_cohesion": "classes.0.cohesion", "af_cohesion": "classes.1.cohesion"}
ALSO |= {"sr_spread": "classes.0.subject_spread", "af_spread": "classes.1.subject_spread"}
ALSO |= {"compactness": "subject_compactness"}
TIMES = 100
"""Windows of a patient and rhythm."""


def turned(values):
    """The same, the highest in the place of the lowest."""
    return tuple(min(values) + max(values) - value for value in values)


def same(values):
    return (values[0],) * len(values)


def scores(apart, *, patients, seeds, jitter, uneven, generator):
    """Labels, patients, and a score a seed and window; AF lies `apart` standard deviations up."""
    who = np.repeat(np.arange(patients), 2 * TIMES)
    labels = np.tile(np.repeat([0, 1], TIMES), patients)
    shift = apart + jitter * np.linspace(-1, 1, seeds)[generator.permutation(seeds), None]
    alike = np.random.default_rng(5)  # as hard for each loss and seed
    own = shift + uneven * alike.standard_normal(patients)[None, who]
    noise = alike.standard_normal(who.size)
    return labels, who, labels * own + noise + 0.02 * generator.standard_normal((seeds, who.size))


def made(
    name,
    *,
    apart=(5.0, 2.0, 1.0),
    jitter=(0.1, 0.5, 0.5),
    threshold=2.4,
    uneven=0.1,
    geometry=lambda values: values,
    noise=0.002,
    patients=12,
    seeds=5,
    collapsed=(),
    losses=LOSSES,
    only_sr=(),
    change=lambda loss, seed: {},
):
    """A study of chosen numbers; without AF windows for the patients in `only_sr`."""
    folder, generator = place() / "claims" / name, np.random.default_rng(3)
    names = tuple(f"p{at:02d}" for at in range(patients))
    effect = 0.03 * generator.standard_normal(patients)
    values, predictions = {}, {}
    for at, loss in enumerate(losses):
        labels, who, drawn = scores(
            apart[at],
            patients=patients,
            seeds=seeds,
            jitter=jitter[at],
            uneven=uneven,
            generator=generator,
        )
        kept = ~(np.isin(who, only_sr) & (labels == 1))
        values[loss] = []
        for seed in range(1, seeds + 1):
            probability = 1 / (1 + np.exp(threshold - drawn[seed - 1]))
            found = predicted(labels[kept], probability[kept], who[kept], names)
            predictions[loss, seed] = found
            changed = {
                "detection": asdict(
                    measure_detection(*(labels[kept], probability[kept]), who[kept], names)
                )
            }
            rows = [{"subject": name} for name in names]
            for key, base in PATIENT.items():
                of_patient = (
                    geometry(base)[at] + effect + noise * generator.standard_normal(patients)
                )
                for code, row in enumerate(rows):
                    lacks = code in only_sr and not key.startswith("sr")
                    row[key] = None if lacks else float(of_patient[code])
                known = [row[key] for row in rows if row[key] is not None]
                changed[f"pooled.{ALSO[key]}"] = float(np.mean(known)) if known else None
            for key, base in TOTAL.items():
                changed[key] = float(geometry(base)[at] + noise * generator.standard_normal())
            changed["pooled.per_subject"] = rows
            for key, value in change(loss, seed).items():
                section, _, rest = key.partition(".")
                inner = changed.get(section, changed)
                inner[rest if section in changed else key] = value
            values[loss].append(changed)
    outcomes = made_outcomes(folder, values, collapsed=collapsed, title=name)
    for one in outcomes.each:
        vars(one)["predictions"] = predictions[one.loss, one.seed]
    return outcomes


WORLDS = {
    "as the paper says": {},
    "reversed": {
        "apart": (1.0, 2.0, 5.0),
        "jitter": (0.5, 0.2, 0.01),
        "threshold": 0.5,
        "geometry": turned,
    },
    "detection alone as the paper says": {"geometry": turned},
    "no difference": {
        "apart": (3.1, 3.1, 3.1),
        "jitter": (0.4, 0.4, 0.4),
        "threshold": 1.2,
        "uneven": 0.7,
        "geometry": same,
        "noise": 0.05,
    },
}


@cache
def world(name):
    return made(name, **WORLDS[name])


@cache
def claims_of(name):
    return {claim.key: claim for claim in check_claims(world(name))}


def by_key(outcomes):
    return {claim.key: claim for claim in check_claims(outcomes)}


YES, NO, OPEN = "holds", "does not hold", "inconclusive"
EXPECTED = {  # in the order of the worlds
    "sr-cohesion-order": (YES, NO, NO, OPEN),
    "sr-most-cohesive": (YES, NO, NO, OPEN),
    "bce-least-cohesive": (YES, NO, NO, OPEN),
    "supcon-tightest-af": (NO, NO, NO, OPEN),
    "af-cohesion-order": (YES, NO, NO, OPEN),
    "supcon-trade": (YES, NO, NO, OPEN),
    "bce-separates": (YES, NO, NO, OPEN),
    "bce-compactness": (YES, NO, NO, OPEN),
    "compactness-marked-best": (NO, NO, NO, OPEN),
    "bce-drift": (YES, NO, NO, OPEN),
    "patients-apart": (YES, NO, NO, OPEN),
    "auroc": (YES, NO, YES, OPEN),
    "auroc-order": (YES, NO, YES, OPEN),
    "auroc-as-cohesion": (YES, YES, NO, OPEN),
    "bce-worst": (YES, NO, YES, OPEN),
    "beyond-one-sd": (YES, NO, YES, NO),
    "steadier-than-supcon": (YES, NO, YES, OPEN),
    "steadier-than-bce": (YES, NO, YES, OPEN),
    "steady-recall": (YES, NO, YES, OPEN),
    "sensitivity": (YES, NO, YES, OPEN),
    "cohesion-governs": (OPEN, OPEN, OPEN, OPEN),
}


@pytest.mark.parametrize("key", EXPECTED)
def test_each_claim_gets_the_verdict_that_the_numbers_were_made_for(key):
    found = {name: claims_of(name)[key] for name in WORLDS}
    assert [claim.verdict for claim in found.values()] == list(EXPECTED[key]), found


def test_every_claim_is_tried_in_every_world():
    for name in WORLDS:
        assert list(claims_of(name)) == list(EXPECTED)


WORDS = re.compile(r"\b(nan|inf|none|null)\b", re.IGNORECASE)


def assert_well_said(claims):
    keys = [claim.key for claim in claims]
    assert len(set(keys)) == len(keys)
    for claim in claims:
        for text in (claim.text, claim.paper, claim.ours, claim.reason, claim.section):
            assert text.strip()
            assert not WORDS.search(text), (claim.key, text)
        assert claim.reason.endswith(".")
        assert not claim.reason.endswith("..")


@pytest.mark.parametrize("name", WORLDS)
def test_claims_are_told_in_full(name):
    claims = list(claims_of(name).values())
    assert_well_said(claims)
    assert {claim.cohort for claim in claims} == {name}


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(0.1, 0.2, YES), (-0.2, -0.1, NO), (-0.1, 0.1, OPEN), (0.0, 0.1, OPEN), (-0.1, 0.0, OPEN)],
)
def test_an_interval_on_one_side_of_0_is_a_verdict(low, high, expected):
    assert verdict_of(low, high) == expected


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ([YES, YES], YES),
        ([YES], YES),
        ([YES, OPEN], OPEN),
        ([OPEN, OPEN], OPEN),
        ([YES, NO], NO),
        ([OPEN, NO], NO),
        ([NO, NO], NO),
        ([], OPEN),
    ],
)
def test_several_claims_in_one_hold_together_and_fail_with_the_first(verdicts, expected):
    assert all_of(verdicts) == expected


@pytest.mark.parametrize("losses", [LOSSES[:2], LOSSES[:1], ("patient-aware", "bce")])
def test_without_the_papers_three_losses_nothing_is_claimed(losses):
    outcomes = world("as the paper says")
    fewer = replace(outcomes, each=tuple(one for one in outcomes.each if one.loss in losses))
    assert check_claims(fewer) == ()


def test_a_fourth_loss_does_not_disturb():
    outcomes = world("as the paper says")
    more = [replace(one, loss="patient") for one in outcomes.of("bce")]
    for copy, one in zip(more, outcomes.of("bce"), strict=True):
        vars(copy)["predictions"] = one.predictions
    fourth = replace(outcomes, each=(*more, *outcomes.each))
    three = claims_of("as the paper says").values()
    assert check_claims(fourth) == tuple(three)


def test_the_compactness_is_best_where_it_is():
    def best(values):
        return (9.0, 2.2, 3.3) if values == PATIENT["compactness"] else values

    assert by_key(made("most compact", geometry=best))["compactness-marked-best"].verdict == YES


@pytest.mark.parametrize(
    ("cohesion", "compactness", "expected"),
    [(1, 0, YES), (1, -1, YES), (-1, 0, NO), (1, 1, NO), (0, 0, OPEN)],
)
def test_what_governs_is_asked_within_losses(cohesion, compactness, expected):
    def change(loss, seed):
        noise = ((seed * 2) % 5 - 2) / 10  # in another order than the seeds
        return {
            "detection.auroc": 0.9 + 0.01 * seed,
            "pooled.classes.0.cohesion": 0.8 + 0.01 * (cohesion * seed or noise),
            "pooled.compactness": 2.0 + 0.1 * (compactness * seed or noise),
        }

    claim = by_key(made(f"governs {cohesion} {compactness}", change=change))["cohesion-governs"]
    assert claim.verdict == expected, claim.ours


def test_with_five_patients_nothing_is_told():
    found = by_key(made("five patients", patients=5))
    assert {claim.verdict for claim in found.values()} == {OPEN}
    assert found["sr-cohesion-order"].reason.startswith("5 patients are too few")
    six = by_key(made("six patients", patients=6))
    assert {claim.verdict for claim in six.values()} > {OPEN}


@pytest.mark.parametrize("patients", [1, 2])
def test_with_hardly_a_patient_it_is_told_all_the_same(patients):
    found = by_key(made(f"{patients} of them", patients=patients))
    assert {claim.verdict for claim in found.values()} == {OPEN}
    assert_well_said(found.values())


@cache
def one_seed():
    return by_key(made("one seed", seeds=1))


def test_with_one_seed_nothing_is_said_of_losses():
    # That AUROC and sensitivity are high enough is asked of patients alone.
    told = {key for key, claim in one_seed().items() if claim.verdict != OPEN}
    assert told <= {"auroc", "sensitivity"}


def test_with_one_seed_there_is_no_deviation_to_speak_of():
    assert_well_said(one_seed().values())


def test_what_one_seed_says_besides_the_deviation_is_well_said():
    assert_well_said([claim for key, claim in one_seed().items() if key != "beyond-one-sd"])


@cache
def fallen():
    """As the paper says, but that SupCon's embeddings collapsed with seeds 2 and 4."""
    point = {f"pooled.{name}": 1.0 for name in ("classes.0.cohesion", "classes.1.cohesion")}
    lost = [("supcon", 2), ("supcon", 4)]
    rows = [{"subject": f"p{at:02d}", **dict.fromkeys(PATIENT, 1.0)} for at in range(12)]

    def change(loss, seed):
        return point | {"pooled.per_subject": rows} if (loss, seed) in lost else {}

    return made("fallen", collapsed=lost, change=change)


def test_collapsed_seeds_are_left_out_of_geometry_and_named():
    found = compare(fallen(), "patient-aware", "supcon", SR_COHESION)
    assert found.left_out == (2, 4)
    assert found.over == "12 patients and 3 seeds"
    assert found.difference == pytest.approx(0.05, abs=0.01)
    claims = by_key(fallen())
    for key in ("sr-cohesion-order", "supcon-trade", "bce-separates", "patients-apart"):
        assert claims[key].verdict == YES
        assert ". Left out: seeds 2, 4, where embeddings collapsed to a point" in claims[key].reason
    assert "SupCon 0.797" in claims["sr-cohesion-order"].ours  # with both it were 0.878
    assert "Left out" not in claims["bce-drift"].reason  # of others
    assert claims["cohesion-governs"].reason.startswith("Over 13 runs that did not collapse")


def test_collapsed_seeds_are_kept_in_detection():
    assert compare(fallen(), "patient-aware", "supcon", AUROC).left_out == ()
    claims, whole = by_key(fallen()), claims_of("as the paper says")
    for key in ("auroc-order", "bce-worst", "steadier-than-bce", "auroc", "beyond-one-sd"):
        assert claims[key].reason == whole[key].reason
        assert claims[key].ours == whole[key].ours
    for key in ("steadier-than-supcon", "steady-recall"):
        assert "collapsed to a point: SupCon in 2 of 5 seeds, proposed in 0 of 5" in (
            claims[key].reason
        )
        assert claims[key].verdict == OPEN
    assert "Over the other 3 seeds the ratio is" in claims["steadier-than-supcon"].reason


def test_one_seed_left_by_collapses_is_not_enough():
    lost = [("bce", seed) for seed in (1, 2, 3, 4)]
    claims = by_key(made("one left", collapsed=lost))
    for key in ("sr-cohesion-order", "bce-separates", "bce-drift"):
        assert claims[key].verdict == OPEN
    assert claims["supcon-trade"].verdict == YES
    assert_well_said(claims.values())


def test_a_loss_that_collapsed_in_every_seed_cannot_be_compared():
    lost = [("supcon", seed) for seed in (1, 2, 3, 4, 5)]
    claims = by_key(made("none left", collapsed=lost))
    claim = claims["sr-cohesion-order"]
    assert claim.verdict == OPEN
    assert "SupCon none" in claim.ours
    assert "proposed and SupCon cannot be compared over 0 seeds" in claim.reason
    assert "embeddings collapsed in all" in claim.reason
    assert claims["auroc-order"].verdict == YES


def exactly(mean, sd, count=5):
    """Values with this mean and standard deviation."""
    drawn = np.linspace(-1, 1, count)
    return mean + sd * (drawn - drawn.mean()) / drawn.std(ddof=1)


def test_the_papers_own_numbers_do_not_exceed_one_deviation():
    printed = {loss: TABLE_1[loss]["detection.auroc"] for loss in LOSSES}
    values = {loss: exactly(one.mean, one.sd) for loss, one in printed.items()}
    for loss, one in printed.items():
        assert statistics.mean(values[loss]) == pytest.approx(one.mean)
        assert statistics.stdev(values[loss]) == pytest.approx(one.sd)

    def change(loss, seed):
        return {"detection.auroc": float(values[loss][seed - 1])}

    claims = by_key(made("printed", change=change))
    claim = claims["beyond-one-sd"]
    assert claim.verdict == NO
    assert claim.ours == "+0.0060 against an SD of 0.0090; +0.0090 against an SD of 0.0120"
    assert claims["auroc"].ours == "0.989 ± 0.003"
    # 2.6 and 3.4 times, of five seeds each: the interval of the first reaches below 1.
    assert claims["steadier-than-supcon"].ours.startswith("SupCon / proposed: ratio 3.00 [0.97, ")
    assert claims["steadier-than-supcon"].verdict == OPEN
    assert claims["steadier-than-bce"].ours.startswith("BCE / proposed: ratio 4.00 [1.29, ")
    assert claims["steadier-than-bce"].verdict == YES


def test_the_papers_own_gains_would_do_with_smaller_deviations():
    gains = {"patient-aware": 0.989, "supcon": 0.983, "bce": 0.980}
    values = {loss: exactly(mean, 0.0055) for loss, mean in gains.items()}

    def change(loss, seed):
        return {"detection.auroc": float(values[loss][seed - 1])}

    assert by_key(made("smaller", change=change))["beyond-one-sd"].verdict == YES


def test_patients_with_one_rhythm_are_left_out_where_they_have_no_value():
    outcomes = made("single rhythm", only_sr=(0, 7))
    claims = by_key(outcomes)
    assert "over 12 patients and 5 seeds" in claims["sr-cohesion-order"].reason
    assert "over 10 patients and 5 seeds" in claims["af-cohesion-order"].reason
    assert "over 12 patients and 5 seeds" in claims["auroc-order"].reason
    assert {key: claim.verdict for key, claim in claims.items()} == {
        key: verdicts[0] for key, verdicts in EXPECTED.items()
    }
    assert_well_said(claims.values())


def test_nobody_with_both_rhythms_is_told():
    outcomes = made("nobody", only_sr=tuple(range(11)))
    claims = by_key(outcomes)
    for key in ("auroc", "auroc-order", "af-cohesion-order", "sensitivity"):
        assert claims[key].verdict == OPEN
    assert claims["auroc"].reason.startswith(
        "No interval: subject p11 alone has windows of class AF"
    )
    assert claims["sr-cohesion-order"].verdict == YES
    assert_well_said(claims.values())


def test_a_perfect_detector_has_no_interval_and_is_told():
    outcomes = made("perfect", apart=(50.0, 50.0, 50.0), jitter=(0.0,) * 3, threshold=25.0)
    assert set(outcomes.values("bce", "detection.auroc")) == {1.0}
    with refused(EvaluationError, 12, 1):
        interval_of(outcomes.of("bce"), AUROC)
    claims = by_key(outcomes)
    for key in ("auroc", "auroc-order", "bce-worst", "sensitivity", "steadier-than-bce"):
        assert claims[key].verdict == OPEN
    assert claims["beyond-one-sd"].verdict == NO
    assert_well_said(claims.values())


def test_a_difference_over_seeds_is_that_of_students_t():
    outcomes = world("as the paper says")
    found = compare(outcomes, "bce", "supcon", CENTROID_DISTANCE)
    mine, theirs = (
        np.array([one.value("pooled.centroid_distance") for one in outcomes.of(loss)])
        for loss in ("bce", "supcon")
    )
    expected = compare_seeds(mine, theirs)
    assert (found.difference, found.low, found.high) == (
        expected.difference,
        expected.low,
        expected.high,
    )
    assert found.over == "5 seeds, patients taken as given"


def test_turning_the_losses_turns_the_sign():
    outcomes = world("as the paper says")
    for measure in (AUROC, SR_COHESION, CENTROID_DISTANCE):
        one = compare(outcomes, "patient-aware", "bce", measure)
        other = compare(outcomes, "bce", "patient-aware", measure)
        assert other.difference == pytest.approx(-one.difference)
        assert (other.low, other.high) == pytest.approx((-one.high, -one.low))
        assert one.p_value == other.p_value


def test_orders_that_differ_in_the_first_and_the_last_are_not_the_same():
    # cohesion: proposed > BCE > SupCon; AUROC: BCE > proposed > SupCon
    cohesion = PATIENT | {"sr_cohesion": (0.85, 0.77, 0.80)}

    def geometry(values):
        return cohesion["sr_cohesion"] if values == PATIENT["sr_cohesion"] else values

    found = by_key(made("first and last", apart=(2.0, 1.0, 5.0), geometry=geometry))
    assert found["auroc-as-cohesion"].verdict == NO


def test_outcomes_are_not_changed_by_looking():
    outcomes = world("no difference")
    assert isinstance(outcomes, Outcomes)
    assert check_claims(outcomes) == tuple(claims_of("no difference").values())
