"""What a person hears of replays: how long they take, and what is known without one."""

SOON = 20.0  # seconds that are not worth a word beforehand
WITHOUT = (
    "--no-replay takes a small part of that: it checks stream, counts and bounds, but not that the learners made these mistakes, "
    "and ends with exit code 3 in place of 0."
)


def as_time(seconds: float) -> str:
    """
    >>> as_time(37.2), as_time(100), as_time(800)
    ('37 s', '2 minutes', '13 minutes')
    """
    return f"{seconds:,.0f} s" if seconds < 90 else f"{seconds / 60:,.0f} minutes"


def of_a_panel(rounds: int) -> str | None:
    """How long `verify` will take for a panel's certificate; None where it is soon done."""
    from littlestone.verifier.panel_replay import seconds_of_replay

    seconds = seconds_of_replay(rounds)
    again = f"`littlestone verify` plays its {rounds:,} rounds again in plain Python, which takes about {as_time(seconds)} here"
    return f"{again}. {WITHOUT}" if seconds > SOON else None
