-- The schema of spade.db. Everything belongs to the cycle that committed it. Nested values are JSON; columns
-- and views that repeat a part of one are computed from it.

CREATE TABLE cycles (
  number          INTEGER PRIMARY KEY,       -- 0 is the start of the run, before any training
  stats           TEXT NOT NULL,             -- JSON
  state           BLOB,                      -- what the next cycle needs besides the weights
  checkpoint      TEXT NOT NULL,             -- folder below the run's, '' if no weights were saved
  designed        INTEGER AS (stats ->> '$.designed'),
  admitted        INTEGER AS (stats ->> '$.admitted'),
  win_rate        REAL    AS (stats ->> '$.win_rate'),
  hinted_win_rate REAL    AS (stats ->> '$.hinted_win_rate'),
  regret          REAL    AS (stats ->> '$.regret'),
  designer_reward REAL    AS (stats ->> '$.designer_reward'),
  held_out        REAL    AS (stats ->> '$.held_out')
);

CREATE TABLE passages (
  cycle    INTEGER NOT NULL REFERENCES cycles,
  position INTEGER NOT NULL,
  id       TEXT NOT NULL,
  text     TEXT NOT NULL,
  source   TEXT NOT NULL,
  meta     TEXT NOT NULL,                    -- JSON
  PRIMARY KEY (cycle, position)
);

CREATE TABLE designs (
  cycle        INTEGER NOT NULL REFERENCES cycles,
  slot         INTEGER NOT NULL,
  made         INTEGER NOT NULL,             -- the cycle that sampled it; cycle is the one that rewarded it
  skill        TEXT NOT NULL,
  passage_id   TEXT NOT NULL,                -- '' if ungrounded
  env_id       TEXT NOT NULL,                -- '' if no source was given
  examples     TEXT NOT NULL,                -- JSON, as all to the end of the table but reply
  prompt       TEXT NOT NULL,
  reply        TEXT NOT NULL,
  trajectory   TEXT NOT NULL,
  first        TEXT NOT NULL,
  repairs      TEXT NOT NULL,
  verdict      TEXT NOT NULL,
  hint_verdict TEXT NOT NULL,
  raw          REAL NOT NULL,
  reward       REAL NOT NULL,
  advantage    REAL NOT NULL,
  masked       INTEGER NOT NULL,
  admit        INTEGER AS (verdict ->> '$.admit'),
  stage        TEXT    AS (verdict ->> '$.stage'),
  PRIMARY KEY (cycle, slot)
);

-- Why designs were refused: one row per reason of the last verdict on the source and on the hint.
CREATE VIEW reasons AS
  SELECT d.cycle, d.slot, d.env_id, 'environment' AS subject,
         r.value ->> '$.code' AS code, r.value ->> '$.detail' AS detail, r.value -> '$.evidence' AS evidence
    FROM designs d, json_each(d.verdict, '$.reasons') r WHERE r.type = 'object'
  UNION ALL
  SELECT d.cycle, d.slot, d.env_id, 'hint',
         r.value ->> '$.code', r.value ->> '$.detail', r.value -> '$.evidence'
    FROM designs d, json_each(d.hint_verdict, '$.reasons') r WHERE r.type = 'object';

CREATE TABLE environments (                  -- the source is environments/<id>.py
  cycle      INTEGER NOT NULL REFERENCES cycles,
  position   INTEGER NOT NULL,
  id         TEXT NOT NULL,
  class      TEXT NOT NULL,
  kind       TEXT NOT NULL,
  skill      TEXT NOT NULL,
  hint       TEXT NOT NULL,
  passage_id TEXT NOT NULL,
  made       INTEGER NOT NULL,               -- the cycle that designed it, 0 if the run was given it
  slot       INTEGER NOT NULL,
  PRIMARY KEY (cycle, position)
);
CREATE INDEX environments_id ON environments (id);

CREATE TABLE scores (
  cycle           INTEGER NOT NULL REFERENCES cycles,
  position        INTEGER NOT NULL,
  env_id          TEXT NOT NULL,
  skill           TEXT NOT NULL,
  plays           INTEGER NOT NULL,
  hinted_plays    INTEGER NOT NULL,
  mean            REAL NOT NULL,
  hinted_mean     REAL NOT NULL,
  win_rate        REAL NOT NULL,
  hinted_win_rate REAL NOT NULL,
  regret          REAL NOT NULL,
  anchor          REAL NOT NULL,
  raw             REAL NOT NULL,
  reward          REAL NOT NULL,
  replay          INTEGER NOT NULL,
  PRIMARY KEY (cycle, position)
);
CREATE INDEX scores_env_id ON scores (env_id);

CREATE TABLE episodes (                      -- an index; the turns are in episodes/cycle-NNNNN.parquet
  cycle    INTEGER NOT NULL REFERENCES cycles,
  position INTEGER NOT NULL,                 -- the row of the Parquet file, from 0
  slot     INTEGER NOT NULL,
  env_id   TEXT NOT NULL,
  arm      TEXT NOT NULL,
  "index"  INTEGER NOT NULL,
  seed     INTEGER NOT NULL,
  return   REAL NOT NULL,
  turns    INTEGER NOT NULL,
  stop     TEXT NOT NULL,
  outcome  TEXT NOT NULL,
  PRIMARY KEY (cycle, position)
);
CREATE INDEX episodes_env_id ON episodes (env_id);

CREATE TABLE summary (                       -- one row once the run is finished
  id   INTEGER PRIMARY KEY CHECK (id = 1),
  body BLOB NOT NULL
);
