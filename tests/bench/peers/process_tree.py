"""What a process and all that it started use, as /proc tells."""

import os

TICKS = os.sysconf("SC_CLK_TCK")


def _stat(pid):
    """The fields of /proc/PID/stat behind the command's name, or None where the process is gone."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rsplit(")", 1)[1].split()
    except OSError:
        return None


def _tree(root):
    """(PID, fields of its stat) of the process and its descendants."""
    stats = {int(name): _stat(name) for name in os.listdir("/proc") if name.isdigit()}
    children = {}
    for pid, fields in stats.items():
        if fields:
            children.setdefault(int(fields[1]), []).append(pid)
    found, open_ends = [], [root]
    while open_ends:
        pid = open_ends.pop()
        if stats.get(pid):
            found.append((pid, stats[pid]))
            open_ends += children.get(pid, [])
    return found


def cpu_seconds(root):
    """User and system time of the tree, with what its ended and waited-for children took."""
    return sum(sum(map(int, fields[11:15])) for _, fields in _tree(root)) / TICKS


def pss_mb(root):
    """Memory, each shared page by its share (PSS), in MB."""
    kilobytes = 0
    for pid, _ in _tree(root):
        try:
            with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
                kilobytes += next(int(line.split()[1]) for line in file if line.startswith("Pss:"))
        except (OSError, StopIteration):
            pass  # ended meanwhile
    return kilobytes / 1024
