// How hands and objects look: skin, bones as capsules, objects that can turn transparent.
import * as THREE from "three";

function skinMaterial(from) {
  return new THREE.MeshPhysicalMaterial({
    color: from.color,
    roughness: 0.58,
    sheen: 0.6,
    sheenRoughness: 0.5,
    sheenColor: new THREE.Color(0.9, 0.45, 0.35),
    specularIntensity: 0.45,
  });
}

const BONE = new THREE.MeshStandardMaterial({ color: 0xd9d4c8, roughness: 0.6 });
const JOINT = new THREE.MeshStandardMaterial({ color: 0x4c6b8a, roughness: 0.45 });

function capsuleMesh({ a, b, radius }) {
  const from = new THREE.Vector3(...a), to = new THREE.Vector3(...b);
  const length = from.distanceTo(to);
  const mesh = new THREE.Mesh(new THREE.CapsuleGeometry(radius, length, 6, 18), BONE);
  mesh.position.copy(from).lerp(to, 0.5);
  if (length > 0)
    mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), to.sub(from).normalize());
  return mesh;
}

function bonesOf(hand) {
  const parts = [];
  hand.segments.forEach((segment, s) => {
    for (const capsule of segment.capsules ?? []) {
      const mesh = capsuleMesh(capsule);
      hand.nodes[s].add(mesh);
      parts.push(mesh);
    }
    const widest = Math.max(0.003, ...(segment.capsules ?? []).map((capsule) => capsule.radius));
    const joint = new THREE.Mesh(new THREE.SphereGeometry(1.06 * widest, 20, 14), JOINT);
    joint.scale.set(1.12, 0.45, 0.45);
    if (segment.joints?.length) {
      hand.nodes[s].add(joint);
      parts.push(joint);
    }
  });
  return parts;
}

export class Dress {
  constructor(clip) {
    this.skins = [];
    this.objects = [];
    this.bones = clip.hands.flatMap(bonesOf);
    clip.scene.traverse((part) => {
      if (!part.isMesh) return;
      part.castShadow = part.receiveShadow = true;
      if (this.bones.includes(part)) return;
      if (part.isSkinnedMesh) {
        part.frustumCulled = false;
        part.material = skinMaterial(part.material);
        this.skins.push(part);
      } else {
        part.material = part.material.clone();
        this.objects.push(part);
      }
    });
  }

  showSkin(visible) {
    for (const skin of this.skins) skin.visible = visible;
  }

  showBones(visible) {
    for (const bone of this.bones) bone.visible = visible;
  }

  setOpacity(opacity) {
    for (const { material } of this.objects) {
      const clear = opacity < 0.999;
      if (material.transparent !== clear) material.needsUpdate = true;
      material.transparent = clear;
      material.opacity = opacity;
      material.depthWrite = opacity > 0.5;
    }
  }
}
