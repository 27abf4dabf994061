"""The online protocol: (a) an instance is shown, (b) the learner predicts, (c) the label is told.

`play` here is the definition, in plain Python. Every compiled pass must equal it.
"""

from littlestone.protocol.advice import Advice, AdviceModel, AdviceRun, AdviceRunner, Rule
from littlestone.protocol.block import Block
from littlestone.protocol.learner import UNDECIDED, Kernels, Learner
from littlestone.protocol.model import FeatureMap, Model
from littlestone.protocol.run import Run, Runner, play

__all__ = [
    "UNDECIDED", "Advice", "AdviceModel", "AdviceRun", "AdviceRunner", "Block", "FeatureMap", "Kernels", "Learner", "Model", "Rule", "Run",
    "Runner", "play",
]  # fmt: skip
