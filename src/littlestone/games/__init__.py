"""Games against a learner: who picks the next instance, who answers, and what is kept when it ends."""
