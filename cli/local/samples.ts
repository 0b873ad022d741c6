import path from 'node:path';
import type { KubeObject } from '#api/meta.js';
import type { Kube } from '#runtime/client/kube.js';
import { PACKAGE_ROOT } from '#runtime/process/package-root.js';
import { readManifests } from '../install/package.js';
import { ResourceTypes } from '../command/objects.js';

/** Folders below samples/ that the demo shows, in this order. */
const DEMO_SAMPLES: readonly string[] = ['00-first-light', '01-helm-release', '04-multi-cluster'];

/** Field manager of a user who types `kubectl create`. */
const FIELD_MANAGER = 'kubectl-create';

/** The objects of the samples; Applications last, so that what they read is there. */
export async function readSamples(names: readonly string[] = DEMO_SAMPLES): Promise<KubeObject[]> {
  const folders = names.map((name) => path.join(PACKAGE_ROOT, 'samples', name));
  const objects = (await Promise.all(folders.map(readManifests))).flat();
  const isApplication = ({ kind }: KubeObject): boolean => kind === 'Application';
  return [...objects.filter((object) => !isApplication(object)), ...objects.filter(isApplication)];
}

/**
 * Creates or replaces the objects one after the other. Not by server-side apply: that refuses an explicit null
 * (`template:` with nothing behind it), which a create takes for "not set", as `kubectl apply` users know it.
 */
export async function applySamples(kube: Kube, objects: readonly KubeObject[]): Promise<void> {
  const types = new ResourceTypes(kube);
  for (const object of objects) {
    const type = await types.of(object);
    const live = await kube.get(type, object.metadata);
    if (live === undefined) await kube.create(type, object, { fieldManager: FIELD_MANAGER });
    else {
      const metadata = { ...live.metadata, ...object.metadata };
      await kube.update(type, { ...live, ...object, metadata }, { fieldManager: FIELD_MANAGER });
    }
  }
}
