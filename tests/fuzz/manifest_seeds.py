"""Inputs for the manifest target: sound lists, and each way a line can be wrong."""
import json


def seeds():
    rows = [("a.jpg", "0"), ("b c.jpg", "12"), ("d,\"e\"\n.jpg", "cat"), ("\u00e9.jpg", "-1")]
    for name, mark in (("csv", ","), ("tsv", "\t")):
        lines = [("image", "label")] + rows
        yield name, "".join(mark.join('"%s"' % field.replace('"', '""') for field in line) + "\r\n" for line in lines).encode()
        yield name + "-plain", "".join(mark.join(line) + "\n" for line in lines[:3]).encode()
    yield "jsonl", "".join(json.dumps({"image": image, "label": label}) + "\n" for image, label in rows).encode()
    yield "jsonl-more", b'{"box": [1, -2.5e+3, {"x": null, "y": [true, false]}], "image": "\\u00e9\\ud83d\\ude00\\n", "label": 7}\n\n{"label": 1}\n'
    yield "bom", b"\xef\xbb\xbflabel,image\n1,a\n"
    wrong = {"open": 'image,label\na,"b\nc,d\n', "middle": 'image,label\na"b,1\n', "behind": 'image,label\n"a"b,1\n', "cr": "image,label\na\rb,1\n",
             "few": "image,label\na\n", "many": "image,label\na,1,2\n", "empty": "image,label\n,\n", "twice": "image,label,image\na,1,b\n",
             "nul": "image,label\na\0,1\n", "names": "image,label\na,cat\nb,7\n", "large": "image,label\na,99999999999999999999\n"}
    for name, text in wrong.items():
        yield name, text.encode()
    lies = {"nested": '{"image":' + "[" * 80, "escape": '{"image":"\\x"}', "half": '{"image":"\\ud800"}', "number": '{"label":01}', "key": '{"image":"a","image":"b"}',
            "type": '{"image":1,"label":{}}', "after": '{"image":"a","label":1}]', "control": '{"image":"\t"}'}
    for name, text in lies.items():
        yield "json-" + name, text.encode()
    for name, encoding in (("utf-16", "utf-16"), ("utf-16-no-mark", "utf-16-le"), ("utf-32", "utf-32")):
        yield name, "image,label\na,1\n".encode(encoding)
    yield "old-mac", b"image,label\ra,1\rb,2\r"
    yield "labels", "image,label\na, 3\nb,3.0\nc,-1\nd,2147483648\ne, \nf,cat \n".encode()
    yield "terminal", "image,label\na,\x1b[31m\x07\u009b\u202e\nb,1\n".encode()
    yield "latin", b"image,label\n\xe9\xff,1\n"
