"""Witnesses for the bounds in hindsight: whom to compare a run with. Any witness gives a true bound; a good one, a small one.

Pure functions of arrays: no files, no learners. What they find is the same every time, unless a time limit cuts a search short, and then
they say so.
"""
