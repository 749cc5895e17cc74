// Contact points and forces of the present frame, as instanced spheres and arrows.
import * as THREE from "three";
import { HAND as BY_HAND, OBJECT } from "./clip.js";

const HAND = new THREE.Color(0xff5a1f);
const SURROUNDINGS = new THREE.Color(0x1f9fb4);
const UP = new THREE.Vector3(0, 1, 0);

// Drawn twice: solid where seen, faint where skin or object hides it.
function instanced(geometry, capacity) {
  const solid = new THREE.MeshStandardMaterial({ roughness: 0.5, emissive: 0x331100, emissiveIntensity: 0.5 });
  const ghost = new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.34, depthTest: false, depthWrite: false });
  return [solid, ghost].map((material, pass) => {
    const mesh = new THREE.InstancedMesh(geometry, material, capacity);
    mesh.frustumCulled = false;
    mesh.renderOrder = pass ? 10 : 0;
    mesh.count = 0;
    return mesh;
  });
}

export class ContactMarks {
  constructor(clip, size) {
    this.clip = clip;
    this.group = new THREE.Group();
    const { contacts } = clip;
    let most = 0;
    this.strongest = 0;
    if (contacts) {
      for (let f = 0; f < clip.frames; ++f)
        most = Math.max(most, contacts.offsets[f + 1] - contacts.offsets[f]);
      for (let i = 0; i + 2 < contacts.forces.length; i += 3)
        this.strongest = Math.max(this.strongest, Math.hypot(...contacts.forces.subarray(i, i + 3)));
    }
    this.most = most;
    if (most === 0) return;
    // The strongest force is an arrow of a good part of the scene, never longer than a hand.
    this.metresPerNewton = this.strongest > 0 ? Math.min(0.35 * size, 0.09) / this.strongest : 0;
    this.thickness = Math.min(0.004 * (size / 0.2), 0.0032);
    this.points = instanced(new THREE.SphereGeometry(1, 16, 12), most);
    this.shafts = instanced(new THREE.CylinderGeometry(1, 1, 1, 14, 1).translate(0, 0.5, 0), most);
    this.heads = instanced(new THREE.ConeGeometry(1, 1, 18, 1).translate(0, -0.5, 0), most);
    this.group.add(...this.points, ...this.shafts, ...this.heads);
    this.scale = 1;
  }

  show(what, visible) {
    if (this.most === 0) return;
    const parts = what === "forces" ? [...this.shafts, ...this.heads] : this.points;
    for (const part of parts) part.visible = visible;
  }

  update(frame) {
    if (this.most === 0) return;
    const { contacts, hands, objects } = this.clip;
    const matrix = new THREE.Matrix4(), turn = new THREE.Quaternion();
    const point = new THREE.Vector3(), force = new THREE.Vector3(), tail = new THREE.Vector3();
    const direction = new THREE.Vector3(), scale = new THREE.Vector3();
    const first = contacts.offsets[frame], count = contacts.offsets[frame + 1] - first;
    const put = (meshes, k, color) => {
      for (const mesh of meshes) {
        mesh.setMatrixAt(k, matrix);
        mesh.setColorAt(k, color);
      }
    };
    for (let k = 0; k < count; ++k) {
      const i = first + k, t = this.thickness;
      const color = contacts.by[3 * i] === BY_HAND ? HAND : SURROUNDINGS;
      point.fromArray(contacts.points, 3 * i);
      const [kind, index, segment] = contacts.on.subarray(3 * i, 3 * i + 3);
      if (kind === OBJECT) objects[index].node.localToWorld(point);
      else if (kind === BY_HAND) hands[index].nodes[segment].localToWorld(point);
      matrix.compose(point, turn.identity(), scale.setScalar(1.15 * t));
      put(this.points, k, color);

      // The force's arrow ends at the point of contact.
      force.fromArray(contacts.forces, 3 * i);
      const length = force.length() * this.metresPerNewton * this.scale;
      direction.copy(length > 0 ? force : UP).normalize();
      turn.setFromUnitVectors(UP, direction);
      const head = Math.min(0.45 * length, 4.5 * t);
      tail.copy(point).addScaledVector(direction, -length);
      const thick = length > 1e-5 ? 0.5 * t : 0;
      matrix.compose(tail, turn, scale.set(thick, Math.max(length - head, 0), thick));
      put(this.shafts, k, color);
      matrix.compose(point, turn, scale.set(0.42 * head, head, 0.42 * head));
      put(this.heads, k, color);
    }
    for (const mesh of [...this.points, ...this.shafts, ...this.heads]) {
      mesh.count = count;
      mesh.instanceMatrix.needsUpdate = true;
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }
}
