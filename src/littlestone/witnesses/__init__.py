<<<<<<< HEAD
"""Witnesses for the bounds in hindsight: whom to compare a run with. Any witness gives a true bound; a good one, a small one.

Pure functions of arrays: no files, no learners. What they find is the same every time, unless a time limit cuts a search short, and then
they say so.
=======
"""Whom to compare a learner with: searches for the vector, the set or the expert that makes a bound in hindsight small.

A bound in hindsight holds for every witness, so a search can only be slow or find a poor one; it cannot be wrong.
>>>>>>> vectors
"""
