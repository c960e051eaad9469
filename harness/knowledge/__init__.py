"""What the agent can look up: facts of the schema, the helpdesk's articles, skills."""
