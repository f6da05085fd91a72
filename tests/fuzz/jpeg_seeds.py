"""Inputs for the jpeg target: small JPEGs of all kinds, of flat 8 x 8 blocks, and lies."""
import struct

ADOBE = b"Adobe\0\x64\0\0\0\0"


def segment(marker, data):
    return bytes((0xFF, marker)) + struct.pack(">H", len(data) + 2) + data


def exif(tag):
    entry = struct.pack("<HHIHH", 0x112, 3, 1, tag, 0)
    return segment(0xE1, b"Exif\0\0II*\0" + struct.pack("<IH", 8, 1) + entry + bytes(4))


def table(kind, symbols):
    """All codes have four bits (at most 15 of them)."""
    return segment(0xC4, bytes((kind,)) + bytes((0, 0, 0, len(symbols))) + bytes(12) + bytes(symbols))


class Bits:
    def __init__(self):
        self.text = ""

    def put(self, value, count):
        self.text += format(value, "0%db" % count) if count else ""

    def packed(self):
        text = self.text + "1" * (-len(self.text) % 8)
        return bytes(int(text[i:i + 8], 2) for i in range(0, len(text), 8)).replace(b"\xff", b"\xff\0")


def difference(bits, value):
    """A DC difference: its category (code = number), then its bits."""
    size = abs(value).bit_length()
    bits.put(size, 4)
    bits.put(value if value >= 0 else value + (1 << size) - 1, size)


def blocks(count, number, end_of_block=True):
    bits, last = Bits(), 0
    for i in range(count):
        value = (37 * i + 11 * number) % 61 - 30
        difference(bits, value - last)
        last = value
        if end_of_block:
            bits.put(0, 4)
    return bits.packed()


def up(value, by):
    return -(-value // by)


def jpeg(width=16, height=16, samplings=((1, 1),), frame=0xC0, before=b"", restart=0, precision=8, scans=None):
    """`samplings`: of each component, across and down. One scan a component, so that all blocks are its own."""
    across, down = max(s[0] for s in samplings), max(s[1] for s in samplings)
    out = b"\xff\xd8" + before + segment(0xDB, b"\0" + bytes([8] * 64))
    out += segment(frame, struct.pack(">BHHB", precision, height, width, len(samplings)) +
                   b"".join(bytes((i + 1, s[0] << 4 | s[1], 0)) for i, s in enumerate(samplings)))
    out += table(0x00, range(12)) + table(0x10, [0x00, 0x01, 0xF0])
    if restart:
        out += segment(0xDD, struct.pack(">H", restart))
    progressive = frame == 0xC2
    for i, (h, v) in list(enumerate(samplings))[:scans]:
        count = min(600, up(up(width * h, across), 8) * up(up(height * v, down), 8))
        head = bytes((1, i + 1, 0x00))
        if restart:
            data = b"".join(blocks(restart, i + k) + bytes((0xFF, 0xD0 + k % 8)) for k in range(up(count, restart)))[:-2]
        else:
            data = blocks(count, i, not progressive)
        out += segment(0xDA, head + (b"\0\0\0" if progressive else b"\0\x3f\0")) + data
        if progressive:
            out += segment(0xDA, head + b"\x01\x3f\0") + b"\x00" * ((count + 1) // 2)
    return out + b"\xff\xd9"


def pictures():
    gray, colour, chroma = ((1, 1),), ((1, 1),) * 3, ((2, 2), (1, 1), (1, 1))
    yield "gray", jpeg()
    yield "rgb", jpeg(samplings=colour)
    yield "420", jpeg(33, 17, chroma)
    yield "422", jpeg(24, 40, ((2, 1), (1, 1), (1, 1)))
    yield "410", jpeg(64, 32, ((4, 2), (1, 1), (1, 1)))
    yield "cmyk", jpeg(samplings=((1, 1),) * 4, before=segment(0xEE, ADOBE + b"\0"))
    yield "ycck", jpeg(samplings=((1, 1),) * 4, before=segment(0xEE, ADOBE + b"\2"))
    yield "inks", jpeg(samplings=((1, 1),) * 4)
    yield "progressive", jpeg(40, 24, chroma, 0xC2)
    yield "restart", jpeg(64, 16, gray, restart=2)
    yield "part", jpeg(16, 16, colour, scans=1)
    for tag in (1, 3, 6, 8, 77):
        yield "exif%d" % tag, jpeg(24, 16, before=exif(tag))
    yield "huge", jpeg(65535, 65535)
    yield "flat", jpeg(8, 0)
    yield "wide", jpeg(4000, 1)
    yield "precision", jpeg(precision=12)
    yield "lossless", jpeg(frame=0xC3)
    yield "arithmetic", jpeg(frame=0xC9)
    yield "cut", jpeg(64, 64, colour)[:-40]
    yield "junk", jpeg(before=b"\1\2\3")
    yield "scans", jpeg(frame=0xC2)[:-2] + segment(0xDA, b"\1\1\0\1\x3f\0") * 150 + b"\xff\xd9"


# The four bytes in front say which part is wanted.
def seeds():
    for name, content in pictures():
        yield name, b"\x40\x40\x80\x80" + content
        yield name + "-part", b"\xa0\x20\x08\x0f" + content
