import * as THREE from "three";

document.title = "Prehend " + THREE.REVISION;
