"""Inputs for the tar target: sound files of each format, and each lie a header can tell."""
import io
import tarfile

LONG = "d" * 60 + "/" + "n" * 60 + ".jpg"


def tar(members, form=tarfile.USTAR_FORMAT, **pax):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form, pax_headers=pax) as file:
        for name, content, kind in members:
            info = tarfile.TarInfo(name)
            info.size, info.type = len(content), kind
            file.addfile(info, io.BytesIO(content))
    return out.getvalue()[:3584]


def summed(block):
    block = block[:148] + b" " * 8 + block[156:]
    return block[:148] + b"%06o\0 " % sum(block) + block[156:]


def seeds():
    pair = [("a.jpg", b"image", tarfile.REGTYPE), ("a.cls", b"7", tarfile.REGTYPE)]
    for name, form in (("ustar", tarfile.USTAR_FORMAT), ("gnu", tarfile.GNU_FORMAT), ("pax", tarfile.PAX_FORMAT)):
        yield name, tar(pair, form)
        yield name + "-long", tar([(LONG, b"x", tarfile.REGTYPE)] + pair[:1], form)
    yield "global", tar(pair, tarfile.PAX_FORMAT, path="other", comment="all")
    yield "kinds", tar([("d/", b"", tarfile.DIRTYPE), ("l", b"", tarfile.SYMTYPE), ("h", b"", tarfile.LNKTYPE), ("f", b"", tarfile.FIFOTYPE)] + pair)
    plain = tar(pair)
    yield "mask", tar([("a.png", b"i", tarfile.REGTYPE), ("a.mask.png", b"m", tarfile.REGTYPE)])
    yield "cut", plain[:700]
    yield "no-end", plain[:2048]
    yield "twice", plain[:3072] + plain[:512]
    yield "behind", plain[:2560] + b"text"
    yield "joined", tar([("a.jpg", b"i", tarfile.REGTYPE), ("b.jpg", b"i", tarfile.REGTYPE)])[:2048] + tar([("b.cls", b"1", tarfile.REGTYPE), ("a.cls", b"\xef\xbb\xbf2", tarfile.REGTYPE)])[:2048]
    yield "again", plain[:1024] + plain[:3072]
    yield "checksum", b"b" + plain[1:]

    def lie(at, text, rest=plain[512:]):
        block = plain[:at] + text + plain[at + len(text):512]
        return summed(block) + rest
    yield "size-most", lie(124, b"7" * 12)
    yield "size-256", lie(124, b"\x80" + b"\0" * 10 + b"\x05")
    yield "size-negative", lie(124, b"\xff" * 12)
    yield "size-word", lie(124, b"0000000000x\0")
    yield "sparse", lie(156, b"S" + b"\0" * 325 + b"\1", b"\0" * 504 + b"\1" + b"\0" * 7 + b"\0" * 512 + plain[512:])
    yield "unknown", lie(156, b"N")
    for number, records in enumerate((b"30 size=9223372036854775807\n", b"99 path=a\n", b"9 path=b\n12 size=00003\n", b"22 GNU.sparse.major=1\n", b"0 a=b\n", b"6 path\n")):
        yield "pax-%d" % number, tar([("x", records, tarfile.XHDTYPE)])[:1024] + plain
