import json
import os
import platform
import sys
import sysconfig

folders = []
for folder in (sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), sysconfig.get_config_var("DESTSHARED")):
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
