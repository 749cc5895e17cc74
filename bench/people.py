#!/usr/bin/python3
"""How near proposed grasps are to those of people.

    bench/people.py PREHEND DATA OUT [--seed N] [--only NAME] [-- OPTIONS OF GRASP]

PREHEND is the command, DATA a folder of recordings (myodm, myohand, object_sim, manipnet; docs/
benchmarks.md says where they are from), OUT a folder for what is made. For every recorded grasp of
an object with a mesh: is one of the first 20 proposals near it? For the first five proposals: is a
recorded grasp of that object near? Near: the wrist within 4 cm and 40 degrees in the object's
frame, and at least two thirds of the recorded digits touch.
"""
import json
import math
import pathlib
import random
import struct
import subprocess
import sys

NEAR_M, NEAR_DEG, SAME_DIGITS = 0.04, 40.0, 2.0 / 3.0
PROPOSALS, FIRST = 20, 5
# A digit touches where one of its bones is this near to the surface, m: about its half thickness
# and what the capture is off by; the MyoHand recordings were retargeted and leave 1 to 2 cm.
TOUCH = {"myodm": 0.023, "manipnet": 0.018}
# A recorded grasp: two digits touch for this long, s, while the object moves by this, m. The grasp
# is taken at the moment when the object has moved that far.
LEAST_S, LEAST_M = 0.3, 0.02
BELOW_M = 0.002  # what reaches deeper than this under the object's lowest point is below a table
HALF_FINGER_M = 0.008
DIGITS = ("thumb", "index", "middle", "ring", "little")
JOINTS = ("metacarpal", "proximal", "intermediate", "distal", "tip")


def minus(a, b):
    return [a[0] - b[0], a[1] - b[1], a[2] - b[2]]


def turned_back(r, v):
    """The transpose of a matrix times a vector."""
    return [r[0][k] * v[0] + r[1][k] * v[1] + r[2][k] * v[2] for k in range(3)]


def rotation(q):
    length = math.sqrt(sum(x * x for x in q))
    w, x, y, z = (c / length for c in q)
    return [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]


def relative(a, b):
    """The transpose of a times b."""
    columns_of_b = list(zip(*b))
    return [list(row) for row in zip(*(turned_back(a, c) for c in columns_of_b))]


def read_mesh(path):
    """Triangles, three points each, of a binary STL or an OBJ file."""
    if path.suffix == ".stl":
        data = path.read_bytes()
        count = int.from_bytes(data[80:84], "little")
        return [[list(n[3:6]), list(n[6:9]), list(n[9:12])]
                for n in struct.iter_unpack("<12fH", data[84:84 + 50 * count])]
    vertices, faces = [], []
    for line in path.read_text().splitlines():
        words = line.split()
        if words[:1] == ["v"]:
            vertices.append([float(w) for w in words[1:4]])
        elif words[:1] == ["f"]:
            ids = [int(w.split("/")[0]) - 1 for w in words[1:]]
            faces += [(ids[0], ids[k], ids[k + 1]) for k in range(1, len(ids) - 1)]
    return [[vertices[i] for i in face] for face in faces]


def area(triangle):
    a, b = minus(triangle[1], triangle[0]), minus(triangle[2], triangle[0])
    return math.hypot(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                      a[0] * b[1] - a[1] * b[0])


def surface_points(triangles, count=2500):
    draw = random.Random(1)
    points = []
    for a, b, c in draw.choices(triangles, [area(t) for t in triangles], k=count):
        u, v = draw.random(), draw.random()
        if u + v > 1:
            u, v = 1 - u, 1 - v
        points.append([a[k] + u * (b[k] - a[k]) + v * (c[k] - a[k]) for k in range(3)])
    return points


class Nearby:
    """Is one of the points within a distance? They are sorted into cells as wide as it."""

    def __init__(self, points, within):
        self.within, self.cells = within, {}
        for point in points:
            self.cells.setdefault(self.cell(point), []).append(point)

    def cell(self, point):
        return tuple(math.floor(x / self.within) for x in point)

    def __contains__(self, spot):
        x, y, z = self.cell(spot)
        return any(math.dist(point, spot) < self.within
                   for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1)
                   for point in self.cells.get((x + i, y + j, z + k), ()))


