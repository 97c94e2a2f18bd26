import json
import os
import platform
import sys
import sysconfig

base = {"platbase": sys.base_exec_prefix}  # that of the installation, not of a virtual environment
folders = []
for folder in (sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib", vars=base), sysconfig.get_config_var("DESTSHARED")):
    folder = os.path.realpath(folder) if folder else ""
    if os.path.isdir(folder) and not any(folder == f or folder.startswith(f + os.sep) for f in folders):
        folders.append(folder)
print(json.dumps({
    "implementation": sys.implementation.name,
    "version": list(sys.version_info[:3]),
    "executable": os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable),
    "machine": platform.machine(),
    "platform": sys.platform,
    "folders": folders,
}))
