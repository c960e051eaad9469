-- Facts from scanned schemas. A fact is known by (owner, kind, subject); its digest says whether a
-- rescan changed it. vector: 384 little-endian float32, NULL until embedded.
CREATE TABLE IF NOT EXISTS facts (
    fact_id INTEGER PRIMARY KEY,
    owner TEXT NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    body TEXT NOT NULL,
    metadata TEXT NOT NULL,
    digest TEXT NOT NULL,
    vector BLOB,
    UNIQUE (owner, kind, subject)
);

-- The word leg. The texts are folded and stemmed by harness.retrieval.lexical_search before they come here;
-- codes holds values that a question may name exactly (UN/LOCODEs, IMO numbers, names).
CREATE VIRTUAL TABLE IF NOT EXISTS facts_words USING fts5 (
    subject, body, codes, tokenize = "unicode61 remove_diacritics 0"
);

-- In how many facts a word occurs: what most facts hold tells none of them apart.
CREATE VIRTUAL TABLE IF NOT EXISTS facts_vocabulary USING fts5vocab (facts_words, row);

-- Which schemas were scanned, from which database.
CREATE TABLE IF NOT EXISTS scans (
    owner TEXT PRIMARY KEY,
    source TEXT NOT NULL,
    counts TEXT NOT NULL
);

-- One number that changes with every change of facts, so that a process knows when to read again.
CREATE TABLE IF NOT EXISTS facts_version (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    version INTEGER NOT NULL
);
