# Pages whose examples make files: tests/test_own_learner.py and tests/test_coming_from.py run them in folders of their own.
collect_ignore = ["adding_a_learner.md", "coming_from.md"]
