"""`run --mix`: a learner over shards, mixed after each epoch; what is asked, and what is printed."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from littlestone.cli import model_files
from littlestone.cli.options import ReadingOptions
from littlestone.cli.outputs import refuse_outputs
from littlestone.cli.progress import Log, tell_of_columns
from littlestone.cli.terminal import put_json, put_wrapped
from littlestone.errors import require

if TYPE_CHECKING:
    from littlestone.cli.stream_run import RunOptions

TAKEN = ("mix", "learner", "n", "assume", "as_json", "quiet", "certificate", "model", "cluster", "workers")


def carry_out_mix(streams: list[str], reading: ReadingOptions, options: RunOptions) -> int:
    """Do it, print the result; the exit code."""
    from littlestone.api.mixing import Mixing, certify_mixed, mixed
    from littlestone.cli.choose import learner_named

    o, say = options, Log(options.quiet)
    other = [field.name for field in fields(o) if field.name not in TAKEN and getattr(o, field.name) != field.default]
    require(not other, f"--mix and --{other[0].replace('_', '-') if other else ''}: one at a time")
    require(o.mix is not None and o.learner is not None, "--mix: name the learner, such as --learner perceptron or winnow")
    learner: Any = learner_named(o.learner or "", o.n)
    Mixing.of(o.mix or "", learner, 1)
    refuse_outputs({"--certificate": o.certificate, "--model": o.model}, streams, {"--learner": o.learner})
    model_files.refuse(o.model, None, 0, learner)
    stream = reading.open(streams)
    require(stream.is_file, "--mix: a pipe can be read only once; expected files")
    tell_of_columns(stream, say)
    with o.connected(say) as workers:
        run = mixed(learner, stream, None, o.mix or "", cluster=workers)
    claims = run.bounds(o.assume)
    if o.model is not None:
        model = run.start()
        model.features, model.named, model.reading = named_features(stream), stream.names is not None, stream.reading.as_json()
        model.save(o.model)
        say(f"Saved {o.model}: what the shards have learned together.")
    if o.certificate is not None:
        certify_mixed(run, stream, assume=o.assume).save(o.certificate)
        say(f"Certificate: {o.certificate}")
    if o.as_json:
        put_json(as_object(run, claims, streams, o.assume))
    else:
        put_wrapped(in_words(run, claims, o.assume))
    return int(any(claim.holds is False for claim in claims))


def named_features(stream: Any) -> Any:
    from littlestone.protocol import FeatureMap

    features = FeatureMap()
    for name in () if stream.names is None or stream.reading.bits else stream.names.names():
        features[name]
    return features


def as_object(run: Any, claims: list[Any], streams: list[str], assume: str | None) -> dict[str, Any]:
    """The object that `--json` prints; docs/command_line.md has its keys."""
    shares = [[str(share) for share in epoch] for epoch in run.shares]
    mixing = {"epochs": run.mix.epochs, "shards": list(run.shards), "weights": run.mix.weights, "mean": run.mix.mean}
    mixing |= {
        "mistakes": run.of_epochs,
        "shares": shares,
        "mixed_mistakes": float(run.mixed_mistakes),
        "bytes_per_epoch": run.bytes_per_epoch,
    }
    counts = {"learner": run.learner.name, "rounds": run.rounds, "mistakes": run.mistakes}
    return {**counts, "mixing": mixing, "bounds": [claim.as_json() for claim in claims], "streams": streams, "assume": assume}


def in_words(run: Any, claims: list[Any], assume: str | None) -> str:
    """A few sentences; what mixing gives up is one of them."""
    from littlestone.theory import mixing

    size, total = len(run.shards), run.mix.epochs
    lines = [
        f"{run.learner!r}, mixed over {size} shards ({run.mix.weights} weights, {run.mix.mean} mean), made {run.mistakes:,} mistakes in "
        f"{total} {'epoch' if total == 1 else 'epochs'} of {run.rounds:,} rounds.",
        f"By epoch: {', '.join(f'{sum(epoch):,}' for epoch in run.of_epochs)}.",
    ]
    for claim in claims:
        whom = f", compared with {claim.witness}" if claim.limit is not None and claim.witness else ""
        lines.append(f"{mixing.in_words(mixing.record_of(claim), assume)}{whom}.")
    if run.mix.mean == "intersection":
        lines.append("Merging is exact: what any shard has ruled out is ruled out, and nothing else.")
    lines.append(
        f"What mixing gives up: its bound is {size} times that of one pass in sequence, which hears of every mistake at once. "
        f"{run.bytes_per_epoch:,} bytes of states are sent in an epoch."
    )
    return "\n".join(lines)
