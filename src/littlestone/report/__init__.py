"""What a person sees: words, tables and figures. No printing here: the command line does that."""
