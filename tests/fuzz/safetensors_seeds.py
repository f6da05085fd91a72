"""Inputs for the safetensors target: sound files, and each lie a header can tell."""
import json
import struct

SIZES = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I64": 8, "I32": 4, "U8": 1, "BOOL": 1}


def header(*tensors, metadata=None):
    """Of (name, dtype, shape) one behind the other."""
    out, at = ({"__metadata__": metadata} if metadata is not None else {}), 0
    for name, dtype, shape in tensors:
        size = SIZES[dtype]
        for side in shape:
            size *= side
        out[name] = {"dtype": dtype, "shape": shape, "data_offsets": [at, at + size]}
        at += size
    return json.dumps(out), at


def seeds():
    small = header(("w", "F32", [2]))
    every = header(*((dtype.lower(), dtype, [2, 1]) for dtype in SIZES), metadata={"format": "pt", "step": "12"})
    network = header(("module.backbone.stem.0.weight", "F32", [2, 3]), ("backbone.stages_1.gamma", "F16", [4]), ("head.fc.bias", "U8", [0, 7]))
    for name, (text, size) in (("small", small), ("every", every), ("network", network), ("none", ("{}", 0))):
        yield name, struct.pack("<Q", len(text)) + text.encode() + bytes(size)
        # The second reading of an input: bytes of data, then the header.
        yield name + "-header", struct.pack("<Q", size) + text.encode()
    hidden = '{"w":{"dtype":"U8","shape":[4294967296,0,4294967296],"data_offsets":[0,0]}}'
    yield "hidden", bytes(8) + hidden.encode()
    huge = '{"w":{"dtype":"U8","shape":[9223372036854775807],"data_offsets":[0,9223372036854775807]}}'
    yield "huge", struct.pack("<Q", (1 << 63) - 1) + huge.encode()
    text = small[0]
    lies = {"shape": text.replace("[2]", "[3]"), "past": text.replace("[0, 8]", "[8, 16]"), "order": text.replace("[0, 8]", "[8, 0]"),
            "negative": text.replace("[2]", "[-2]"), "float": text.replace("[2]", "[2.0]"), "dtype": text.replace("F32", "F8"),
            "twice": text[:-1] + ", " + text[1:], "nested": text.replace("[2]", "[" * 50), "field": text.replace("shape", "stride"),
            "escaped": text.replace('"w"', '"\\u0000\\ud83d\\ude00"'), "list": "[" + text + "]", "blank": " " + text,
            "metadata": '{"__metadata__":{"a":1}}', "overlap": text[:-1] + ', "v"' + text[text.index(":"):]}
    for name, lie in lies.items():
        yield name, struct.pack("<Q", 8) + lie.encode()
    yield "length", struct.pack("<Q", (1 << 64) - 1) + text.encode()
    yield "nul", struct.pack("<Q", len(text) + 2) + text.encode() + b"\0x" + bytes(8)
    yield "latin", struct.pack("<Q", 8) + text.encode().replace(b"w", b"\xff")
