"""The events of the log: each has an ID, which docs/monitoring.md tells, and no reserved key."""
import pathlib
import re
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]

FOLDERS = ("common", "config", "dhcp", "tftp", "app")
RESERVED = {"time", "level", "event", "id", "note", "repeated"}


def sources():
    for folder in FOLDERS:
        for path in sorted((TOP / folder).glob("*.c")):
            yield path, path.read_text()


def ids_of_code():
    return re.findall(r'^    \{"([^"]+)", "([0-9a-f]{32})"\},$',
                      (TOP / "common/log_format.c").read_text(), re.M)


class Events(unittest.TestCase):
    def test_the_documentation_has_the_table_of_the_code(self):
        told = re.findall(r"^\| `([^`]+)` \| `([0-9a-f]{32})` \|",
                          (TOP / "docs/monitoring.md").read_text(), re.M)
        self.assertEqual(told, ids_of_code())

    def test_ids_are_unique_random_uuids(self):
        ids = [one for _, one in ids_of_code()]
        self.assertEqual(len(ids), len(set(ids)))
        self.assertGreater(len(ids), 10)
        for one in ids:
            self.assertRegex(one, "^.{12}4.{3}[89ab]")

    def test_every_event_has_an_id(self):
        known = {event for event, _ in ids_of_code()}
        logged = set()
        for path, text in sources():
            for call in re.findall(r"log_(?:begin|order)\((.*?)\);", text, re.S):
                events = re.findall(r'"([a-z0-9]+ [a-z0-9 ]+)"', call)
                logged.update(events)
                for event in events:
                    self.assertIn(event, known,
                                  f"{path}: give it a row in common/log_format.c and "
                                  "docs/monitoring.md, with an ID made by `uuidgen -r`")
        self.assertEqual(logged, known)

    def test_no_field_has_a_reserved_key(self):
        found = 0
        for path, text in sources():
            for key in re.findall(r'log_(?:text|peer|number|decimal)\(&?l, "([^"]*)"', text):
                found += 1
                self.assertRegex(key, "^[a-z][a-z0-9_]*$", path)
                self.assertNotIn(key, RESERVED, path)
        self.assertGreater(found, 30)


if __name__ == "__main__":
    unittest.main()
