"""From an intent to SQL, and from rows to text."""
