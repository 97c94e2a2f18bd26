package python

import "context"

// Packages is replaced below.
func (in *Interpreter) Packages(ctx context.Context, progress func(done, total int, name string)) (string, error) {
	return "", nil
}
