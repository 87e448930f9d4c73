"""Every configuration that a page of docs/ shows is one that `pxed check` has nothing against."""
import json
import pathlib
import re

from site_dir import Site
from test_check import efi

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
KERNEL = (b"MZ".ljust(0x202, b"\0") + b"HdrS").ljust(600, b"\0")


def configurations(page):
    return [json.loads(text) for text in re.findall(r"```json\n(.*?)```", page.read_text(), re.S)]


class Pages(Site):
    def put_files(self, value, key=""):
        """The boot files that a configuration names, each of a kind that fits."""
        for name, inner in value.items():
            if isinstance(inner, dict):
                self.put_files(inner, name)
            for file in inner if isinstance(inner, list) else [inner]:
                if key in ("fields", "options", "vars") or not isinstance(file, str):
                    continue
                if name == "directory":
                    (self.dir / "root" / file).mkdir(parents=True, exist_ok=True)
                elif name in ("kernel", "initrd") or "." in file:
                    kind = KERNEL if name == "kernel" else efi() if file.endswith(".efi") else b"\xea"
                    self.write("root/" + file.replace("\\", "/"), kind)

    def test_configurations_are_good(self):
        shown = [(page.name, conf) for page in sorted(DOCS.glob("*.md")) for conf in configurations(page)
                 if "interfaces" in conf]
        self.assertGreater(len(shown), 5)
        for page, conf in shown:
            with self.subTest(page=page, configuration=conf):
                conf["tftp"]["root"] = "root"
                self.put_files(conf["profiles"])
                for host in conf.get("hosts", ()):
                    self.put_files(host)
                self.write("pxed.json", json.dumps(conf))
                self.check("--strict")
