# Its example is a file of its own: tests/test_own_learner.py saves it, runs it and its doctest.
collect_ignore = ["adding_a_learner.md"]
