"""What a file of rounds means, in plain Python: the definition that verification reads with and the compiled readers are held against."""
