package trainer

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"spade"
)

// savedPath names saved weights: tinker://MODEL/weights/NAME for training and tinker://MODEL/sampler_weights/NAME for
// sampling. All parts are such that they can be names of folders.
type savedPath struct{ model, kind, name string }

const (
	trainingWeights = "weights"
	samplerWeights  = "sampler_weights"
)

func (p savedPath) String() string { return "tinker://" + p.model + "/" + p.kind + "/" + p.name }

var pathPart = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.:-]{0,254}$`)

// parsePath reads the path of saved weights.
func parsePath(text string) (savedPath, error) {
	rest, ok := strings.CutPrefix(text, "tinker://")
	parts := strings.Split(rest, "/")
	if !ok || len(parts) != 3 || (parts[1] != trainingWeights && parts[1] != samplerWeights) {
		return savedPath{}, spade.Errorf(spade.ByUser, "", "%q is no path of weights: tinker://MODEL/weights/NAME or tinker://MODEL/sampler_weights/NAME", text)
	}
	return newPath(parts[0], parts[1], parts[2])
}

func newPath(model, kind, name string) (savedPath, error) {
	for _, part := range []string{model, name} {
		if !pathPart.MatchString(part) {
			return savedPath{}, spade.Errorf(spade.ByUser, "", "%q cannot name weights: letters, digits and _ . - : only, at most 255", part)
		}
	}
	return savedPath{model, kind, name}, nil
}

func (s *Server) folder(p savedPath) string { return filepath.Join(s.dir, p.model, p.kind, p.name) }

// save has write fill the folder of the path, which appears whole or not at all. What is there is replaced only if
// overwrite says so.
func (s *Server) save(p savedPath, overwrite bool, write func(dir string) error) error {
	dir := s.folder(p)
	if _, err := os.Lstat(dir); err == nil && !overwrite {
		return spade.Errorf(spade.ByUser, "", "%s exists already: choose another name, or overwrite it", p)
	} else if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("save %s: %w", p, err)
	}
	// The name of a folder in the making cannot be that of saved weights: it begins with a dot.
	temporary := filepath.Join(filepath.Dir(dir), "."+p.name)
	if err := os.RemoveAll(temporary); err != nil {
		return fmt.Errorf("save %s: %w", p, err)
	}
	if err := write(temporary); err != nil {
		return errors.Join(fmt.Errorf("save %s: %w", p, err), os.RemoveAll(temporary))
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("save %s: %w", p, err)
	}
	if err := os.Rename(temporary, dir); err != nil {
		return fmt.Errorf("save %s: %w", p, err)
	}
	return nil
}

func exists(dir string) bool {
	_, err := os.Stat(dir)
	return err == nil
}
