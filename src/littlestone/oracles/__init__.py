"""Who answers questions about a concept: examples, the label of a chosen instance, whether a hypothesis is right."""
