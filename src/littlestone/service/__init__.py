"""What answers over HTTP: pages and verbs for this machine alone (`local`), worked out where they can be stopped (`worker`); the lab."""
