"""Values for a parameter, right and wrong ones, made from what `flowtrain describe --json` says of it."""

# Every kind gets every one of these: most are of the wrong type.
_ANY = [None, True, 0, 1, -1, 1.5, 3.0, 1e3, "", "text", "5", [], {}, [1], {"no_such_key": 1},
        2**31, -(2**31) - 1, 2**63 - 1, 2**63, -(2**63) - 1]
_TEXTS = ["${FLOWTRAIN_UNSET:-text}", "a${FLOWTRAIN_UNSET:-}b", "$5 and $$", "${", "${FLOWTRAIN_UNSET:-a", "${1A:-b}", "${}", "${A B:-c}", "x}"]
_PATHS = ["~", "~/a", "~a", "~~/a", "a/~/b", "./~", "${FLOWTRAIN_UNSET:-a}/~"]
_BYTES = ["2 GiB", "512MiB", "1.5 KiB", ".5 TiB", "7 B", "2 gib", "2 GB", "GiB", "-1 B", "1e3 B", " 1 B", "1 B ", "${FLOWTRAIN_UNSET:-2} GiB"]
_TIMES = ["30 s", "200ms", "1.5 min", "2 h", "30 S", "2 days", "s", "-1 s", "1e3 s", " 1 s", "${FLOWTRAIN_UNSET:-30 s}"]


def good(spec):
    """A value that is accepted."""
    kind = spec["kind"]
    if "provided_as" in spec:
        return spec["choices"][0]
    if kind in ("integer", "number", "bytes", "duration"):
        least = spec.get("min", spec.get("above", 0) + 1 if "above" in spec else 1)
        value = max(1, least) if "max" not in spec or max(1, least) <= spec["max"] else spec["max"]
        return int(value) if kind in ("integer", "bytes") else value
    if kind == "list":
        return [good(_element(spec)) for _ in range(max(1, spec["min_size"]) if spec.get("max_size", 1) else 0)]
    if kind == "struct":
        return good_fields(spec["fields"])
    if kind == "map":
        return {}
    if kind == "one_of":
        return {spec["tag"]: spec["alternatives"][0]["tag"], **good_fields(spec["alternatives"][0]["fields"])}
    return {"bool": True, "string": "text", "path": "a/b", "enum": (spec.get("choices") or [None])[0]}[kind]


def _must_be_given(spec):
    # A struct that is left out may still have a field that must be given.
    inner = spec["kind"] == "struct" and not spec["nullable"] and any(map(_must_be_given, spec["fields"]))
    return spec["required"] or inner


def good_fields(specs):
    """An object with what must be given."""
    return {spec["name"]: good(spec) for spec in specs if _must_be_given(spec)}


def _element(spec):
    # Ranges and choices are the parameter's, whose elements they hold for.
    shared = {key: spec[key] for key in ("min", "above", "max", "choices") if key in spec}
    return {**shared, **spec["element"]}


def _numbers(spec):
    out = []
    for key in ("min", "above", "max"):
        if key in spec:
            step = 1e-6 * max(1, abs(spec[key])) if spec["kind"] in ("number", "duration") else 1
            out += [spec[key], spec[key] - step, spec[key] + step, int(spec[key])]
    return out


def values(spec):
    """All that is tried for one parameter."""
    kind = spec["kind"]
    out = [good(spec), *_ANY]
    if kind in ("integer", "number", "bytes", "duration"):
        out += _numbers(spec)
    if kind in ("string", "path") and "provided_as" not in spec:
        out += _TEXTS
    if kind == "path":
        out += _PATHS
    if kind == "bytes":
        out += _BYTES
    if kind == "duration":
        out += _TIMES
    if kind == "enum" or "provided_as" in spec:
        choices = spec["choices"]
        out += [*choices, choices[0].upper(), choices[0] + " ", "${FLOWTRAIN_UNSET:-%s}" % choices[-1], "${"]
    if kind == "list":
        element, one = _element(spec), good(_element(spec))
        sizes = {0, 1, spec["min_size"], max(0, spec["min_size"] - 1), spec["min_size"] + 1}
        if "max_size" in spec:
            sizes |= {spec["max_size"], spec["max_size"] + 1}
        out += [[one] * size for size in sorted(sizes)]
        rest = [one] * max(0, spec["min_size"] - 1)
        out += [[*rest, value] for value in values(element)]
    if kind == "struct":
        out += objects(spec["fields"], {})
    if kind == "one_of":
        tag, tags = spec["tag"], [alternative["tag"] for alternative in spec["alternatives"]]
        out += [{tag: wrong} for wrong in (None, 1, "no_such_tag", tags[0].upper())]
        for alternative in spec["alternatives"]:
            fields = alternative["fields"]
            out += objects(fields, {tag: alternative["tag"]})
            out.append({tag: "${FLOWTRAIN_UNSET:-%s}" % alternative["tag"], **good_fields(fields)})
            without = objects(fields, {})
            out += without[:1]
    return out


def objects(specs, beside):
    """Objects with `specs` and `beside`: each parameter in turn with each value, missing, mistyped."""
    base = {**beside, **good_fields(specs)}
    out = [base, {**base, "no_such_key": 1}]
    for spec in specs:
        name = spec["name"]
        out += [{**base, name: value} for value in values(spec)]
        out.append({key: value for key, value in base.items() if key != name})
        out.append({**base, name + "_": good(spec)})
        for old in spec.get("old_names", []):
            rest = {key: value for key, value in base.items() if key != name}
            out += [{**rest, old["name"]: value} for value in values(spec)]
            out.append({**rest, name: good(spec), old["name"]: good(spec)})
    return out
