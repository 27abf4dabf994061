"""`ls.plot`: figures of runs and certificates, ordinary ones of matplotlib, with one look. matplotlib is an extra, `plot`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from littlestone.api.experts import ExpertsRun
from littlestone.errors import LittlestoneError, require
from littlestone.protocol import AdviceRun, ClassRun
from littlestone.report import charts
from littlestone.report.experts import drawn_of, drawn_of_advice
from littlestone.report.look import BLUE, GRID, INK, MUTED, NO_MATPLOTLIB, ORANGE, canvas, look, plain_frame, plain_ticks
from littlestone.report.timeline import timeline_of
from littlestone.theory.certificate import Certificate

SIZE = (7.2, 4.4)
SQUARE = (5.6, 5.0)


def plot_run(run: Any, kind: str = "", ax: Any = None, **looks: Any) -> Any:
    """What `run.plot(kind)` draws; a figure."""
    if isinstance(run, ExpertsRun | AdviceRun):
        return _of_experts(run, kind, ax)
    kinds = _of_classes(run, looks) if isinstance(run, ClassRun) else _of_two(run, looks)
    kind = kind or "mistakes"
    require(kind in kinds, f"plot({kind!r}): a run of {run.learner.name} has {', '.join(kinds)}")
    title, draw, size = kinds[kind]
    return figure_of(draw, ax, title=f"{run.learner.name}: {title}", size=size)


Kinds = dict[str, tuple[str, Callable[[Any], None], tuple[float, float]]]


def _over_time(run: Any, looks: Mapping[str, Any]) -> Kinds:
    """What is drawn of rounds: the second look is taken when something is drawn."""

    def mistakes(axes: Any) -> None:
        claims = [] if run.resumed else run.bounds(looks.get("assume"))
        charts.mistakes(axes, timeline_of(run).steps, claims, log=looks.get("log", False), two=not isinstance(run, ClassRun))

    def rate(axes: Any) -> None:
        charts.rate(axes, timeline_of(run).steps, looks.get("window"))

    unknown = set(looks) - {"log", "window", "assume"}
    require(not unknown, f"plot takes log, window and assume; not {', '.join(sorted(unknown))}")
    return {"mistakes": ("mistakes over rounds", mistakes, SIZE), "rate": ("how often it errs", rate, SIZE)}


def _of_two(run: Any, looks: Mapping[str, Any]) -> Kinds:
    def errors(axes: Any) -> None:
        charts.ways(axes, timeline_of(run).steps, looks.get("window"))

    def calibration(axes: Any) -> None:
        reliability = run.metrics.calibration
        require(reliability is not None, f"{run.learner.name} gave no probabilities in this run; a learner such as ls.panel() does")
        charts.calibration(axes, reliability)

    def roc(axes: Any) -> None:
        require(
            run.marks is not None and run.metrics.auc is not None, "this run kept no scores, or met one label only: play with metrics=True"
        )
        charts.roc(axes, run.marks.roc(), run.metrics.auc)

    more: Kinds = {"errors": ("which way it errs", errors, SIZE), "calibration": ("are its probabilities right?", calibration, SQUARE)}
    return _over_time(run, looks) | more | {"roc": ("what a threshold would do (ROC)", roc, SQUARE)}


def _of_classes(run: ClassRun, looks: Mapping[str, Any]) -> Kinds:
    draw = partial(charts.confusion, labels=run.classes, counts=run.confusion)
    side = min(12.0, 3.2 + 0.45 * len(run.classes))
    return _over_time(run, looks) | {"confusion": ("which class is taken for which", draw, (side, side))}


def _of_experts(run: ExpertsRun | AdviceRun, kind: str, ax: Any) -> Any:
    table = isinstance(run, ExpertsRun)
    require(not table or run.gradient is None, "a figure is of the experts' own losses, and this rule was told gradients")  # type: ignore[union-attr]
    drawn = drawn_of(run) if table else drawn_of_advice(run)  # type: ignore[arg-type]
    kinds = {"loss": drawn.losses, "regret": drawn.regret, "weights": drawn.weights}
    require(not kind or kind in kinds, f"plot({kind!r}): a run over experts has {', '.join(kinds)}, or all of them without a name")
    if kind:
        return figure_of(kinds[kind], ax, title=f"{drawn.title}: {kind}")
    require(ax is None, "three panels take a figure of their own: leave out ax, or name one of loss, regret and weights")
    return figure_of(drawn.draw, None, size=(9.6, 10.4), panels=3)


def plot_certificate(certificate: Certificate, ax: Any = None) -> Any:
    """What `certificate.plot()` draws: each limit, and what was observed."""
    claims = [claim for claim in certificate.bounds if claim.limit is not None]
    require(claims, "every bound of this certificate is void: there is no limit to draw")
    observed = float(certificate.content["counts"]["observed"])
    cost = "loss" if certificate.content["about"] == "advice" and not observed.is_integer() else "mistakes"
    draw = partial(charts.limits, claims=claims, observed=observed, cost=cost)
    return figure_of(draw, ax, title=f"{certificate.content['learner']['name']}: what is proved", size=(7.6, 1.8 + 0.4 * len(claims)))


def compare(runs: Mapping[str, Any] | Iterable[Any], ax: Any = None, *, log: bool = False) -> Any:
    """Mistakes of several runs over their rounds, in one figure: {name: run}, or runs that are named by their learners.

    >>> import littlestone as ls
    >>> X, y = [[1, 0, 0], [0, 1, 0], [0, 0, 1]] * 20, [1, 1, 0] * 20
    >>> figure = ls.plot.compare({"additive": ls.play(ls.perceptron(), X, y), "multiplicative": ls.play(ls.winnow(), X, y)})
    >>> [line.get_label() for line in figure.axes[0].lines]
    ['additive: 2', 'multiplicative: 4']
    """
    named = dict(runs) if isinstance(runs, Mapping) else _by_learner(list(runs))
    require(named, "compare takes at least one run")
    courses = {}
    for name, run in named.items():
        advised = isinstance(run, ExpertsRun | AdviceRun)
        require(not advised and hasattr(run, "learner"), f"{name}: expected a run of a learner over features, as ls.play gives it")
        steps = timeline_of(run).steps
        courses[name] = (steps.rounds, steps.mistakes)
    return figure_of(partial(charts.compared, courses=courses, log=log), ax, title="mistakes over rounds")


def _by_learner(runs: Sequence[Any]) -> dict[str, Any]:
    """Runs by the names of their learners; of equal names the second has a number."""
    named: dict[str, Any] = {}
    for run in runs:
        name = repr(run.learner)
        again = sum(known == name or known.startswith(f"{name} (") for known in named)
        named[f"{name} ({again + 1})" if again else name] = run
    return named


def figure_of(draw: Callable[..., None], ax: Any = None, *, title: str = "", size: tuple[float, float] = SIZE, panels: int = 1) -> Any:
    """A figure of pyplot's, so that notebooks and windows show it; or the one that the given axes are on."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise LittlestoneError(NO_MATPLOTLIB) from None
    with look():
        if panels > 1:
            figure, every = plt.subplots(panels, 1, figsize=size, sharex=True, layout="constrained")
            draw(figure, every)
            return figure
        figure, axes = plt.subplots(figsize=size, layout="constrained") if ax is None else (ax.figure, ax)
        try:
            draw(axes)
        except BaseException:
            if ax is None:
                plt.close(figure)
            raise
        axes.set_title(title, loc="left", fontsize=11)
        handles, labels = axes.get_legend_handles_labels()
        labels = [label.replace("\n", " ") for label in labels]
        wide = len(labels) > 4 or max(map(len, labels), default=0) > 34
        if handles and ax is None:
            figure.legend(handles, labels, loc="outside lower left", ncols=1 if wide else 2, fontsize=9)
        elif handles:
            axes.legend(handles, labels, fontsize=9)
        return figure


