// Package base is the base checkpoint of the embedded model, built into the program: the weights with which a run
// begins that names no others. It is made by `spade pretrain`, reproducibly from one seed (see README.md beside
// it), and owns nothing but those files.
package base

import (
	"embed"
	"io/fs"
)

//go:embed checkpoint
var files embed.FS

// Checkpoint is the folder of the base checkpoint, as local.Load reads it.
func Checkpoint() fs.FS {
	checkpoint, err := fs.Sub(files, "checkpoint")
	if err != nil {
		panic(err) // the folder is built in: only a misspelt constant can fail
	}
	return checkpoint
}
