"""What is published: metadata, licences, workflows and forms agree with the repository."""

import json
import re
import tomllib
from pathlib import Path

import pytest
import yaml

from support import wheel_files

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
WEIGHTS = ROOT / "src/pacl/detect/weights"
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
FORMS = sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml"))


def parsed(path):
    return yaml.safe_load(path.read_text("utf-8"))


def steps(workflow):
    return [step for job in parsed(workflow)["jobs"].values() for step in job["steps"]]


def test_the_notice_attributes_all_data_that_weights_were_learned_from():
    notice = (ROOT / "NOTICE.md").read_text("utf-8")
    learned = json.loads((WEIGHTS / "af-beats/detector.json").read_text("utf-8"))["learned_from"]
    assert len(learned) == 5
    for one in learned:
        (row,) = [line for line in notice.splitlines() if f"({one['cohort'].upper()})" in line]
        assert one["licence"] in row
        assert f"{one['records']} " in row
        assert "af-beats" in row
    named = {card.stem for card in WEIGHTS.glob("*.md")} | {"af-beats"}
    assert {name for name in named if name not in notice} == set()


def test_all_licence_files_exist_and_are_in_the_source_archive():
    assert PROJECT["license-files"] == ["LICENSE", "NOTICE.md"]
    assert all((ROOT / name).is_file() for name in PROJECT["license-files"])


def test_what_is_missing_in_a_wheel_is_noticed():
    names = {
        path.relative_to(wheel_files.SOURCE).as_posix()
        for path in wheel_files.SOURCE.rglob("*")
        if path.is_file()
    }
    licences = {f"pacl-1.0.dist-info/licenses/{name}" for name in ("LICENSE", "NOTICE.md")}
    assert wheel_files.faults(names | licences) == []
    assert wheel_files.faults(names | licences | {"tests/a.py"}) == ["unexpected: tests"]
    for gone in ("pacl/detect/weights/af-beats/card.md", "pacl-1.0.dist-info/licenses/NOTICE.md"):
        (fault,) = wheel_files.faults((names | licences) - {gone})
        assert fault.removeprefix("missing: ") in gone


def test_links_that_lead_nowhere_are_noticed():
    head, home = "Version: 1.0\n\n", "https://github.com/pacl-dev/pacl/blob"
    good = f"[a]({home}/v1.0/a.md) [b](#b) [c](https://a.org/c)"
    assert wheel_files.faults_of_links(head + good) == []
    bad = ("[a](docs/a.md)", "![b](b.png)", f"![b]({home}/v1.0/b.png)", f"[a]({home}/v$V/a.md)")
    for links in ("", *bad, f"[a]({home}/v0.9/a.md)"):
        assert len(wheel_files.faults_of_links(head + links)) == 1


def test_the_citation_has_the_version_and_the_home_of_the_package():
    citation = parsed(ROOT / "CITATION.cff")
    assert str(citation["version"]) == PROJECT["version"]
    assert citation["repository-code"] == PROJECT["urls"]["Homepage"]


def test_installing_states_each_extra_and_each_python():
    page = (ROOT / "docs/install.md").read_text("utf-8")
    listed = set(re.findall(r"^\| `(\w+)` \|", page, flags=re.MULTILINE))
    assert listed == set(PROJECT["optional-dependencies"])
    assert all(version in page for version in pythons())


def test_all_takes_every_extra():
    (line,) = PROJECT["optional-dependencies"]["all"]
    named = set(re.fullmatch(r"pacl\[(.*)\]", line)[1].split(","))
    assert named == set(PROJECT["optional-dependencies"]) - {"all"}


def pythons():
    found = [one.rpartition(" ")[2] for one in PROJECT["classifiers"] if "Python :: 3." in one]
    assert len(found) >= 4
    return found


def test_each_python_is_tested_on_each_system():
    jobs = parsed(ROOT / ".github/workflows/ci.yml")["jobs"]
    for name in ("tests", "windows", "wheel"):
        assert jobs[name]["strategy"]["matrix"]["python"] == pythons(), name
    systems = {one.partition("-")[0] for one in jobs["wheel"]["strategy"]["matrix"]["os"]}
    assert systems == {"ubuntu", "macos", "windows"}


def test_workflows_run_the_tests_as_make_does():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    (line,) = re.findall(r"\$\(BIN\)/(python -m pytest .*--doctest-modules.*)", makefile)
    assert f".venv/bin/{line}" in [
        step.get("run") for step in steps(ROOT / ".github/workflows/ci.yml")
    ]


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_may_little_and_names_what_exists(workflow):
    content = parsed(workflow)
    assert content["permissions"] == {"contents": "read"}
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    for job in content["jobs"].values():
        assert job["timeout-minutes"] <= 120
    for step in steps(workflow):
        if "uses" in step:
            assert re.fullmatch(r"[\w./-]+@(v\d+|release/v\d+)", step["uses"])
        for target in re.findall(r"\bmake (\w+)", step.get("run", "")):
            assert target in targets
        for path in re.findall(
            r"(?<![\w/])(?:\.\./)?((?:tests|src|\.ci)/[\w/.]+)", step.get("run", "")
        ):
            assert (ROOT / path).exists(), path


def test_only_publishing_may_ask_for_an_identity():
    jobs = parsed(ROOT / ".github/workflows/release.yml")["jobs"]
    assert [name for name, job in jobs.items() if "permissions" in job] == ["publish"]
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    assert jobs["publish"]["needs"] == "build"


def test_forms_ask_for_the_version_and_protect_patients():
    texts = {form.stem: form.read_text("utf-8") for form in FORMS}
    assert set(texts) == {"bug", "config", "feature", "recording"}
    for name in ("bug", "recording"):
        assert "pacl --version --verbose" in texts[name]
        assert re.search(
            r"(?i)no recordings of patients|not upload recordings of patients", texts[name]
        )
    for form in FORMS:
        parts = parsed(form).get("body", [])
        keys = [part["id"] for part in parts if "id" in part]
        assert len(keys) == len(set(keys))
