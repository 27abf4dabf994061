"""The learner of docs/adding_a_learner.md: compiled, on the command line, and through the contract suite."""

import doctest
import json
import re
import subprocess
import sys
from importlib import util
from pathlib import Path

import numpy as np
import pytest

import littlestone as ls
from littlestone.checks import yield_checks

PAGE = Path(__file__).parents[1] / "docs" / "adding_a_learner.md"


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    (code,) = (block for block in re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.S) if "def sign_step" in block)
    path = tmp_path_factory.mktemp("own") / "sign_step.py"
    path.write_text(code, "utf-8")
    return path


@pytest.fixture(scope="module")
def learner(file):
    spec = util.spec_from_file_location("sign_step", file)
    module = util.module_from_spec(spec)
    sys.modules["sign_step"] = module
    spec.loader.exec_module(module)
    return module.sign_step()


@pytest.mark.parametrize("check", list(yield_checks(None)), ids=lambda check: check.__name__)
def test_it_keeps_the_contract(learner, check):
    check(learner)


def test_its_example_runs(learner):
    assert doctest.testmod(sys.modules["sign_step"]).failed == 0 < doctest.testmod(sys.modules["sign_step"]).attempted


def test_its_pass_is_compiled(learner):
    run = ls.play(learner, np.eye(3, dtype=np.float32), [0, 1, 0])
    assert run.mistakes == 2
    assert learner.kernels.play.signatures


OLD = {  # the forms of before, which left out what a learner had no use for
    "labels, weights, predictions, scores, updates": ("labels, predictions", "the kernel play has too few arguments"),
    "y, yhat, weight)": ("y, yhat)", "the kernel update has too few arguments"),
    "predict(step, w, indices, values, lo, hi)": ("predict(w, indices, values, lo, hi)", "the kernel update has too many arguments"),
}


@pytest.mark.parametrize("now", OLD)
def test_kernels_of_another_signature_are_refused_by_name(file, now):
    before, why = OLD[now]
    source, module = file.read_text("utf-8"), {"__name__": "old_form"}
    assert source.count(now) >= 1
    exec(compile(source.replace(now, before), "old_form", "exec"), module)
    with pytest.raises(
        ls.LittlestoneError, match=rf"sign_step: {why} \(\d+\); expected (update|play)\(\*params, \*state, ind.*(weight|updates)\)"
    ):
        module["sign_step"]()


def test_the_command_line_takes_it(file, tmp_path):
    stream = tmp_path / "s.libsvm"
    stream.write_text("-1 1:5\n-1 1:0.5 2:1\n+1 2:2\n")
    command = [
        sys.executable,
        "-m",
        "littlestone",
        "run",
        str(stream),
        "--learner",
        f"{file}::sign_step:step=2",
        "--json",
        "--quiet",
    ]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    said = json.loads(result.stdout)
    assert (said["learner"], said["rounds"], said["mistakes"]) == ("sign_step", 3, 1)
