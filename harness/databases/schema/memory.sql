-- Threads, messages, tool outputs and memories of the agent.
-- Every table names its owner (user_id): two users may call a thread by the same name.

CREATE TABLE IF NOT EXISTS memory_users (
    user_id TEXT PRIMARY KEY, information TEXT NOT NULL, metadata TEXT, created_at TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS memory_agents (
    agent_id TEXT PRIMARY KEY, information TEXT NOT NULL, metadata TEXT, created_at TEXT NOT NULL
);

CREATE TABLE IF NOT EXISTS threads (
    user_id TEXT NOT NULL, thread_id TEXT NOT NULL, agent_id TEXT, metadata TEXT,
    summary TEXT, summary_through INTEGER NOT NULL DEFAULT 0,
    summary_by_model INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL,
    summary_seen TEXT NOT NULL DEFAULT '', -- the row policies under which the summary was made
    PRIMARY KEY (user_id, thread_id)
);
CREATE INDEX IF NOT EXISTS threads_by_id ON threads (thread_id);

CREATE TABLE IF NOT EXISTS messages (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT NOT NULL UNIQUE,
    user_id TEXT NOT NULL, thread_id TEXT NOT NULL, turn_id TEXT, role TEXT NOT NULL,
    content TEXT NOT NULL, metadata TEXT, expires_at TEXT, created_at TEXT NOT NULL,
    seen TEXT NOT NULL DEFAULT '' -- the row policies under which it was written
);
CREATE INDEX IF NOT EXISTS messages_of_thread ON messages (thread_id, user_id, seq);

-- A call without a status has no result: the turn was interrupted while it ran. One index only:
-- two of these rows are written at every step of the loop.
CREATE TABLE IF NOT EXISTS tool_outputs (
    seq INTEGER PRIMARY KEY, user_id TEXT NOT NULL, thread_id TEXT NOT NULL,
    turn_id TEXT NOT NULL, tool_call_id TEXT NOT NULL, name TEXT NOT NULL,
    arguments TEXT NOT NULL DEFAULT '', content TEXT, status TEXT,
    seen TEXT NOT NULL DEFAULT '', -- the row policies under which it was had
    UNIQUE (thread_id, user_id, turn_id, tool_call_id)
);

CREATE TABLE IF NOT EXISTS memories (
    row INTEGER PRIMARY KEY AUTOINCREMENT, record_id TEXT NOT NULL UNIQUE,
    type TEXT NOT NULL, memory_type TEXT NOT NULL, kind TEXT NOT NULL,
    subject TEXT NOT NULL, value TEXT NOT NULL, wording TEXT,
    source TEXT NOT NULL, source_id TEXT, confidence TEXT NOT NULL, scope TEXT NOT NULL,
    valid_from TEXT, expires_at TEXT, writable_by TEXT NOT NULL, readable_by TEXT NOT NULL,
    model_generated INTEGER NOT NULL, high_impact INTEGER, status TEXT NOT NULL, status_reason TEXT,
    user_id TEXT, agent_id TEXT, thread_id TEXT, metadata TEXT, timestamp TEXT,
    owner TEXT NOT NULL, claim TEXT NOT NULL, subject_key TEXT NOT NULL,
    created_at TEXT NOT NULL, used_at TEXT, seen TEXT
);
CREATE INDEX IF NOT EXISTS memories_of_user ON memories (user_id, kind, status);
CREATE INDEX IF NOT EXISTS memories_in_order ON memories (user_id);
CREATE INDEX IF NOT EXISTS memories_of_thread ON memories (thread_id, user_id);
CREATE INDEX IF NOT EXISTS memories_of_agent ON memories (agent_id) WHERE agent_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS memories_by_claim ON memories (claim);
DROP INDEX IF EXISTS memories_by_subject;
CREATE INDEX IF NOT EXISTS memories_of_subject ON memories (subject_key, user_id, status);
DROP INDEX IF EXISTS memories_left;
CREATE INDEX IF NOT EXISTS memories_not_live ON memories (user_id, row) WHERE status != 'active';
CREATE INDEX IF NOT EXISTS memories_by_source ON memories (source_id) WHERE source_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS memories_by_expiry ON memories (expires_at)
    WHERE expires_at IS NOT NULL;

-- The seals of records and links lie apart from them: a row that is put back as it was has none.
CREATE TABLE IF NOT EXISTS memory_seals (item TEXT PRIMARY KEY, seal TEXT NOT NULL) WITHOUT ROWID;
-- How often seals were changed, by whatever: whoever knows their sum sees that it has to look anew.
CREATE TABLE IF NOT EXISTS memory_seal_changes (changes INTEGER NOT NULL);
INSERT INTO memory_seal_changes SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM memory_seal_changes);
CREATE TRIGGER IF NOT EXISTS memory_seals_insert AFTER INSERT ON memory_seals BEGIN
    UPDATE memory_seal_changes SET changes = changes + 1;
