"""What a file of rounds means, in plain Python. Slow, and meant to be read: compiled readers hand it every line they are not sure of."""
