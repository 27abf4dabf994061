"""One page of HTML that holds all that is known of a run: no script, nothing that is loaded from elsewhere, every text escaped."""
