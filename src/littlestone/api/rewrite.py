"""Made again: a model from its ledger, or from its stream."""

from littlestone.models.rewrite import forget, replay, rollback

__all__ = ["forget", "replay", "rollback"]
