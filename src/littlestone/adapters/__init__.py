"""Littlestone inside other people's libraries: one file a library, each with that library's own names and manners."""