END;
CREATE TRIGGER IF NOT EXISTS memory_seals_update AFTER UPDATE ON memory_seals BEGIN
    UPDATE memory_seal_changes SET changes = changes + 1;
END;
CREATE TRIGGER IF NOT EXISTS memory_seals_delete AFTER DELETE ON memory_seals BEGIN
    UPDATE memory_seal_changes SET changes = changes + 1;
END;
-- It only counts up: set back, it would say that nothing was changed.
CREATE TRIGGER IF NOT EXISTS memory_seal_changes_count BEFORE UPDATE ON memory_seal_changes
    WHEN NEW.changes <> OLD.changes + 1 BEGIN
    SELECT RAISE(ABORT, 'the counter of seals only counts up');
END;
CREATE TRIGGER IF NOT EXISTS memory_seal_changes_stays BEFORE DELETE ON memory_seal_changes BEGIN
    SELECT RAISE(ABORT, 'the counter of seals only counts up');
END;

-- The word index holds what may be recalled and nothing else, in the same transaction.
CREATE VIEW IF NOT EXISTS memories_recallable AS
    SELECT row, value, subject, owner FROM memories WHERE status = 'active';
CREATE VIRTUAL TABLE IF NOT EXISTS memories_fts USING fts5 (
    value, subject, owner, content = 'memories_recallable', content_rowid = 'row',
    tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE TRIGGER IF NOT EXISTS memories_fts_insert AFTER INSERT ON memories
WHEN NEW.status = 'active' BEGIN
    INSERT INTO memories_fts (rowid, value, subject, owner)
    VALUES (NEW.row, NEW.value, NEW.subject, NEW.owner);
END;
CREATE TRIGGER IF NOT EXISTS memories_fts_update AFTER UPDATE OF status, value, subject ON memories
BEGIN
    INSERT INTO memories_fts (memories_fts, rowid, value, subject, owner)
    SELECT 'delete', OLD.row, OLD.value, OLD.subject, OLD.owner WHERE OLD.status = 'active';
    INSERT INTO memories_fts (rowid, value, subject, owner)
    SELECT NEW.row, NEW.value, NEW.subject, NEW.owner WHERE NEW.status = 'active';
END;
CREATE TRIGGER IF NOT EXISTS memories_fts_delete AFTER DELETE ON memories
WHEN OLD.status = 'active' BEGIN
    INSERT INTO memories_fts (memories_fts, rowid, value, subject, owner)
    VALUES ('delete', OLD.row, OLD.value, OLD.subject, OLD.owner);
END;

-- How often the word index was optimized since it was last built (see wipe_words).
CREATE TABLE IF NOT EXISTS memory_word_upkeep (
    id INTEGER PRIMARY KEY CHECK (id = 1), optimized INTEGER NOT NULL, swept TEXT
);
INSERT OR IGNORE INTO memory_word_upkeep (id, optimized) VALUES (1, 0);

-- Vectors of what may be recalled. A version is never used again, so it can serve as the place of
-- the vector in the cache file beside the database (harness/memory/vectors.py).
CREATE TABLE IF NOT EXISTS memory_vectors (
    version INTEGER PRIMARY KEY AUTOINCREMENT, row INTEGER NOT NULL UNIQUE, vector BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS memory_vector_holes (version INTEGER PRIMARY KEY);
CREATE TABLE IF NOT EXISTS memory_vector_file (
    id INTEGER PRIMARY KEY CHECK (id = 1), generation INTEGER NOT NULL, synced INTEGER NOT NULL
);
INSERT OR IGNORE INTO memory_vector_file (id, generation, synced) VALUES (1, 1, 0);
CREATE TRIGGER IF NOT EXISTS memory_vectors_hole AFTER DELETE ON memory_vectors BEGIN
    INSERT OR IGNORE INTO memory_vector_holes (version) VALUES (OLD.version);
END;
CREATE TRIGGER IF NOT EXISTS memories_vector_leave AFTER UPDATE OF status ON memories
WHEN NEW.status != 'active' BEGIN
    DELETE FROM memory_vectors WHERE row = OLD.row;
    DELETE FROM memory_pending WHERE row = OLD.row;
END;

-- Live records that wait for their vector: there was no embedding model when they came.
CREATE TABLE IF NOT EXISTS memory_pending (row INTEGER PRIMARY KEY);

-- One row for each leaf of a record's metadata, so that filters use an index.
CREATE TABLE IF NOT EXISTS memory_metadata (
    path TEXT NOT NULL, value TEXT NOT NULL, row INTEGER NOT NULL,
    PRIMARY KEY (path, value, row)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS memory_metadata_of_row ON memory_metadata (row);
CREATE TRIGGER IF NOT EXISTS memories_delete AFTER DELETE ON memories BEGIN
    DELETE FROM memory_vectors WHERE row = OLD.row;
    DELETE FROM memory_metadata WHERE row = OLD.row;
    DELETE FROM memory_pending WHERE row = OLD.row;
    DELETE FROM memory_versions WHERE record_id = OLD.record_id;
    DELETE FROM memory_seals WHERE item = OLD.record_id;
    DELETE FROM memory_links
    WHERE source_record_id = OLD.record_id OR target_record_id = OLD.record_id;
END;

-- Signed events that were used: each works once, also after its entry was deleted.
CREATE TABLE IF NOT EXISTS memory_grants (event_id TEXT PRIMARY KEY, used_at TEXT NOT NULL);

-- What a record said before it was changed.
CREATE TABLE IF NOT EXISTS memory_versions (
    id INTEGER PRIMARY KEY AUTOINCREMENT, record_id TEXT NOT NULL, value TEXT NOT NULL,
    replaced_at TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS memory_versions_of ON memory_versions (record_id);
CREATE TRIGGER IF NOT EXISTS memory_versions_delete AFTER DELETE ON memory_versions BEGIN
    DELETE FROM memory_seals WHERE item = 'version ' || OLD.record_id || ' ' || OLD.replaced_at;
END;

CREATE TABLE IF NOT EXISTS memory_links (
    id TEXT PRIMARY KEY, source_record_id TEXT NOT NULL, source_record_type TEXT NOT NULL,
    target_record_id TEXT NOT NULL, target_record_type TEXT NOT NULL,
    relation_type TEXT NOT NULL, opposite_relation_type TEXT NOT NULL,
    timestamp TEXT, metadata TEXT, created_at TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS memory_links_from ON memory_links (source_record_id);
CREATE INDEX IF NOT EXISTS memory_links_to ON memory_links (target_record_id);
CREATE TRIGGER IF NOT EXISTS memory_links_delete AFTER DELETE ON memory_links BEGIN
    DELETE FROM memory_seals WHERE item = OLD.id;
END;

-- The current version of documents that records rest on (as name@version).
CREATE TABLE IF NOT EXISTS memory_sources (name TEXT PRIMARY KEY, version TEXT NOT NULL);

-- What was decided about a record and why: admissions, quarantines, retirements, contradictions.
-- No value is kept here, so that a hard delete leaves nothing behind.
CREATE TABLE IF NOT EXISTS memory_events (
    id INTEGER PRIMARY KEY AUTOINCREMENT, record_id TEXT, user_id TEXT, action TEXT NOT NULL,
    reason TEXT NOT NULL, at TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS memory_events_of ON memory_events (record_id);
