"""Lists and shards of a set's files, for the checks of sources."""
import csv
import io
import tarfile


def shards(folder, samples, form, count=2):
    """Tar files of (stem, {extension: bytes}), in order; gives their pattern."""
    folder.mkdir()
    each = (len(samples) + count - 1) // count
    for number in range(count):
        with tarfile.open(folder / ("x-%04d.tar" % number), "w", format=form) as tar:
            for stem, parts in samples[number * each:(number + 1) * each]:
                for extension, content in parts.items():
                    info = tarfile.TarInfo("%s.%s" % (stem, extension))
                    info.size = len(content)
                    tar.addfile(info, io.BytesIO(content))
    return str(folder / ("x-{0000..%04d}.tar" % (count - 1)))


def write_csv(path, rows, **form):
    with path.open("w", newline="") as file:
        csv.writer(file, **form).writerows(rows)


FORMS = {"ustar": tarfile.USTAR_FORMAT, "gnu": tarfile.GNU_FORMAT, "pax": tarfile.PAX_FORMAT}
LONG = "in a folder/" + "l" * 110 + "/"  # more than a header's name holds
