"""The two databases: business data, which the agent reads, and the agent's own state."""
