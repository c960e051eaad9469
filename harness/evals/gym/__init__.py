"""The gym: somebody's agent against a model that misbehaves, over HTTP, one misbehaviour a run."""
