"""Blender imports a clip; its bone heads stand where our kinematics says.

blender --background --python blender_check.py -- FILE JOINTS.csv FRAME_RATE METERS_PER_UNIT
"""

import builtins
import csv
import sys

import bpy
import numpy

TOLERANCE = 1e-4  # meters

# Blender 3.4's importers are older than the Python and numpy of Debian 12.
numpy.bool = bool
_open = builtins.open
builtins.open = lambda file, mode="r", *args, **kw: _open(file, mode.replace("U", ""), *args, **kw)


def import_file(path, rate, meters_per_unit):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    # The glTF importer turns times into frames at the rate that the scene has.
    bpy.context.scene.render.fps = round(rate)
    bpy.context.scene.render.fps_base = round(rate) / rate
    if path.endswith(".bvh"):
        # This importer starts no earlier than at frame 1.
        bpy.ops.import_anim.bvh(filepath=path, global_scale=meters_per_unit, frame_start=1,
                                axis_forward="-Z", axis_up="Y", update_scene_fps=True)
    else:
        bpy.ops.import_scene.gltf(filepath=path)
    return next(item for item in bpy.context.scene.objects if item.type == "ARMATURE")


def main():
    path, table, rate, meters_per_unit = sys.argv[sys.argv.index("--") + 1:]
    armature = import_file(path, float(rate), float(meters_per_unit))
    with _open(table) as rows:
        expected = list(csv.DictReader(rows))
    first = 1 if path.endswith(".bvh") else 0
    worst, bones, frame = 0.0, set(), None
    for row in expected:
        if row["frame"] != frame:
            frame = row["frame"]
            bpy.context.scene.frame_set(first + int(frame))
        bone = armature.pose.bones.get(row["joint"])
        if bone is None:
            continue
        head = armature.matrix_world @ bone.head
        x, y, z = (float(row[axis]) for axis in "xyz")
        worst = max(worst, abs(head[0] - x), abs(head[1] + z), abs(head[2] - y))
        bones.add(row["joint"])
    ok = len(bones) >= 20 and worst < TOLERANCE
    print(f"{'ok' if ok else 'FAILED'}: Blender on {path.split('/')[-1]}: heads of {len(bones)} bones "
          f"within {1000 * worst:.4f} mm of our kinematics")


main()
