"""The JSON Schema for editors says of a file what `pxed check` says of it.

Where the two cannot agree, it is the schema that lets a file pass: tests/data/config/beyond
holds what only the checker sees.  What the checker says of files on this machine (a boot file
that does not exist) is no matter here.
"""
import copy
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unittest

try:
    import jsonschema
except ImportError:
    jsonschema = None
    print("tests/cli: the schema is NOT tested: install python3-jsonschema", file=sys.stderr)

TOP = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = TOP / "packaging/schema/pxed.schema.json"
CORPUS = TOP / "tests/data/config"
PXED = os.path.abspath(os.environ.get("PXED", "build/pxed"))
OF_THIS_MACHINE = re.compile(r"does not exist|cannot be opened|^cannot read ")


def without_comments(text):
    """Comments gone, strings left alone."""
    return re.sub(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', lambda m: m.group(1) or " ", text,
                  flags=re.S)


def parse(path):
    return json.loads(without_comments(path.read_text(encoding="utf-8")))


def complaints(path):
    """What the checker has against the text of this file."""
    done = subprocess.run([PXED, "check", "--json", "-c", str(path)], capture_output=True,
                          text=True, timeout=60, check=False)
    return [f["message"] for f in json.loads(done.stdout)["faults"]
            if f["severity"] == "error" and not OF_THIS_MACHINE.search(f["message"])]


@unittest.skipUnless(jsonschema, "SKIPPED: no JSON Schema validator; install python3-jsonschema")
class Schema(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
        cls.validator = jsonschema.Draft202012Validator(cls.schema)

    def accepts(self, value):
        return self.validator.is_valid(value)

    def test_is_a_schema(self):
        jsonschema.Draft202012Validator.check_schema(self.schema)

    def test_every_key_has_words_for_the_editor(self):
        def walk(node, where):
            for name, inner in node.get("properties", {}).items():
                target = inner
                while "$ref" in target and "description" not in target:
                    target = self.schema["$defs"][target["$ref"].rsplit("/", 1)[1]]
                if "const" not in inner and "enabled" not in where.split("."):
                    self.assertIn("description", target, f"{where}.{name}")
                walk(inner, f"{where}.{name}")
            for inner in node.get("$defs", {}).values():
                walk(inner, "$defs")
            if isinstance(node.get("items"), dict):
                for choice in node["items"].get("anyOf", []):
                    walk(choice, where + "[]")

        walk(self.schema, "")

    def test_every_key_of_the_checker_is_in_it(self):
        text = SCHEMA.read_text(encoding="utf-8")
        for source in sorted(TOP.glob("config/load*.[ch]")):
            for key in re.findall(r'\.key = "([^"]+)"', source.read_text(encoding="utf-8")):
                self.assertTrue(f'"{key}": {{' in text, f"{key}, a key of {source.name}, is missing")

    def test_good_files(self):
        for path in sorted((CORPUS / "good").glob("*.json")):
            with self.subTest(path.name):
                self.assertEqual(complaints(path), [])
                self.validator.validate(parse(path))

    def test_bad_files(self):
        for path in sorted((CORPUS / "bad").glob("*.json")):
            with self.subTest(path.name):
                self.assertNotEqual(complaints(path), [])
                self.assertFalse(self.accepts(parse(path)), "the schema accepts it")

    def test_what_only_the_checker_sees(self):
        for path in sorted((CORPUS / "beyond").glob("*.json")):
            with self.subTest(path.name):
                self.assertNotEqual(complaints(path), [])
                self.assertTrue(self.accepts(parse(path)), "the schema refuses it: move it to bad")

    def test_the_command_prints_it(self):
        done = subprocess.run([PXED, "schema"], capture_output=True, timeout=60, check=True)
        self.assertEqual(done.stdout, SCHEMA.read_bytes())

    def test_host_files(self):
        validator = self.validator.evolve(schema={"$ref": "#/$defs/host_file", **{
            "$defs": self.schema["$defs"]}})
        for good in ({"mac": "52:*"}, [], [{"mac": "52:*"}, {"arch": 7}]):
            self.assertTrue(validator.is_valid(good), good)
        for bad in ({}, 7, [7], {"mac": "52"}, {"hosts": []}):
            self.assertFalse(validator.is_valid(bad), bad)


ODD = [None, True, 7, -1, 1.5, "", "x", "a/b", "\n", [], {}, ["x"], {"x": 1}, 100000, "10.0.0.1", "7"]


def places(value, found=None):
    """Every container with each of its keys."""
    found = [] if found is None else found
    keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        found.append((value, key))
        places(value[key], found)
    return found


def damaged(value, dice):
    """A copy with one thing replaced, left out or put in."""
    copied = copy.deepcopy(value)
    container, key = dice.choice(places(copied))
    what = dice.randrange(4)
    if what == 0:
        del container[key]
    elif what == 1 and isinstance(container, dict):
        container[dice.choice(["x", "mac", "7", "vars", "enabled", "name", "arch"])] = dice.choice(ODD)
    else:
        container[key] = dice.choice(ODD)
    return copied


@unittest.skipUnless(jsonschema, "SKIPPED: no JSON Schema validator; install python3-jsonschema")
class Damage(unittest.TestCase):
    """Whatever is done to a good file, the schema refuses nothing that the checker accepts."""

    def test_the_schema_is_never_stricter(self):
        validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
        dice = random.Random(5)
        good = [parse(p) for p in sorted((CORPUS / "good").glob("*.json"))]
        agreed = 0
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory) / "damaged.json"
            for _ in range(400):
                value = damaged(dice.choice(good), dice)
                path.write_text(json.dumps(value), encoding="utf-8")
                faults = complaints(path)
                if not faults:
                    validator.validate(value)
                agreed += validator.is_valid(value) == (not faults)
        self.assertGreater(agreed, 360, "too many faults are seen by the checker alone")


if __name__ == "__main__":
    unittest.main()