def read_clip(path):
    lines = path.read_text().splitlines()
    at = next(i for i, line in enumerate(lines) if not line.startswith("#"))
    names = lines[at].split(",")
    numbers = [[float(w) for w in line.split(",")] for line in lines[at + 1:]]
    return dict(zip(names, zip(*numbers)))


def columns(clip, prefix, ends):
    return list(zip(*(clip[prefix + end] for end in ends)))


def recorded_grasps(clip, hand, thing, points, touch):
    """Wrist in the object's frame and digits that touch, a grasp each."""
    xyz, quaternion = ("_x_m", "_y_m", "_z_m"), ("_qw", "_qx", "_qy", "_qz")
    wrist = columns(clip, hand + "@wrist", xyz)
    wrist_turn = columns(clip, hand + ".wrist", quaternion)
    place, turn = columns(clip, thing, xyz), columns(clip, thing, quaternion)
    rate = 1.0 / (clip["time_s"][1] - clip["time_s"][0])
    step = max(1, round(rate / 30.0))
    frames = list(range(0, len(place), step))
    nearby = Nearby(points, touch)
    bones = {}
    for digit in DIGITS:
        named = [f"{hand}@{digit}-{joint}" for joint in JOINTS]
        # Metacarpals are of the palm.
        bones[digit] = [columns(clip, n, xyz) for n in named if n + "_x_m" in clip][1:]
    touching = []
    for f in frames:
        turned = rotation(turn[f])
        digits = set()
        for digit in DIGITS:
            joints = [turned_back(turned, minus(joint[f], place[f])) for joint in bones[digit]]
            if any([p + t / 4 * (q - p) for p, q in zip(a, b)] in nearby
                   for a, b in zip(joints, joints[1:]) for t in range(5)):
                digits.add(digit)
        touching.append(digits)
    grasps, i = [], 0
    while i < len(frames):
        if len(touching[i]) < 2:
            i += 1
            continue
        end = i
        while end + 1 < len(frames) and len(touching[end + 1]) >= 2:
            end += 1
        moved = [k for k in range(i, end + 1)
                 if math.dist(place[frames[k]], place[frames[i]]) > LEAST_M]
        if moved and (end - i) * step / rate >= LEAST_S:
            f = frames[moved[0]]
            turned = rotation(turn[f])
            grasps.append((turned_back(turned, minus(wrist[f], place[f])),
                           relative(turned, rotation(wrist_turn[f])), touching[moved[0]]))
        i = end + 1
    return grasps


def proposed_grasps(value):
    grasps = []
    for grasp in value["grasps"]:
        if not grasp["held"]:
            continue
        wrist = grasp["wrist_object"]
        digits = {t["segment"].split("-")[0] for t in grasp["touches"]} & set(DIGITS)
        digits = {d for d in digits if any(t["segment"].startswith(d) and
                                           not t["segment"].endswith("metacarpal")
                                           for t in grasp["touches"])}
        # Where the hand's skin is lowest at most: tips are on the skin, other joints inside.
        joints = [(joint["position"], 0.0 if name.endswith("tip") else HALF_FINGER_M)
                  for name, joint in grasp["joints"].items()]
        grasps.append((wrist["position"], rotation(wrist["rotation"]), digits, joints))
    return grasps


def near(recorded, proposed):
    if math.dist(recorded[0], proposed[0]) > NEAR_M:
        return False
    turn = relative(recorded[1], proposed[1])
    cosine = 0.5 * (turn[0][0] + turn[1][1] + turn[2][2] - 1.0)
    if math.degrees(math.acos(max(-1.0, min(1.0, cosine)))) > NEAR_DEG:
        return False
    return len(recorded[2] & proposed[2]) >= SAME_DIGITS * len(recorded[2])


def convert(command, out, clip, options):
    if not out.exists():
        subprocess.run([command, "convert", *clip, *options, "-o", out, "--quiet"], check=True,
                       capture_output=True)
    return read_clip(out)


