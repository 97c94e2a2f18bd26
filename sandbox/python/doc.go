// Package python finds the Python interpreter that runs environments, what of the host it needs to run, and the
// third-party packages that environments may import.
//
// It owns asking an interpreter about itself, following shared libraries, and a private cache of pinned wheels.
// It runs no environment and builds no jail. It is used once when a sandbox opens, and once more when the first
// environment that names a package is loaded.
package python
