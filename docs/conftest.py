# Pages whose examples make files: tests/test_own_learner.py, test_coming_from.py and test_experts_page.py run them in folders of their own.
collect_ignore = ["adding_a_learner.md", "coming_from.md", "experts.md"]
