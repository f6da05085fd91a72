#!/usr/bin/env python3
"""Requires data from every query of the Grafana dashboard, out of a real Prometheus on a real run.

    check_dashboard.py [options] -- COMMAND ...

COMMAND is started with {listen} replaced by a free address, on which it must serve /metrics. Prometheus
scrapes it every second with the configuration of deploy/, its target replaced. Queries on GPU series are
left out. Exit: 0 every query had data, 1 not, 77 Prometheus or promtool is not installed.
"""
import argparse
import json
import math
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

DEPLOY = pathlib.Path(__file__).resolve().parents[2] / "deploy"


def get(url):
    # No proxy: everything here is on this machine.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(url, timeout=5) as answer:
        return answer.read().decode()


def free_address():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return "127.0.0.1:%d" % s.getsockname()[1]


def queries(dashboard):
    """(panel title, query) of every panel, Grafana's interval replaced by one that fits a 1 s scrape."""
    out = []
    for panel in dashboard["panels"]:
        for inner in [panel] + panel.get("panels", []):
            for target in inner.get("targets", []):
                query = target["expr"].replace("$__rate_interval", "10s")
                if "$" in query:
                    sys.exit("panel %r: this check does not know the variable in %s" % (inner["title"], query))
                out.append((inner["title"], query))
    return out


def has_data(server, query):
    text = get("http://%s/api/v1/query?%s" % (server, urllib.parse.urlencode({"query": query})))
    return any(math.isfinite(float(sample["value"][1])) for sample in json.loads(text)["data"]["result"])


def end(process):
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def wait_for(url, process, seconds, what):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if process.poll() is not None:
            sys.exit("%s ended with %d before %s answered" % (what, process.returncode, url))
        try:
            return get(url)
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    sys.exit("%s: %s does not answer after %d s" % (what, url, seconds))


def check_metrics(promtool, text):
    result = subprocess.run([promtool, "check", "metrics"], input=text, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if result.returncode or result.stdout.strip():
        sys.exit("promtool check metrics:\n" + result.stdout)


def watch(options, server, listen, run, todo):
    """Polls until every query has had data; returns those that never had."""
    missing = list(todo)
    until = time.monotonic() + options.wait
    checked = False
    while missing and time.monotonic() < until:
        time.sleep(1)
        missing = [(title, query) for title, query in missing if not has_data(server, query)]
        if run.poll() is None:
            try:
                check_metrics(options.promtool, get("http://%s/metrics" % listen))
                checked = True
            except (urllib.error.URLError, OSError):
                pass  # the run is just ending
    if not checked:
        sys.exit("the run ended before its /metrics could be checked")
    return missing


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--prometheus", default=shutil.which("prometheus"))
    parser.add_argument("--promtool", default=shutil.which("promtool"))
    parser.add_argument("--dashboard", default=DEPLOY / "grafana/dashboards/flowtrain.json")
    parser.add_argument("--start", type=float, default=60, help="seconds for the run to serve its metrics")
    parser.add_argument("--wait", type=float, default=60, help="seconds for every query to have data")
    parser.add_argument("--expect-missing", default="", help="require that just the queries with this text have no data")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    if not options.prometheus or not options.promtool:
        print("skipped: prometheus and promtool are needed (Debian's package prometheus)")
        return 77

    listen, server = free_address(), free_address()
    everything = queries(json.loads(pathlib.Path(options.dashboard).read_text()))
    todo = [(title, query) for title, query in everything if "flowtrain_gpu_" not in query]
    config = (DEPLOY / "prometheus/prometheus.yml").read_text()
    config, targets = re.subn(r"targets: \[.*\]", 'targets: ["%s"]' % listen, config)
    config, intervals = re.subn(r"scrape_interval: \S+", "scrape_interval: 1s", config)
    if targets != 1 or intervals != 1:
        sys.exit("deploy/prometheus/prometheus.yml: one scrape_interval and one list of targets were looked for")

    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as log:
        path = pathlib.Path(folder) / "prometheus.yml"
        path.write_text(config)
        subprocess.run([options.promtool, "check", "config", str(path)], check=True, stdout=subprocess.DEVNULL)
        run = subprocess.Popen([argument.replace("{listen}", listen) for argument in options.command])
        prometheus = None
        try:
            wait_for("http://%s/metrics" % listen, run, options.start, "the run")
            prometheus = subprocess.Popen(
                [options.prometheus, "--config.file=%s" % path, "--storage.tsdb.path=%s/data" % folder, "--web.listen-address=" + server],
                stdout=log, stderr=log)
            wait_for("http://%s/-/ready" % server, prometheus, 30, "prometheus")
            missing = watch(options, server, listen, run, todo)
        finally:
            end(run)
            if prometheus:
                end(prometheus)

    expected = [entry for entry in todo if options.expect_missing and options.expect_missing in entry[1]]
    for title, query in missing:
        print("no data%s: panel %r: %s" % (" (as expected)" if (title, query) in expected else "", title, query))
    print("%d of %d queries have data (%d on GPU series left out)" % (len(todo) - len(missing), len(todo), len(everything) - len(todo)))
    return 0 if missing == expected else 1


if __name__ == "__main__":
    sys.exit(main())
