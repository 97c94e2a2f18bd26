package main

import (
	"context"

	"spade/selfplay"
	"spade/web"
)

// runUI is the dashboard of a run that this process plays; all of it does nothing unless it is on.
type runUI struct {
	on     bool
	addr   string
	run    *uiRun
	server *uiServer
}

// start serves the run in the folder of a view. Environments are played in the isolation of the run.
func (u *runUI) start(view *runView, isolation string) error {
	if !u.on {
		return nil
	}
	run, err := openRun(view.dir)
	if err != nil {
		return err
	}
	u.run = run
	named := []web.Named{{Name: uiName(view.dir), Open: func() (web.Run, error) { return run, nil }}}
	u.server, err = serveUI(view.teller(), u.addr, uiOptions(view.teller(), named, []string{view.dir}, isolation))
	return err
}

// progress tells the dashboard too.
func (u *runUI) progress(tell func(selfplay.Progress)) func(selfplay.Progress) {
	if u.server == nil {
		return tell
	}
	return func(p selfplay.Progress) {
		u.server.web.Progress(web.Phase{Cycle: p.Cycle, Name: p.Phase, Done: p.Done, Total: p.Total})
		tell(p)
	}
}

// linger keeps the dashboard of a finished run until it is interrupted, which is then no failure.
func (u *runUI) linger(ctx context.Context, con console) error {
	if u.server == nil {
		return nil
	}
	con.teller().notice("the dashboard stays open; Ctrl-C ends it")
	<-ctx.Done()
	return nil
}

func (u *runUI) stop() {
	if u.server != nil {
		u.server.stop()
	}
	if u.run != nil {
		u.run.Close()
	}
}
