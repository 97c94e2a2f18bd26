package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"spade"
)

// mountTmpfs mounts a file system of the given size on a new folder, or skips the test.
func mountTmpfs(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("a small file system cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// TestDiskFull leaves less and less room for a commit, so that it fails at each of its stages, and resumes
// once there is room again.
func TestDiskFull(t *testing.T) {
	whole := filepath.Join(t.TempDir(), "whole")
	w := create(t, whole)
	for n := range 4 {
		commitSample(t, w, n)
	}
	w.Close()
	failures := map[string]bool{}
	for _, room := range []int{0, 4, 8, 12, 20, 28, 36, 44, 60, 76, 92, 108, 124} {
		t.Run(fmt.Sprintf("%d KiB", room), func(t *testing.T) {
			mount := mountTmpfs(t, "8m")
			dir := filepath.Join(mount, "run")
			r := create(t, dir)
			for n := range 3 {
				commitSample(t, r, n)
			}
			fill(t, filepath.Join(mount, "ballast"), room<<10)
			err := r.Commit(context.Background(), sampleCycle(3, 6, 4, 12), saveNumber(3))
			r.Close()
			if err != nil {
				wantError(t, err, spade.ByStore, dir)
				failures[failedPart(err, dir)] = true
				var e *spade.Error
				errors.As(err, &e)
				last := "cycles up to 2 are safe"
				if strings.Contains(err.Error(), eventsName) || strings.Contains(err.Error(), scalarsName) {
					last = "cycles up to 3 are safe"
				}
				if want := "free space, then spade run --resume --dir " + dir + "; " + last; e.Next != want {
					t.Errorf("next: %q, want %q", e.Next, want)
				}
			}
			if err := os.Remove(filepath.Join(mount, "ballast")); err != nil {
				t.Fatal(err)
			}
			r = resume(t, dir)
			last, _, _, _, err := r.Last()
			if err != nil || last < 2 {
				t.Fatalf("last cycle %d, %v", last, err)
			}
			if last == 2 {
				commitSample(t, r, 3)
			}
			sameContents(t, dir, whole)
			r.Close()
		})
	}
	if len(failures) > 0 && len(failures) < 3 {
		t.Errorf("only %v failed: the sizes miss stages", failures)
	}
}

// failedPart returns which part of the run in dir an error names.
func failedPart(err error, dir string) string {
	_, rest, _ := strings.Cut(err.Error(), dir+"/")
	part, _, _ := strings.Cut(rest, "/")
	part, _, _ = strings.Cut(part, ":")
	return part
}

// fill writes a file that leaves room bytes of its file system.
func fill(t *testing.T, path string, room int) {
	t.Helper()
	var s syscall.Statfs_t
	if err := syscall.Statfs(filepath.Dir(path), &s); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, make([]byte, int(s.Bavail)*int(s.Bsize)-room), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestDiskFullIsRecognised(t *testing.T) {
	for _, err := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG} {
		if !diskFull(fmt.Errorf("writing: %w", &os.PathError{Op: "write", Path: "a", Err: err})) {
			t.Errorf("%v is not recognised", err)
		}
	}
	if diskFull(syscall.EIO) || diskFull(nil) {
		t.Error("other errors are taken for a full disk")
	}
}

// TestFolderThatCannotBeWritten reads a run on a file system that is mounted to read only.
func TestFolderThatCannotBeWritten(t *testing.T) {
	mount := mountTmpfs(t, "8m")
	dir := filepath.Join(mount, "run")
	r := create(t, dir)
	c := commitSample(t, r, 1)
	r.Close()
	if err := syscall.Mount("", mount, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	reader := openRun(t, dir)
	designs, err := reader.Designs(1)
	if err != nil || len(designs) != len(c.Designs) {
		t.Errorf("%d designs, %v", len(designs), err)
	}
	reader.Close()
	_, err = Resume(dir)
	var e *spade.Error
	if !errors.As(err, &e) || e.Boundary != spade.ByStore {
		t.Errorf("got %v", err)
	}
}
