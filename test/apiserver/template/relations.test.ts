import { describe, expect, it } from '@jest/globals';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { listAll } from '#runtime/client/kube.js';
import { eventually } from '../../support/world.js';
import { deploy } from '../../unit/application/model/builders.js';
import { useTemplates } from './harness.js';

const PREFIX = 'gitops.kubesphere.io/template';

describe('the children of a template, on a real API server', () => {
  const on = useTemplates();

  /** The HelmReleases that a selector finds, by Application: `kubectl get hr -l SELECTOR`. */
  const found = async (labelSelector: string): Promise<string[]> => {
    const { items } = await listAll<Child>(on.applications.kube, helmReleaseResource, {
      namespace: on.applications.namespace,
      labelSelector,
    });
    return items.map(({ metadata }) => metadata.labels?.['app.kubernetes.io/managed-by'] ?? '').sort();
  };

  it('are found by its name and revision, and follow it without a new generation', async () => {
    await on.template('base');
    await on.hasRevision('base', 1);
    await on.use('follows', 'base', [deploy('follows', 'eu'), deploy('follows', 'us')]);
    await on.use('pinned', 'base@1');
    await on.applications.put('plain', [deploy('plain')]);
    await eventually(async () => expect(await found(`${PREFIX}=base`)).toEqual(['follows', 'follows', 'pinned']));
    await eventually(async () => expect(await found(`!${PREFIX}`)).toEqual(['plain']));
    await on.applications.becomes('follows', 'Unknown', 'DestinationsNotReady');
    await on.applications.becomes('pinned', 'Unknown', 'DestinationsNotReady');
    const since = await on.position('follows');
    await on.template('base', { valuesSchema: { type: 'object' } });
    await eventually(async () => {
      expect(await found(`${PREFIX}=base,${PREFIX}-revision=2`)).toEqual(['follows', 'follows']);
    });
    expect(await found(`${PREFIX}-revision=1`)).toEqual(['pinned']);
    for (const child of await on.applications.childrenOf('follows')) expect(child.metadata.generation).toBe(1);
    await on.inUse('follows', /@2$/);
    expect(await on.writes(since, 'pinned')).toEqual([]);
    expect(await on.writes(since, 'follows')).toHaveLength(2);
    const settled = await on.position('follows');
    await on.applications.passAfter('follows', () => on.applications.annotate('follows', { touched: 'yes' }));
    expect(await on.writes(settled, 'follows')).toEqual([]);
  });

  it('of a long name, and named with its namespace, have labels that are valid', async () => {
    const name = `web.${'n'.repeat(90)}`;
    await on.template(name);
    await on.applications.apply(on.user('shared', `${on.applications.namespace}/${name}`));
    const [child] = await on.applications.eventuallyHas('shared', 1);
    expect(child?.metadata.labels).toMatchObject({
      [PREFIX]: expect.stringMatching(/^web\.n{48}-[a-z0-9]{10}$/),
      [`${PREFIX}-namespace`]: on.applications.namespace,
      [`${PREFIX}-revision`]: '1',
    });
    await on.applications.put('shared', [deploy('shared')]);
  });
});
