"""The page's policy names its style and its script by their hash: a browser runs no other."""
import base64
import hashlib
import pathlib
import re
import unittest

APP = pathlib.Path(__file__).resolve().parents[2] / "app"


class Policy(unittest.TestCase):
    def test_it_names_style_and_script_by_their_hash(self):
        page = (APP / "page/index.html").read_text()
        policy = (APP / "page.c").read_text()
        for tag in ("style", "script"):
            text = re.search("<%s>(.*?)</%s>" % (tag, tag), page, re.S).group(1)
            digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
            self.assertIn("%s-src 'sha256-%s'" % (tag, digest), policy)


if __name__ == "__main__":
    unittest.main()
