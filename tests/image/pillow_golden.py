#!/usr/bin/env python3
"""Writes pillow_golden.cc: pictures that Pillow scaled, for resample_test.cc.

    pillow_golden.py > pillow_golden.cc        (with Pillow 12.0.0 or any other: the filter is old)
"""
import PIL
from PIL import Image

CASES = [(37, 29, 24, 17), (37, 29, 9, 6), (37, 29, 39, 31)]  # width, height -> width, height


def noise(count, seed):
    """Noise() of raster.cc."""
    out = bytearray()
    for _ in range(count):
        seed = (seed * 1664525 + 1013904223) & 0xFFFFFFFF
        out.append(seed >> 24)
    return bytes(out)


def main():
    print("// Made by pillow_golden.py with Pillow %s." % PIL.__version__)
    print('#include "image/pillow_golden.h"\n\nnamespace flowtrain::testing {\n')
    print("const std::vector<Golden>& PillowGolden() {\n  static const std::vector<Golden> golden = {")
    for width, height, to_width, to_height in CASES:
        picture = Image.frombytes("RGB", (width, height), noise(width * height * 3, 5))
        text = picture.resize((to_width, to_height), Image.Resampling.BILINEAR).tobytes().hex()
        print("      {%d, %d, %d, %d," % (width, height, to_width, to_height))
        print("\n".join('       "%s"' % text[at:at + 88] for at in range(0, len(text), 88)) + "},")
    print("  };\n  return golden;\n}\n\n}  // namespace flowtrain::testing")


if __name__ == "__main__":
    main()
