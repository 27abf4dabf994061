"""`littlestone demo`: two learners, one sparse target, more and more features; then a run on text-like data."""

from pathlib import Path
from typing import Annotated

import typer

from littlestone.cli.terminal import put, put_wrapped

RANK = 18
SIZES = (100, 1_000, 10_000, 100_000)
RELEVANT, ROUNDS, DENSITY = 5, 20_000, 0.1


def demo(
    out: Annotated[Path, typer.Option(help="Where to write the figure.")] = Path("littlestone-demo.png"),
    rounds: Annotated[int, typer.Option(min=1, help="Rounds for each number of features.")] = ROUNDS,
) -> None:
    """Show Winnow against the Perceptron as irrelevant features abound, and a run with its bound.

    Example: littlestone demo --out figure.png
    """
    from littlestone.api.certify import floor_of
    from littlestone.api.compare import compare
    from littlestone.api.play import play
    from littlestone.concepts import disjunction_blocks, text_blocks
    from littlestone.learners.binary.perceptron import perceptron
    from littlestone.learners.binary.winnow import winnow
    from littlestone.report import plots, words

    put(f"1. A disjunction of {RELEVANT} variables hidden among n, {rounds:,} rounds, each other variable on with probability {DENSITY:g}.")
    put("   Mistakes made, and the bound for any disjunction of that many variables (the Perceptron's for rows as long as these):\n")
    put("            n            winnow         its bound        perceptron         its bound")
    mistakes: dict[str, list[int]] = {"winnow": [], "perceptron": []}
    bounds: dict[str, list[int]] = {"winnow": [], "perceptron": []}
    for n in SIZES:
        learners = {"winnow": winnow(n=n), "perceptron": perceptron(n=n, bias=1)}
        blocks = disjunction_blocks(n, RELEVANT, rounds, density=DENSITY)
        for entry in compare(learners, blocks, assume=f"disjunction:r={RELEVANT}").learners:
            mistakes[entry.name].append(int(entry.mistakes or 0))
            bounds[entry.name].append(int(entry.limit or 0))
        cells = [f"{n:,}", *(f"{series[name][-1]:,}" for name in mistakes for series in (mistakes, bounds))]
        put(cells[0].rjust(13) + "".join(cell.rjust(18) for cell in cells[1:]))
    ratio = [series[-1] / max(1, series[0]) for series in mistakes.values()]
    put(f"\n   From n = {SIZES[0]:,} to {SIZES[-1]:,}, Winnow's mistakes grew {ratio[0]:.1f} times, the Perceptron's {ratio[1]:.0f} times.")
    held = all(made <= limit for name in mistakes for made, limit in zip(mistakes[name], bounds[name], strict=True))
    put(f"   Winnow's bound grows like log n, the Perceptron's like n. {'Both held on every stream.' if held else 'A bound failed.'}\n")
    put("2. Text-like data: 50,000 rows of about 70 words among 47,236, noisy labels.\n")
    text = list(text_blocks(50_000))
    play(perceptron(bias=1), text[:1])  # compiles, where it has not been: the clock below is for the pass alone
    done = play(perceptron(bias=1), text)
    put_wrapped("   " + words.summary(done, [*done.bounds(), floor_of(done, text)]).replace("\n", "\n   "), indent=7)
    title = f"Mistakes on a disjunction of {RELEVANT} among n variables"
    plots.contest(out, SIZES, mistakes, bounds, rounds, title)
    put(f"\nThe figure is in {out}.")
