"""Which studies may be started or resumed in a folder, and folders of version 0.1."""

import json

import pytest

from pacl.atomic_write import TargetError
from pacl.rr import Cut
from pacl.studies import Plan, RunError
from pacl.studies.reproduce import _upgraded as upgraded_reproduce
from pacl.studies.rivals.make import _upgraded as upgraded_rivals
from pacl.studies.study_folder import differences, read_study, start_study
from pacl.studies.tuning.space import flat_settings
from pacl.studies.tuning.study import _upgraded as upgraded_tune
from pacl.studies.tuning.study import study_name
from support.refusals import refused

IDENTITY = {"data": "here", "seeds": (1, 2), "plans": {"bce": {"lr": 0.5}}}


def start(target, identity=IDENTITY, **options):
    start_study(target, "rivals", identity, **{"results": "jobs", **options})


def stored(target):
    return json.loads((target / "study.json").read_text())


def with_results(target):
    (target / "jobs" / "one").mkdir(parents=True)
    return target


def test_the_same_study_is_resumed_and_another_refused(tmp_path):
    start(tmp_path)
    start(with_results(tmp_path))
    before = (tmp_path / "study.json").read_bytes()
    for change, fact in (
        ({"data": "there"}, "data here / there"),
        ({"seeds": (1,)}, "seeds [1, 2] / [1]"),
        ({"plans": {"bce": {"lr": 0.1}}}, "plans.bce.lr 0.5 / 0.1"),
        ({"plans": {**IDENTITY["plans"], "supcon": {"lr": 1}}}, "plans.supcon.lr None / 1"),
        ({"folds": 3}, "folds None / 3"),
    ):
        with refused(RunError, tmp_path, fact):
            start(tmp_path, IDENTITY | change)
    with refused(RunError, "pacl rivals"):
        start_study(tmp_path, "tune", IDENTITY, results=None)
    assert (tmp_path / "study.json").read_bytes() == before


def test_before_there_are_results_a_study_may_change(tmp_path):
    start(tmp_path, new=True)
    (tmp_path / "windows").mkdir()
    start(tmp_path, IDENTITY | {"data": "there"}, new=True, scratch=("windows",))
    assert stored(tmp_path)["data"] == "there"
    assert not (tmp_path / "windows").exists()
    (tmp_path / "windows").mkdir()
    with refused(RunError, tmp_path / "windows"):
        start(tmp_path, new=True, scratch=("windows",), inputs=[tmp_path / "windows"])
    assert (tmp_path / "windows").exists()


def test_a_first_call_fixes_a_study_without_a_folder_of_results(tmp_path):
    start(tmp_path, results=None)
    with refused(RunError, "data here / there"):
        start(tmp_path, IDENTITY | {"data": "there"}, results=None)


def test_what_becomes_known_later_is_kept_with_the_rest(tmp_path):
    start(tmp_path, new=True)
    start(tmp_path, {"windows": {"a": "0"}, "elsewhere": {}})
    start(tmp_path, {"windows": {"a": "1"}, "elsewhere": {}})
    assert stored(tmp_path)["data"] == "here"
    with_results(tmp_path)
    more = {"windows": {"b": "2"}, "elsewhere": {"x": "3"}}
    start(tmp_path, more, grows=("windows",), free=("elsewhere",))
    assert stored(tmp_path)["windows"] == {"a": "1", "b": "2"}
    assert stored(tmp_path)["data"] == "here"
    with refused(RunError, "windows.a 1 / 2"):
        start(tmp_path, {"windows": {"a": "2"}}, grows=("windows",))


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(TargetError):
        start(tmp_path, new=True)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize("content", [None, "{", "[]", '{"windows": 3}'])
def test_results_of_an_unknown_study_are_refused(tmp_path, content):
    with_results(tmp_path)
    if content is not None:
        (tmp_path / "study.json").write_text(content)
    with refused(RunError, tmp_path):
        start(tmp_path)


def test_differences_are_dotted_keys_then_and_now():
    assert differences({"a": {"b": 1}, "c": 2}, {"a": {"b": 3}, "c": 2}) == ["a.b 1 / 3"]


# ---------------------------------------------------------------------- folders of version 0.1


def write(target, **files):
    for name, content in files.items():
        (target / f"{name.replace('_', '-')}.json").write_text(json.dumps(content))


