// Lights, floor and camera.
import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { RoomEnvironment } from "three/addons/environments/RoomEnvironment.js";

const GRID = {
  vertex: /* glsl */ `
    varying vec2 place;
    void main() {
      place = position.xz;
      gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
    }`,
  // Lines every centimeter and, stronger, every ten, that fade before they shimmer.
  fragment: /* glsl */ `
    uniform vec3 color;
    uniform float reach;
    uniform vec2 center;
    uniform float spacing;
    varying vec2 place;
    float lines(float step_) {
      vec2 at = place / step_;
      vec2 width = fwidth(at);
      vec2 near = abs(fract(at - 0.5) - 0.5) / width;
      float fine = 1.0 - smoothstep(0.15, 0.5, max(width.x, width.y));
      return (1.0 - min(min(near.x, near.y), 1.0)) * fine;
    }
    void main() {
      float fade = 1.0 - smoothstep(0.1, 0.95, length(place - center) / reach);
      float strength = max(lines(spacing) * 0.07, lines(spacing * 10.0) * 0.24);
      gl_FragColor = vec4(color, strength * fade);
    }`,
};

function makeFloor() {
  const group = new THREE.Group();
  const grid = new THREE.Mesh(
    new THREE.PlaneGeometry(1, 1).rotateX(-Math.PI / 2),
    new THREE.ShaderMaterial({
      vertexShader: GRID.vertex,
      fragmentShader: GRID.fragment,
      transparent: true,
      depthWrite: false,
      uniforms: {
        color: { value: new THREE.Color() },
        reach: { value: 1 },
        center: { value: new THREE.Vector2() },
        spacing: { value: 0.01 },
      },
    }));
  const shadow = new THREE.Mesh(
    new THREE.PlaneGeometry(1, 1).rotateX(-Math.PI / 2),
    new THREE.ShadowMaterial({ opacity: 0.28, depthWrite: false }));
  shadow.receiveShadow = true;
  shadow.position.y = -0.0002;
  group.add(grid, shadow);
  group.userData = { grid, shadow };
  return group;
}

export class Stage {
  constructor(canvas) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.renderer.toneMapping = THREE.NeutralToneMapping;
    this.scene = new THREE.Scene();
    const surroundings = new THREE.PMREMGenerator(this.renderer);
    this.scene.environment = surroundings.fromScene(new RoomEnvironment(), 0.04).texture;
    surroundings.dispose();

    this.key = new THREE.DirectionalLight(0xfff1e2, 2.0);
    this.key.castShadow = true;
    this.key.shadow.mapSize.set(2048, 2048);
    this.key.shadow.radius = 5;
    this.key.shadow.bias = -0.0004;
    this.key.shadow.normalBias = 0.0015;
    this.rim = new THREE.DirectionalLight(0xcfe0ff, 0.7);
    this.scene.add(this.key, this.key.target, this.rim, this.rim.target);
    this.floor = makeFloor();
    this.scene.add(this.floor);

    this.camera = new THREE.PerspectiveCamera(32, 1, 0.001, 100);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.changed = true;
    this.controls.addEventListener("change", () => { this.changed = true; });
    this.setTheme("light");
  }

  setTheme(theme) {
    const dark = theme === "dark";
    this.scene.environmentIntensity = dark ? 0.3 : 0.42;
    this.renderer.toneMappingExposure = dark ? 0.9 : 0.95;
    this.floor.userData.grid.material.uniforms.color.value.set(dark ? 0xffffff : 0x20242a);
    this.floor.userData.shadow.material.opacity = dark ? 0.5 : 0.26;
  }

  // Puts floor, lights and camera where the clip is.
  frame(bounds, floorHeight = null) {
    this.bounds = bounds;
    const center = bounds.getCenter(new THREE.Vector3());
    const radius = Math.max(0.02, bounds.getSize(new THREE.Vector3()).length() / 2);
    // The clip's own floor, or the world's when the clip stands or hovers a little above it.
    const low = bounds.min.y;
    const level = floorHeight ?? (low >= -0.002 && low < 4 * radius ? 0 : low);
    const reach = Math.max(5 * radius, 0.4);
    this.floor.position.y = level;
    const { grid, shadow } = this.floor.userData;
    grid.scale.setScalar(1);
    grid.geometry.dispose();
    grid.geometry = new THREE.PlaneGeometry(2 * reach, 2 * reach).rotateX(-Math.PI / 2)
      .translate(center.x, 0, center.z);
    grid.material.uniforms.reach.value = reach;
    grid.material.uniforms.center.value.set(center.x, center.z);
    grid.material.uniforms.spacing.value = radius < 0.6 ? 0.01 : 0.1;
    shadow.scale.setScalar(2 * reach);
    shadow.position.x = center.x;
    shadow.position.z = center.z;

    const spread = 1.6 * radius + (center.y - level);
    this.key.position.copy(center).add(new THREE.Vector3(-0.7, 1.9, 1.0).multiplyScalar(2.2 * spread));
    this.key.target.position.copy(center);
    this.rim.position.copy(center).add(new THREE.Vector3(1.2, 0.7, -1.4).multiplyScalar(spread));
    this.rim.target.position.copy(center);
    const lens = this.key.shadow.camera;
    lens.left = lens.bottom = -spread;
    lens.right = lens.top = spread;
    lens.near = 0.1 * spread;
    lens.far = 9 * spread;
    lens.updateProjectionMatrix();
    this.home();
  }

  home() {
    const center = this.bounds.getCenter(new THREE.Vector3());
    const view = new THREE.Vector3(-0.62, 0.46, 0.78).normalize();
    const distance = this.distanceThatShows(center, view);
    this.camera.near = distance / 200;
    this.camera.far = distance * 60;
    this.camera.position.copy(center).addScaledVector(view, distance);
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(center);
    this.controls.minDistance = distance / 30;
    this.controls.maxDistance = distance * 8;
    this.controls.update();
  }

  // From there, looking back along `view`, every corner of the bounds is in the picture.
  distanceThatShows(center, view) {
    const right = new THREE.Vector3(0, 1, 0).cross(view).normalize();
    const up = view.clone().cross(right);
    const margin = 0.95 * Math.max(0.3, 1 - this.covered / this.height);
    const tall = margin * Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2));
    const wide = 0.95 * Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2)) * this.camera.aspect;
    let distance = 0.05;
    for (let corner = 0; corner < 8; ++corner) {
      const at = new THREE.Vector3(
        corner & 1 ? this.bounds.max.x : this.bounds.min.x,
        corner & 2 ? this.bounds.max.y : this.bounds.min.y,
        corner & 4 ? this.bounds.max.z : this.bounds.min.z).sub(center);
      const towards = at.dot(view);
      distance = Math.max(distance, towards + Math.abs(at.dot(right)) / wide,
        towards + Math.abs(at.dot(up)) / tall);
    }
    return distance;
  }

  // The picture's center lies above the controls at the bottom, `covered` pixels high.
  resize(width, height, covered) {
    this.height = height;
    this.covered = covered;
    this.changed = true;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.setViewOffset(width, height, 0, covered / 2, width, height);
    this.camera.updateProjectionMatrix();
  }

  // A picture only when something changed: a paused page costs nothing.
  render() {
    this.controls.update();
    if (!this.changed) return;
    this.changed = false;
    this.renderer.render(this.scene, this.camera);
  }
}
