# Pages whose examples make files, or are files: tests/test_own_learner.py, test_own_rule.py, test_coming_from.py and test_experts_page.py
# run them in folders of their own.
collect_ignore = ["adding_a_learner.md", "adding_a_rule.md", "coming_from.md", "experts.md"]
