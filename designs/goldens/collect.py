#!/usr/bin/env python3
"""Turns the report of golden.tcl into JSON: collect.py NAME DIGESTS VERSION < report > NAME.json"""
import json
import sys

KEEP = 400  # endpoints stored of a design that has more; the worst ones


def main():
    name, digest_file, version = sys.argv[1:]
    digests, cells = {}, None
    for line in open(digest_file):
        design, kind, value = line.split(maxsplit=2)
        if design != name:
            continue
        if kind == "cells":
            cells = int(value)
        elif kind != "bundle":
            digests[kind] = value.strip()
    sections, current = {}, None
    for line in sys.stdin:
        if line.startswith("@"):
            current = sections.setdefault(line.strip()[1:], [])
        elif current is not None:
            current.append(line.rstrip("\n"))
    if "end" not in sections:
        sys.exit(f"{name}: the timer did not finish")

    def number(section):
        return float(next(l for l in sections[section] if l.strip()).split()[-1])

    def endpoints(section):
        found, group = [], None
        for line in sections[section]:
            words = line.split()
            if line.startswith(("max_delay", "min_delay")):
                group = words[-1]
            elif words and words[-1] in ("(MET)", "(VIOLATED)"):
                found.append(
                    {
                        "pin": words[0],
                        "group": group,
                        "required": float(words[-4]),
                        "arrival": float(words[-3]),
                        "slack": float(words[-2]),
                    }
                )
        found.sort(key=lambda e: (e["slack"], e["pin"]))
        return found

    out = {
        "name": name,
        "tool": version,
        "command": f"GOLDEN_DIR={name} GOLDEN_NAME={name} sta -no_splash -exit golden.tcl",
        "units": "ns",
        "cells": cells,
        "digests": digests,
    }
    for mode in ("setup", "hold"):
        all_of_them = endpoints(mode)
        total = {
            "worst_slack": min(e["slack"] for e in all_of_them),
            "tns_sum": round(sum(min(0.0, e["slack"]) for e in all_of_them), 9),
            "endpoint_count": len(all_of_them),
            "violating": sum(e["slack"] < 0 for e in all_of_them),
            "endpoints": all_of_them if len(all_of_them) <= 2 * KEEP else all_of_them[:KEEP],
        }
        if mode == "setup":
            # The tool reports totals for setup only.
            total["reported"] = {k: number(k) for k in ("wns", "tns", "worst")}
        out[mode] = total
    # One endpoint a line: small diffs.
    text = json.dumps(out, indent=1)
    text = text.replace('{\n     "pin"', '{"pin"')
    for key in ("group", "required", "arrival", "slack"):
        text = text.replace(f',\n     "{key}"', f', "{key}"')
    text = text.replace("\n    }", "}")
    print(text)


main()
