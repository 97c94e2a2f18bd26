package main

import (
	"bufio"
	"fmt"
	"os"

	"spade"
	"spade/web"
)

// writeHTML writes a run as one page that can be mailed.
func writeHTML(con console, dir, file string) error {
	run, err := openRun(dir)
	if err != nil {
		return err
	}
	defer run.Close()
	f, err := os.Create(file)
	if err != nil {
		return spade.Errorf(spade.ByUser, "name a file in a folder that is there and can be written", "write the report: %w", err)
	}
	w := bufio.NewWriter(f)
	err = web.Report(w, uiName(dir), run, project)
	if err == nil {
		err = w.Flush()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		os.Remove(file) // half a report is none
		return err
	}
	_, err = fmt.Fprintf(con.out, "wrote %s\n", visible(file))
	return err
}
