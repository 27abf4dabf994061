"""Makes version-1.littlestone, a model file as version 1 of the format writes it. Run once; the file stays as it is for good.

The stream is written out here so that a test can tell what the model must be: python tests/data/make_model.py
"""

from pathlib import Path

import littlestone as ls

MAIL = [
    ({"free": 1, "offer": 2}, False),
    ({"minutes": 1, "größe": 0.5}, True),
    ({"free": 1}, True),
    ({"offer": 1}, None),
    ({"offer": 3, "minutes": 1}, False),
    ({"free": 2, "minutes": 0.25}, True),
]
SETTINGS = {"margin": "1/2", "bias": 1}


def model():
    made = ls.perceptron(**SETTINGS).start()
    made.sorts = False  # rows of version 1 stay in the order in which they are written, and so do names that are new in a row
    for mail, spam in MAIL:
        made.update(mail, spam, 1.5 if spam else 1.0)
    return made


if __name__ == "__main__":
    model().save(Path(__file__).with_name("version-1.littlestone"))
