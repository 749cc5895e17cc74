#!/usr/bin/env python3
"""What each addition to Pollard and Zordan 2005 brings: one table, on three kinds of things.

    bench/ablation_control.py build/release/prehend [--captured FILE.json ...] [--meshes N] [--jobs 2]

Rows are the ways of docs/methods/example_control.md: the paper alone, then with a presentation that
was searched, with rehearsals, and with the grip that holds; the last also without rehearsals.
Columns count the runs that held, and of these those with less than 1 cm of slip. Meshes come from
the folder that PREHEND_DATA names, in the order of their names; controllers of captured grasps are
files of `prehend fit` and are run on the object that they were fitted on. Python's own library is
all that it needs."""
import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess

SCENE = "scenes/control/grasp.toml"
BUILT_IN = ["cylinder", "box", "sphere", "mug", "bottle", "book", "hammer", "bunny", "bulb", "wedge"]
WAYS = [
    ("paper", ["--grip", "paper", "--present", "example"]),
    ("+ presentation", ["--grip", "paper", "--present", "search"]),
    ("+ rehearsal", ["--grip", "paper", "--present", "rehearse"]),
    ("+ hold, unrehearsed", ["--grip", "hold", "--present", "search"]),
    ("+ hold, rehearsed", ["--grip", "hold", "--present", "rehearse"]),
]
LEAST_SLIP = 0.01  # m


def meshes(count):
    """Meshes to hold of the data folder, at most so many of each collection."""
    root = os.environ.get("PREHEND_DATA")
    if not root:
        return []
    found = []
    for folder in ("object_sim", "gso"):
        files = sorted(pathlib.Path(root, folder).glob("*.obj"))
        files += sorted(pathlib.Path(root, folder).glob("*.stl"))
        # A hand is none of the things to hold.
        found += [str(file) for file in files if file.stem != "hand"][:count]
    return found


def simulate(program, arguments):
    """held, slip in meters; None where the run was refused."""
    command = [program, "simulate", SCENE, *arguments, "--json", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        return None
    report = json.loads(done.stdout)
    return report["held"], report["slip_m"]


def cell(results):
    held = sum(1 for r in results if r and r[0])
    firm = sum(1 for r in results if r and r[0] and r[1] < LEAST_SLIP)
    refused = sum(1 for r in results if r is None)
    text = f"{held} ({firm}) of {len(results)}"
    return text + (f", {refused} refused" if refused else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--captured", nargs="*", default=[], help="controllers of captured grasps")
    parser.add_argument("--meshes", type=int, default=8, help="of each collection, at most")
    parser.add_argument("--jobs", type=int, default=1, help="runs side by side")
    given = parser.parse_args()
    columns = [("ten built-in objects", [["--object", name] for name in BUILT_IN]),
               ("meshes", [["--object", file] for file in meshes(given.meshes)]),
               ("captured, own object", [["--controller", file, "--object", "recorded"]
                                         for file in given.captured])]
    columns = [column for column in columns if column[1]]
    print("| way | " + " | ".join(name for name, _ in columns) + " |")
    print("|---|" + "---|" * len(columns))
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        for way, options in WAYS:
            cells = [cell(list(pool.map(lambda a: simulate(given.program, a + options), runs)))
                     for _, runs in columns]
            print(f"| {way} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
