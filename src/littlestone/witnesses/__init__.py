"""Whom to compare a learner with: searches for the vector, the set or the expert that makes a bound in hindsight small.

A bound in hindsight holds for every witness, so a search can only be slow or find a poor one; it cannot be wrong.
"""
