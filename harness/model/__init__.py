"""Talking to a model: chat, what a server sent, streaming, tokens, timeouts."""