def contest(
    path: Path,
    sizes: Sequence[int],
    mistakes: Mapping[str, Sequence[int]],
    bounds: Mapping[str, Sequence[int]],
    rounds: int,
    title: str,
) -> None:
    """Mistakes (solid) and bounds (dashed) of two learners as the number of features grows."""
    with canvas(path, figsize=(8, 5.2), dpi=150) as (_, axes):
        for (name, made), colour in zip(mistakes.items(), (BLUE, ORANGE), strict=True):
            axes.plot(sizes, bounds[name], "--", color=colour, linewidth=1.4)
            axes.plot(sizes, made, "o-", color=colour, linewidth=2.2, markersize=5)
            beside: Any = {"xytext": (8, 0), "textcoords": "offset points", "va": "center", "color": colour}
            axes.annotate(name, (sizes[-1], made[-1]), fontweight="bold", **beside)
            axes.annotate("its bound", (sizes[-1], bounds[name][-1]), **beside)
        axes.axhline(rounds, color=MUTED, linewidth=0.8)
        ends = f"{rounds:,} rounds: the stream ends"
        axes.annotate(ends, (sizes[0], rounds), (0, 5), textcoords="offset points", color=MUTED, fontsize=9)
        axes.set_xscale("log")
        axes.set_yscale("log")
        for axis in (axes.xaxis, axes.yaxis):
            plain_ticks(axis, lambda count: f"{count:,.0f}")
        axes.set_xlim(sizes[0] * 0.8, sizes[-1] * 6)
        axes.set_xlabel("features n")
        axes.set_ylabel("mistakes")
        axes.set_title(title, loc="left", color=INK, fontsize=12)
        plain_frame(axes, GRID)
