"""Certificates about experts."""

from typing import Any


def verify_advice(cert: Any, X: Any, y: Any, replay: bool):
    raise NotImplementedError
