import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { crdResource } from '#api/core.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { readCrds } from '#cli/install/package.js';
import { useHost } from '../../support/fixture.js';
import { eventually, freshNamespace } from '../../support/world.js';
import { application, deploy } from '../../unit/application/model/builders.js';

const GROUP = 'old.example.org';
/** Our Application under another group: its schema may change without anybody else noticing. */
const copied: ResourceType = { ...applicationResource, group: GROUP };
const FINALIZER = 'example.org/held';

/** Any pattern in the schema accepts any text. */
function lenient(crd: KubeObject): KubeObject {
  return JSON.parse(JSON.stringify(crd), (key, value: unknown) => (key === 'pattern' ? '' : value)) as KubeObject;
}

describe('an Application that an older CRD accepted', () => {
  afterAll(() => kube.delete(crdResource, { name: `applications.${GROUP}` }));
  const kube = useHost();
  let namespace: string;
  let strict: KubeObject;

  beforeAll(async () => {
    namespace = await freshNamespace(kube, 'old');
    const crds = await readCrds();
    const ours = crds.find(({ metadata }) => metadata.name === `applications.${applicationResource.group}`)!;
    const text = JSON.stringify({ ...ours, metadata: { name: `applications.${GROUP}` } });
    const renamed = text.replaceAll(`"${applicationResource.group}"`, `"${GROUP}"`).replaceAll('"gapp"', '"oldapp"');
    strict = JSON.parse(renamed) as KubeObject;
  });

  it('gets a status, and loses its finalizer, though the present one would refuse it', async () => {
    await kube.apply(crdResource, lenient(strict), { fieldManager: 'test', force: true });
    const base = application([deploy('prod', undefined, { releaseName: 'Not Valid' })]);
    const metadata = { name: 'old', namespace, finalizers: [FINALIZER] };
    const old = { ...base, apiVersion: `${GROUP}/v1alpha1`, metadata };
    await eventually(() => kube.create(copied, old));
    await kube.apply(crdResource, strict, { fieldManager: 'test', force: true });
    await eventually(async () => {
      const another = { ...old, metadata: { name: 'another', namespace } };
      await expect(kube.create(copied, another, { dryRun: true })).rejects.toThrow('releaseName');
    });
    const live = await kube.get<Application>(copied, metadata);
    const status = { observedGeneration: 1 };
    const written = await kube.update<Application>(copied, { ...live!, status }, { subresource: 'status' });
    expect(written.status).toEqual(status);
    await kube.delete(copied, metadata);
    await kube.patch(copied, metadata, { type: 'merge', body: { metadata: { finalizers: [] } } });
    await eventually(async () => expect(await kube.get(copied, metadata)).toBeUndefined());
  });
});