def recordings(command, data, out):
    """(object's name, mesh in meters, up, recorded grasps), the grasps of one object together."""
    found = {}
    for path in sorted((data / "myodm").glob("MyoHand_*.csv")):
        name = path.stem.split("_")[1]
        mesh = data / "object_sim" / f"{name}.stl"
        if not mesh.exists():
            continue
        clip = convert(command, out / f"{path.stem}.csv", [path],
                       ["--hand", data / "myohand/myohand.xml", "--object", f"obj={mesh}"])
        points = surface_points(read_mesh(mesh))
        thing = next(n for n in clip if n.endswith("_qw") and "." not in n)[:-3]
        entry = found.setdefault(name, (mesh, "z", []))
        entry[2].extend(recorded_grasps(clip, "right", thing, points, TOUCH["myodm"]))
    for folder in sorted(p for p in (data / "manipnet").iterdir() if p.is_dir()):
        motion = next(p for p in folder.glob("*.bvh") if "Hand" not in p.name)
        mesh = data / "manipnet" / f"{motion.stem}.obj"
        clip = convert(command, out / f"{folder.name}.csv", [folder / "rightHand.bvh"],
                       ["--object", f"{motion}={mesh}"])
        # The capture is left-handed and in decimeters: the mesh is reflected as its motion is.
        triangles = [[[-0.1 * x, 0.1 * y, 0.1 * z] for x, y, z in triangle]
                     for triangle in read_mesh(mesh)]
        own = out / f"{motion.stem}.obj"
        with own.open("w") as file:
            for triangle in triangles:
                for v in reversed(triangle):
                    file.write("v {:.7g} {:.7g} {:.7g}\n".format(*v))
            for i in range(len(triangles)):
                file.write(f"f {3 * i + 1} {3 * i + 2} {3 * i + 3}\n")
        found[motion.stem] = (own, "y", recorded_grasps(clip, "right", motion.stem,
                                                        surface_points(triangles),
                                                        TOUCH["manipnet"]))
    return found


def main():
    words = sys.argv[1:]
    extra = words[words.index("--") + 1:] if "--" in words else []
    words = words[:words.index("--")] if "--" in words else words
    seed = words[words.index("--seed") + 1] if "--seed" in words else "1"
    only = words[words.index("--only") + 1] if "--only" in words else None
    command, data, out = words[0], pathlib.Path(words[1]), pathlib.Path(words[2])
    out.mkdir(parents=True, exist_ok=True)
    sums = [0.0] * 8
    print(f"{'object':16}{'held':>6}{'of':>5}{'searches':>9}{'seconds':>9}{'below':>7}"
          f"{'recorded':>10}{'near one':>9}{'first 5 near':>13}")
    for name, (mesh, up, recorded) in recordings(command, data, out).items():
        if not recorded or (only and name != only):
            continue
        target = out / f"{name}.{seed}.json"
        done = subprocess.run([command, "grasp", mesh, "--count", str(PROPOSALS), "--seed", seed,
                               *[word.replace("{up}", up) for word in extra], "-o", target,
                               "--json"], capture_output=True, text=True)
        report = json.loads(done.stdout)
        proposed = proposed_grasps(json.loads(target.read_text()))[:PROPOSALS]
        axis = 1 if up == "y" else 2
        bottom = min(v[axis] for triangle in read_mesh(mesh) for v in triangle)
        below = sum(any(place[axis] - half < bottom - BELOW_M for place, half in p[3])
                    for p in proposed)
        hits = sum(any(near(r, p) for p in proposed) for r in recorded)
        firsts = sum(any(near(r, p) for r in recorded) for p in proposed[:FIRST])
        row = [report["held"], report["proposed"], report["candidates"], report["search_seconds"],
               below, len(recorded), hits, firsts]
        sums = [a + b for a, b in zip(sums, row)]
        print(f"{name:16}{row[0]:6}{row[1]:5}{row[2]:9}{row[3]:9.1f}{below:7}{len(recorded):10}"
              f"{hits:9}{firsts:13}", flush=True)
    print(f"{'all':16}{sums[0]:6.0f}{sums[1]:5.0f}{sums[2]:9.0f}{sums[3]:9.1f}{sums[4]:7.0f}"
          f"{sums[5]:10.0f}{sums[6]:9.0f}{sums[7]:13.0f}")


if __name__ == "__main__":
    main()