def of_version_01(plan):
    """A plan as version 0.1 wrote it."""
    stated = json.loads(json.dumps(plan.to_dict()))
    stated["train"] |= {"breath": 0.0, "faults": 0.0}
    stated["sampler"]["patients"] = stated["sampler"].pop("subjects")
    del stated["objective"]["memory"], stated["encoder"]["name"], stated["augmentation"]
    del stated["train"]["score_windows"]
    return stated


def test_a_reproduction_of_version_01_is_resumed(tmp_path):
    settings = {"losses": ["bce"], "seeds": [1], "folds": 0, "fold_seed": 1}
    given = {"simulate": {"patients": 60, "seed": 0}, "prepare": {"protocol": "pooled"}}
    write(
        tmp_path,
        reproduce={"data": "/d", "settings": settings | given, "read": {"beats": "all"}},
        study={
            "format": "pacl study 1",
            "windows": "w",
            "elsewhere": {},
            "seeds": [1],
            "folds": 0,
            "fold_seed": 1,
            "plans": {"bce": of_version_01(Plan(loss="bce"))},
        },
    )
    (tmp_path / "runs" / "bce-1").mkdir(parents=True)
    identity = {
        "data": "/d",
        "read": {"beats": "all"},
        **given,
        **settings,
        "windows": "w",
        "plans": {"bce": Plan(loss="bce").to_dict()},
    }
    options = {"results": "runs", "upgrade": upgraded_reproduce}
    with refused(RunError, "seeds [1] / [2]"):
        start_study(tmp_path, "reproduce", identity | {"seeds": [2]}, **options)
    start_study(tmp_path, "reproduce", identity, **options)
    assert not (tmp_path / "reproduce.json").exists()
    start_study(tmp_path, "reproduce", identity, **options)


def test_a_comparison_of_version_01_is_resumed(tmp_path):
    write(
        with_results(tmp_path),
        rivals={"data": "/d", "other_data": "", "few": [1, 99], "leaking": ["proposed", "bce"]},
        study={"windows": {"here": "w"}, "folds": 5, "few": [1]},
    )
    identity = {"data": "/d", "other_data": "", "few": (1, 99), "leaking": ("patient-aware", "bce")}
    start(tmp_path, identity, upgrade=upgraded_rivals)
    start(tmp_path, {"windows": {"here": "w"}, "folds": 5}, grows=("windows",))
    assert not (tmp_path / "rivals.json").exists()
    with refused(RunError, "folds 5 / 4"):
        start(tmp_path, {"folds": 4})


@pytest.mark.parametrize("kind", ["weights", "beats"])
def test_weights_of_version_01_are_resumed(tmp_path, kind):
    identity = {"data": ["a"], "name": "mine"}
    write(tmp_path, weights_study=identity | ({"kind": "beats"} if kind == "beats" else {}))
    with_results(tmp_path)
    start_study(tmp_path, kind, identity, results="jobs")
    assert stored(tmp_path)["kind"] == kind
    with refused(RunError, "name mine / yours"):
        start_study(tmp_path, kind, identity | {"name": "yours"}, results="jobs")


def test_a_search_of_version_01_is_resumed(tmp_path):
    about = {"space": "fair", "seeds": 1, "windows": "w", **flat_settings(Plan(), Cut())}
    then = json.loads(json.dumps(about))
    then |= {"train.breath": 0.0, "train.faults": 0.0, "loss": "patient-aware"}
    then["sampler.patients"] = then.pop("sampler.subjects")
    del then["encoder.name"], then["augmentation.name"]
    del then["objective.memory"], then["objective.memory_begins"], then["train.score_windows"]
    write(tmp_path, study={"study": study_name(about), "about": then})
    assert study_name(about) == "pacl patient-aware fair 318e0f186c65"
    identity = {"study": study_name(about), **about}
    start_study(tmp_path, "tune", identity, results=None, upgrade=upgraded_tune)
    assert read_study(tmp_path, "tune")["sampler.subjects"] == 8
    assert study_name(about | {"train.score_windows": 4096}) != study_name(about)
    with refused(RunError, "train.lr 0.0068 / 0.5"):
        start_study(tmp_path, "tune", identity | {"train.lr": 0.5}, results=None)
