import { beforeAll, describe, expect, test } from '@jest/globals';
import path from 'node:path';
import type { KubeObject } from '#api/meta.js';
import { installCrds } from '#cli/install/crds.js';
import { readManifests } from '#cli/install/package.js';
import { ResourceTypes } from '#cli/command/objects.js';
import { parseYamlDocuments } from '#lib/yaml/yaml.js';
import { runCommand } from '#sandbox/command.js';
import { ensureTools } from '#sandbox/tools.js';
import { useHost } from '../support/fixture.js';
import { allSamples } from '../support/samples.js';
import { freshNamespace } from '../support/world.js';

const SAMPLES = allSamples();

function movedTo(namespace: string, object: KubeObject): KubeObject {
  return { ...object, metadata: { ...object.metadata, namespace } };
}

function withoutNulls(object: KubeObject): KubeObject {
  return JSON.parse(JSON.stringify(object, (_key, value: unknown) => value ?? undefined)) as KubeObject;
}

describe('samples on a real API server', () => {
  const kube = useHost();
  let namespace: string;

  beforeAll(async () => {
    await installCrds(kube, { takeOver: false });
    namespace = await freshNamespace(kube, 'samples');
  });

  async function objectsOf(folder: string): Promise<KubeObject[]> {
    const objects = await readManifests(folder);
    expect(objects.length).toBeGreaterThan(0);
    return objects.map((object) => movedTo(namespace, object));
  }

  test.each(SAMPLES)('%s is accepted, as kubectl creates and as it applies', async (sample) => {
    const types = new ResourceTypes(kube);
    for (const object of await objectsOf(path.join('samples', sample))) {
      const type = await types.of(object);
      await kube.create(type, object, { dryRun: true });
      // Server-side apply refuses fields that the schema does not declare, and explicit nulls.
      await kube.apply(type, withoutNulls(object), { dryRun: true, fieldManager: 'test' });
    }
  });

  test.each(SAMPLES)('%s expects children that are accepted too', async (sample) => {
    const types = new ResourceTypes(kube);
    for (const object of await objectsOf(path.join('samples', sample, 'expected'))) {
      await kube.apply(await types.of(object), object, { dryRun: true, fieldManager: 'test' });
    }
  });

  test.each(['stage', 'prod', 'web'])(
    'the manifests of kustomize/%s are built and accepted',
    async (place) => {
      const { kustomize } = await ensureTools(['kustomize']);
      const text = await runCommand(kustomize, ['build', path.join('sandbox/repo/kustomize', place)]);
      const types = new ResourceTypes(kube);
      const objects = parseYamlDocuments(text) as KubeObject[]; // As kustomize prints them.
      // What is encrypted becomes a Secret only when it is decrypted.
      for (const object of objects.filter((each) => !('sops' in each))) {
        const moved = object.kind === 'Namespace' ? object : movedTo(namespace, object);
        await kube.apply(await types.of(object), moved, { dryRun: true, fieldManager: 'test' });
      }
      expect(objects.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['ConfigMap', 'Service', 'Deployment']));
    },
    600_000,
  );
});
