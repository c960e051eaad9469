"""What checks share: scripted models, probe tools, judgements."""
