"""What the checks in Python share: how one fails, or can't be made, and how one is found by its name."""
import inspect


class Failed(Exception):
    """What was found, and what should have been."""


class Skipped(Exception):
    """What this machine lacks."""


def require(condition, message):
    if not condition:
        raise Failed(message)


def checks_of(*modules):
    """The modules' own functions by name, but those that begin with _."""
    return {name: check for module in modules for name, check in inspect.getmembers(module, inspect.isfunction)
            if check.__module__ == module.__name__ and not name.startswith("_")}


def run(name, check):
    """Runs the check. Its exit code: 0 it holds, 1 not, 77 it can't be made on this machine."""
    try:
        check()
    except Skipped as why:
        print("skipped: %s" % why)
        return 77
    except Failed as what:
        print("%s: %s" % (name, what))
        return 1
    return 0
