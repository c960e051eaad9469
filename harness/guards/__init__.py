"""What holds whatever a model says: SQL, secrets, termination."""
