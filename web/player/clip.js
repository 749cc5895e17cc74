// A clip from the bytes of a GLB: the scene that three.js plays, and what Prehend keeps in extras.
import * as THREE from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";

// What a side of a contact is; beside it stand an index and, of a hand, a segment.
export const SURROUNDINGS = 0, HAND = 1, OBJECT = 2;

// Contacts of frame f are entries offsets[f] to offsets[f + 1] of every array; `by` pushes, `on` is
// pushed, and the points are in the frame of `on`.
async function readContacts(parser, accessors) {
  if (!accessors) return null;
  const read = async (name) =>
    accessors[name] === undefined ? [] : (await parser.getDependency("accessor", accessors[name])).array;
  return {
    offsets: await read("offsets"),
    by: await read("by"),
    on: await read("on"),
    points: await read("points_on"),
    normals: await read("normals_world"),
    forces: await read("forces_world"),
  };
}

async function nodesOf(parser, indices) {
  return Promise.all(indices.map((index) => parser.getDependency("node", index)));
}

export async function loadClip(bytes) {
  const gltf = await new GLTFLoader().parseAsync(bytes, "");
  const { parser } = gltf;
  const animation = gltf.animations[0] ?? null;
  const extras = parser.json.animations?.[0]?.extras?.prehend ?? {};
  const hands = [];
  for (const hand of extras.hands ?? [])
    hands.push({ ...hand, nodes: await nodesOf(parser, hand.nodes) });
  const objects = [];
  for (const object of extras.objects ?? [])
    objects.push({ ...object, node: (await nodesOf(parser, [object.node]))[0] });

  const duration = animation?.duration ?? 0;
  const rate = extras.frame_rate ?? 60;
  const frames = extras.frames ?? Math.round(duration * rate) + 1;
  const mixer = new THREE.AnimationMixer(gltf.scene);
  const action = animation ? mixer.clipAction(animation) : null;
  action?.play();

  return {
    scene: gltf.scene,
    name: extras.name || animation?.name || "",
    hands,
    objects,
    marks: extras.marks ?? [],
    contacts: await readContacts(parser, extras.contacts),
    forcesRecorded: extras.forces_recorded ?? false,
    floorHeight: extras.floor_height ?? null,
    duration,
    rate,
    frames,
    frameAt: (time) => Math.min(frames - 1, Math.max(0, Math.round(time * rate))),
    pose(time) {
      if (action) {
        action.time = Math.min(time, duration);
        mixer.update(0);
      }
      gltf.scene.updateMatrixWorld(true);
    },
  };
}

// Sum of the magnitudes of all forces of hands, frame by frame; null if there are none.
export function totalForce(clip) {
  const { contacts } = clip;
  if (!contacts || !clip.forcesRecorded) return null;
  const total = new Float32Array(clip.frames);
  for (let f = 0; f < clip.frames; ++f)
    for (let i = contacts.offsets[f]; i < contacts.offsets[f + 1]; ++i)
      if (contacts.by[3 * i] === HAND)
        total[f] += Math.hypot(...contacts.forces.subarray(3 * i, 3 * i + 3));
  return total;
}

// Room that everything moves in, over the whole clip.
export function motionBounds(clip) {
  const bounds = new THREE.Box3();
  const steps = Math.min(clip.frames, 24);
  const point = new THREE.Vector3();
  for (let k = 0; k < steps; ++k) {
    clip.pose(steps > 1 ? (clip.duration * k) / (steps - 1) : 0);
    for (const hand of clip.hands)
      for (const node of hand.nodes) {
        node.getWorldPosition(point);
        bounds.expandByPoint(point.clone().addScalar(0.012));
        bounds.expandByPoint(point.clone().addScalar(-0.012));
      }
    clip.scene.traverse((part) => {
      if (!part.isMesh || (part.isSkinnedMesh && clip.hands.length)) return;
      part.geometry.computeBoundingBox();
      bounds.union(part.geometry.boundingBox.clone().applyMatrix4(part.matrixWorld));
    });
  }
  if (bounds.isEmpty()) bounds.set(new THREE.Vector3(-0.1, 0, -0.1), new THREE.Vector3(0.1, 0.2, 0.1));
  return bounds;
}
