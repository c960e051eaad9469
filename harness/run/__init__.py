"""One turn: its data, its recorder, how it ends, compaction, summaries, the trace."""
