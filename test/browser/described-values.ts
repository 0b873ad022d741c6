import { expect } from '@jest/globals';
import { helmTemplateResource } from '#api/v1alpha1/helm-template.js';
import { withTemplate } from '../apiserver/console/template-people.js';
import { eventually } from '../support/world.js';
import type { Visitors } from './visit.js';

/** A template of this name whose values have a schema, also in the cache of the server. */
export async function describeValues(
  { kube, namespace, plain }: Visitors,
  name: string,
  valuesSchema: object,
): Promise<void> {
  await withTemplate({ kube, namespace, plain, behindProxy: plain } as Visitors, { name });
  const ref = { name, namespace };
  const body = { spec: { valuesSchema } };
  const { metadata } = await kube.patch(helmTemplateResource, ref, { type: 'merge', body });
  const cache = plain.templates.find(({ type }) => type.kind === 'HelmTemplate');
  await eventually(() => expect(cache?.get(ref)?.metadata.resourceVersion).toBe(metadata.resourceVersion));
}
