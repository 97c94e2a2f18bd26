// Package pool is sets of environments as files, in the layouts in which they are published.
//
// It reads a folder with manifest.json and games/gen_NNNN/*.py, JSON lines and Parquet with the eight public columns
// (game_id, file_name, original_file_name, skill, sha256, line_count, byte_count, code), and a plain folder of Python
// files; it writes all of the first three side by side, with what the public pools lack: hints, seeds and the returns of
// both arms. Checksums are verified when a pool is read, and a folder that a killed process left half written is no pool.
// It owns those layouts, and neither runs nor judges what it reads (sandbox, admit) nor knows where it came from (store).
// It is used by commands, between runs.
//
// Every column has a value in every row, so that readers infer one schema: 0 and "" stand for what is not known.
package pool
