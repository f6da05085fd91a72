"""flowtrain installed into a scratch prefix, and shells that know nothing else of it."""
import json
import os
import pathlib
import re
import subprocess

from checks import require


def fenced(readme):
    """The commands of a README's fenced blocks, in order, word for word."""
    blocks = re.findall(r"^```\n(.*?)^```$", readme, re.M | re.S)
    require(blocks, "the README has no fenced commands")
    return "".join(blocks)


class Installed:
    def __init__(self, build, source, cache, folder):
        self.build, self.source, self.folder = build, source, folder
        self.prefix = folder / "prefix it's in"  # a space and a quote: paths are quoted everywhere
        self._cache = cache
        cache.mkdir(parents=True, exist_ok=True)
        code, output = self._call(["cmake", "--install", str(build), "--prefix", str(self.prefix)], folder, os.environ)
        require(code == 0, "cmake --install: exit %d\n%s" % (code, output))

    def _call(self, command, cwd, env):
        done = subprocess.run(command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
        return done.returncode, done.stdout.decode(errors="replace")

    def environment(self):
        """Of somebody who has just opened a terminal: no variable of CMake's, the compiler's or flowtrain's."""
        kept = {name: os.environ[name] for name in ("HOME", "LANG", "TMPDIR") if name in os.environ}
        return dict(kept, PATH="/usr/local/bin:/usr/bin:/bin", FLOWTRAIN_CACHE=str(self._cache))

    def program(self, *arguments, cwd=None):
        return self.call([self.prefix / "bin" / "flowtrain", *arguments], cwd)

    def program_with(self, variables, *arguments, cwd=None):
        command = [str(word) for word in (self.prefix / "bin" / "flowtrain", *arguments)]
        return self._call(command, cwd or self.folder, self.environment() | variables)

    def call(self, command, cwd=None):
        return self._call([str(word) for word in command], cwd or self.folder, self.environment())

    def follow(self, script, cwd):
        """Runs a README's commands in one shell, each printed before it; the first that fails ends it."""
        return self._call(["bash", "-e", "-v", "-c", script], cwd, self.environment())

    def require_apart(self, build, but=None):
        """A build folder that names no file of the source tree or of its build, `but` this folder."""
        def text_of(name):
            text = (build / name).read_text()
            return text.replace(str(but), "") if but else text
        commands = text_of("compile_commands.json")
        require(len(json.loads(commands)) > 0, "compile_commands.json lists nothing")
        require(str(self.prefix) in commands, "compile_commands.json does not name the prefix")
        for text, where in ((commands, "compile_commands.json"), (text_of("CMakeCache.txt"), "CMakeCache.txt")):
            for folder in (self.source, self.build):
                require(str(folder) + "/" not in text and not re.search(re.escape(str(folder)) + r"\b", text), "%s names %s" % (where, folder))
