"""The few compiled pieces that several rooms share. Kernels take arrays and numbers, never functions; they never validate."""

#: What a `predict` kernel of a learner in filtered arithmetic returns when doubles cannot decide: its `settle` is asked.
UNDECIDED = 2
