"""Fetches a package and all that it requires into a folder of wheels: fetch_wheels.py WHEELS REQUIREMENT.

Each wheel comes by a `pip download` of its own and appears in WHEELS when it is whole, four at once,
so that a run that was cut off goes on with those that are missing: pip alone keeps nothing of a
download of many that is cut off. `pip install --no-index` checks afterwards that the set fits.
"""
import email
import os
import subprocess
import sys
import tempfile
import zipfile
from concurrent.futures import ThreadPoolExecutor

from pip._vendor.packaging.requirements import Requirement
from pip._vendor.packaging.utils import canonicalize_name, parse_wheel_filename


def find(folder, requirement):
    for file in os.listdir(folder):
        if file.endswith(".whl"):
            name, version, _, _ = parse_wheel_filename(file)
            if name == canonicalize_name(requirement.name) and version in requirement.specifier:
                return os.path.join(folder, file)
    return None


def fetch(folder, requirement):
    """The wheel's path, and the requirements that hold on this system."""
    wheel = find(folder, requirement)
    if wheel is None:
        with tempfile.TemporaryDirectory() as fresh:
            wanted = requirement.name + str(requirement.specifier)
            subprocess.run([sys.executable, "-m", "pip", "download", "--no-input", "--no-cache-dir",
                            "--only-binary", ":all:", "--progress-bar", "off", "--no-deps",
                            "--dest", fresh, wanted], check=True)
            file = find(fresh, requirement)
            wheel = os.path.join(folder, os.path.basename(file))
            os.replace(file, wheel)
    with zipfile.ZipFile(wheel) as archive:
        name = next(n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        metadata = email.message_from_bytes(archive.read(name))
    needs = [Requirement(line) for line in metadata.get_all("Requires-Dist", [])]
    extras = requirement.extras or {""}
    return [n for n in needs
            if n.marker is None or any(n.marker.evaluate({"extra": e}) for e in extras)]


def main(folder, first):
    os.makedirs(folder, exist_ok=True)
    seen = set()
    wave = [Requirement(first)]
    with ThreadPoolExecutor(4) as pool:
        while wave:
            found = list(pool.map(lambda requirement: fetch(folder, requirement), wave))
            wave = []
            for requirement in (r for needs in found for r in needs):
                key = (canonicalize_name(requirement.name), frozenset(requirement.extras))
                if key not in seen:
                    seen.add(key)
                    wave.append(requirement)


try:
    main(*sys.argv[1:])
except subprocess.CalledProcessError:
    sys.exit(1)  # pip has said why
except KeyboardInterrupt:
    os._exit(130)
