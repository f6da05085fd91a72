"""Inputs for the png target: small PNGs, PPMs and PGMs of all kinds, and lies."""
import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"
CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}


def chunk(kind, data, checksum=None):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data) if checksum is None else checksum)


def header(width, height, depth, colour, interlaced=0):
    return chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlaced))


def rows(width, height, depth, colour, filters):
    row_bytes = (width * CHANNELS[colour] * depth + 7) // 8
    return b"".join(bytes((filters[y % len(filters)],)) + bytes((7 * x * x + 31 * y) % 251 for x in range(row_bytes))
                    for y in range(height))


def png(width=13, height=7, depth=8, colour=0, filters=(0,), palette=False, pieces=1, extra=b"", interlaced=0, cut=0):
    raw = rows(width, height, depth, colour, filters)
    data = zlib.compress(raw[:len(raw) - cut] * (2 if interlaced else 1))
    step = -(-len(data) // pieces)
    parts = b"".join(chunk(b"IDAT", data[i:i + step]) for i in range(0, len(data), step))
    colours = chunk(b"PLTE", bytes(range(3 * 16))) if palette else b""
    return SIGNATURE + header(width, height, depth, colour, interlaced) + extra + colours + parts + chunk(b"IEND", b"")


def pictures():
    for colour, depths in ((0, (1, 2, 4, 8, 16)), (2, (8, 16)), (3, (1, 2, 4, 8)), (4, (8, 16)), (6, (8, 16))):
        for depth in depths:
            yield "c%d-d%d" % (colour, depth), png(depth=depth, colour=colour, palette=colour == 3)
            yield "c%d-d%d-i" % (colour, depth), png(depth=depth, colour=colour, palette=colour == 3, interlaced=1)
    for kind in range(5):
        yield "filter%d" % kind, png(filters=(kind,))
    yield "filters", png(29, 20, filters=(4, 3, 2, 1, 0), pieces=5)
    yield "filter5", png(filters=(0, 5))
    yield "no-palette", png(colour=3)
    yield "short", png(cut=5)
    yield "extra", png(extra=chunk(b"tEXt", b"a\0b") + chunk(b"tRNS", b"\0\1"))
    yield "critical", png(extra=chunk(b"CriT", b""))
    yield "checksum", png()[:-16] + b"\0\0\0\0" + png()[-12:]
    yield "cut", png()[:-20]
    yield "huge", SIGNATURE + header(100000, 100000, 8, 0) + chunk(b"IDAT", zlib.compress(bytes(99))) + chunk(b"IEND", b"")
    yield "large", SIGNATURE + header(200, 200, 8, 0) + chunk(b"IDAT", zlib.compress(bytes(9))) + chunk(b"IEND", b"")
    yield "no-data", SIGNATURE + header(3, 3, 8, 0) + chunk(b"IEND", b"")
    yield "pgm", b"P5 3 2 255\n" + bytes(range(6))
    yield "ppm", b"P6\n# c\n2 2\n255\n" + bytes(range(12))
    yield "ppm-comments", b"P6#c\r2 1 2#x\n55# y\n\n" + bytes(range(6))
    yield "pgm16", b"P5 2 2 65535\n" + bytes(range(8))
    yield "pgm-cut", b"P5 9 9 15\n" + bytes(20)
    yield "pgm-huge", b"P5 999999999 999999999 255\n"
    yield "bmp", b"BM" + bytes(20)
    yield "webp", b"RIFF\0\0\0\0WEBP"


# The four bytes in front say which part is wanted.
def seeds():
    for name, content in pictures():
        yield name, b"\x40\x40\x80\x80" + content
