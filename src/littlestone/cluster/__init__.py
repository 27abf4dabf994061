"""Work on other processes and machines, by Dask: it schedules, moves and repeats; what is here connects to it, and says what goes there."""
