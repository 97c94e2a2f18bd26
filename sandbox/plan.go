package sandbox

import "encoding/json"

// A plan is what the first process of a jail is told to build. It arrives on the control socket.
type plan struct {
	// Namespaces says that a private root is to be built from Binds; if not, Files go to Home on the host.
	Namespaces bool
	Binds      []bind
	// Masks are folders inside the binds that must look empty.
	Masks []string
	// Links are symbolic links of the host's root: path -> target.
	Links []link
	// Tmp is where each process with a private root has its own folder for temporary files.
	Tmp string
	// Home is the folder that holds Files, by name.
	Home  string
	Files map[string][]byte
	// Argv and Env are those of the fork server.
	Argv []string
	Env  []string
}

// A bind shows one file or folder of the host, read-only, at the same place.
type bind struct {
	Path   string
	Folder bool
	Device bool
	// Attached says that a detached mount of it comes with the plan, in order; the others are opened by path.
	Attached bool
}

type link struct{ Path, Target string }

// buildReport is what the first process answers if it fails; otherwise the fork server answers {"ready": true}.
type buildReport struct {
	Layer string
	Error string
	// Errno is the number of the error, 0 if it is none of the system's.
	Errno int
	// Profile is the AppArmor profile that the first process is under, "" if it is under none.
	Profile string
}

// serverSettings is read by server.py.
type serverSettings struct {
	Namespaces     bool            `json:"namespaces"`
	Unjailed       bool            `json:"unjailed"`
	Gvisor         bool            `json:"gvisor"`
	Landlock       int             `json:"landlock"`
	Readable       []string        `json:"readable"`
	Listable       []string        `json:"listable"`
	Tmp            string          `json:"tmp"`
	InstanceFilter string          `json:"instance_filter"`
	ServerFilter   string          `json:"server_filter"`
	Packages       string          `json:"packages"`
	CPU            int             `json:"cpu"`
	Memory         int64           `json:"memory"`
	Harness        harnessSettings `json:"harness"`
}

type harnessSettings struct {
	Observation int `json:"observation"`
}

func mustJSON(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // only our own plain types come here
	}
	return data
}

// serverSpec says what kind of fork server to start.
type serverSpec struct {
	plan     plan
	settings serverSettings
	index    int
	// processes is how many processes in use there may be at one time.
	processes int
	// scratch is the host folder of a jail without a private root, or in gVisor; "" otherwise.
	scratch string
	// runsc is the program that runs the jail in gVisor, "" otherwise.
	runsc string
	// ended hears that the jail has ended by itself, before anybody else does, and which sources were in it.
	ended func(inside []sourceID, why error)
	// user is the user that such a jail runs as, 0 for our own.
	user int
}

// layerError says which layer of the jail could not be had.
type layerError struct {
	layer string
	err   error
	// profile is the AppArmor profile of the process that failed, "" if it was under none.
	profile string
}

func (e *layerError) Error() string { return e.layer + " is missing: " + e.err.Error() }
func (e *layerError) Unwrap() error { return e.err }
