"""Finding by meaning and by word: embedding, its cache, lexical search, fusion."""
