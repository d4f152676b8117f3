"""Random changes of the right answers of problem sets: who writes a set sees which slips its checks miss."""
