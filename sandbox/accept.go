package sandbox

import "strconv"

// accept reads the answer and hands out its results. The harness writes it in exactly one form, so that is read here
// byte by byte: whatever differs is not from the harness.
func (p *Process) accept(data []byte, nonce uint64, batch []*request) error {
	d := strictDecoder{data: data}
	var number [16]byte
	if d.word(`{"nonce":"`) != nil || d.word(string(strconv.AppendUint(number[:0], nonce, 16))) != nil {
		return violation("an answer that was not asked for")
	}
	if err := d.word(`","results":[`); err != nil {
		return violation("an answer out of form")
	}
	var over ended
	for i, r := range batch {
		if i > 0 && d.word(",") != nil {
			return violation("an answer with too few results")
		}
		r.leftOut = over.leavesOut(r)
		if err := d.readResult(r); err != nil {
			return err
		}
		over.note(r)
	}
	if d.word(`],"printed":`) != nil {
		return violation("an answer out of form")
	}
	printed, err := d.readText()
	if err != nil {
		return err
	}
	if d.word("}") != nil || d.at != len(data) {
		return violation("an answer out of form")
	}
	p.keep(printed)
	return nil
}

// readResult reads {"ok":[…]} or {"fault":[outcome, phase, message, trace]} for r, or {"left":"out"} where it is left out.
func (d *strictDecoder) readResult(r *request) (err error) {
	r.fault = nil
	switch {
	case r.leftOut:
		if d.word(`{"left":"out"`) != nil {
			err = violation("a result for what is left out")
		}
	case d.word(`{"ok":`) == nil:
		r.answer, err = d.readAnswer(operations[r.kind].fields)
	case d.word(`{"fault":`) == nil:
		r.fault, err = d.readFault(operations[r.kind].phase)
	default:
		err = violation("a result out of form")
	}
	if err != nil {
		return err
	}
	return d.word("}")
}

// readFault reads a fault. The phase is ours to know, except that loading begins with reading the syntax.
func (d *strictDecoder) readFault(phase string) (*Fault, error) {
	var texts [4]string
	for i := range texts {
		err := d.word("[,,,"[i : i+1])
		if err == nil {
			texts[i], err = d.readText()
		}
		if err != nil {
			return nil, err
		}
	}
	outcome, known := outcomes[texts[0]]
	if !known {
		return nil, violation("a fault of unknown kind")
	}
	if phase == "load" && texts[1] == "syntax" {
		phase = "syntax"
	}
	return &Fault{Outcome: outcome, Phase: phase, Message: oneLine(texts[2]), Trace: cut(printable(texts[3]), traceLimit)}, d.word("]")
}

func (p *Process) keep(printed string) {
	if printed == "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if room := printedLimit - len(p.printed); len(printed) > room {
		printed = printed[:room]
	}
	p.printed = append(p.printed, printed...)
}
