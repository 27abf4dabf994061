"""The online protocol: (a) an instance is shown, (b) the learner predicts, (c) the label is told.

`play` here is the definition, in plain Python. Every native pass must equal it.
"""

from littlestone.protocol.advice import Advice, AdviceRun, AdviceRunner, Rule
from littlestone.protocol.advice_model import AdviceModel
from littlestone.protocol.alarm import TESTS, Alarm, AlarmedRunner, Guard, SegmentedRun
from littlestone.protocol.block import Block
from littlestone.protocol.class_model import ClassModel
from littlestone.protocol.classes import ClassKernels, ClassLearner, ClassRun, ClassRunner, Engine, KernelEngine, Opening
from littlestone.protocol.copies import CopiesGuard, CopiesRun, ExchangeableCopies, RateCopies
from littlestone.protocol.counts import ClassRunnerCounts, RunnerCounts
from littlestone.protocol.drift import DriftGuard, RateGuard
from littlestone.protocol.events import FeatureMap
from littlestone.protocol.labels import ClassMap
from littlestone.protocol.late import LateRunner
from littlestone.protocol.layout import Column, Layout, Room
from littlestone.protocol.learner import UNDECIDED, Kernels, Learner
from littlestone.protocol.ledger import Ledger
from littlestone.protocol.metrics import ClassMetrics, Marks, Metrics
from littlestone.protocol.model import BinaryModel, Model
from littlestone.protocol.rule_runner import RuleRunner
from littlestone.protocol.run import Run, Runner, play, play_through
from littlestone.protocol.score_terms import ScoreTerms, Term

__all__ = [
    "TESTS",
    "UNDECIDED",
    "Advice",
    "AdviceModel",
    "AdviceRun",
    "AdviceRunner",
    "Alarm",
    "AlarmedRunner",
    "BinaryModel",
    "Block",
    "ClassKernels",
    "ClassLearner",
    "ClassMap",
    "ClassMetrics",
    "ClassModel",
    "ClassRun",
    "ClassRunner",
    "ClassRunnerCounts",
    "Column",
    "CopiesGuard",
    "CopiesRun",
    "DriftGuard",
    "Engine",
    "ExchangeableCopies",
    "FeatureMap",
    "Guard",
    "KernelEngine",
    "Kernels",
    "LateRunner",
    "Layout",
    "Learner",
    "Ledger",
    "Marks",
    "Metrics",
    "Model",
    "Opening",
    "RateCopies",
    "RateGuard",
    "Room",
    "Rule",
    "RuleRunner",
    "Run",
    "Runner",
    "RunnerCounts",
    "ScoreTerms",
    "SegmentedRun",
    "Term",
    "play",
    "play_through",
]
