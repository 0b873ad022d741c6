import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { namespaceResource } from '#api/core.js';
import type { HelmTemplateSpec } from '#api/v1alpha1/helm-template.js';
import { startWorld, type World } from '#sandbox/world.js';
import { eventually, freshNamespace } from '../../support/world.js';
import { createFixtures } from '../application/harness.js';
import { TemplateHarness, useTemplates } from './harness.js';

type SharedWith = HelmTemplateSpec['sharedWith'];

describe('templates of another namespace on a real API server', () => {
  let world: World;
  let parent: string;
  let on: TemplateHarness;
  /** Where the templates are. */
  let platform: string;
  /** Where their users are. */
  let shop: string;

  const share = (name: string, sharedWith?: SharedWith) =>
    on.template(name, sharedWith === undefined ? {} : { sharedWith }, platform);

  const label = (tier: string | null) =>
    on.applications.kube.patch(
      namespaceResource,
      { name: shop },
      { type: 'merge', body: { metadata: { labels: { tier } } } },
    );

  beforeAll(async () => {
    // The controllers must see two namespaces, and in a shared world they would meddle with those of others.
    parent = await mkdtemp(path.join(tmpdir(), 'fairlead-grants-'));
    world = await startWorld({ dir: path.join(parent, 'world'), members: 0 });
    on = await TemplateHarness.start({ ownCluster: world.host });
    shop = on.applications.namespace;
    platform = await freshNamespace(on.applications.kube, 'platform');
    await createFixtures(on.applications.kube, platform);
  });

  afterAll(async () => {
    await on.stop();
    await world.stop();
    await rm(parent, { recursive: true, force: true });
  });

  async function denied(name: string, says: string): Promise<void> {
    await on.applications.becomes(name, 'False', 'AccessDenied');
    expect((await on.condition(name, 'Ready'))?.message).toContain(says);
  }

  it.concurrent('are rejected until they are shared by name; without the grant, releases keep running', async () => {
    await share('named');
    await on.applications.apply(on.user('named', `${platform}/named`));
    await denied('named', `not shared with ${shop}: have ${shop} added to its spec.sharedWith.namespaces`);
    expect(await on.applications.childrenOf('named')).toEqual([]);

    await share('named', { namespaces: [shop] });
    await on.runs('named');
    const sourceRef = { kind: 'HelmRepository', name: 'charts', namespace: platform };
    expect(await on.chartOf('named')).toMatchObject({ chart: 'podinfo', sourceRef });
    await eventually(async () => expect((await on.find('named', platform))?.status?.usedBy).toBe(1));

    const before = await on.position('named');
    await share('named', { namespaces: ['another'] });
    await denied('named', `not shared with ${shop}`);
    expect((await on.applications.read('named')).status?.summary).toMatchObject({ ready: '1/1' });
    const { generation } = (await on.applications.read('named')).metadata;
    await share('named', { namespaces: ['another', shop] });
    await on.applications.becomes('named', 'True', 'AllReady');
    expect(await on.writes(before, 'named')).toEqual([]);
    expect((await on.applications.read('named')).metadata.generation).toBe(generation);
    // Who may use it is no part of what is used.
    await on.hasRevision('named', 1, platform);
  });

  it.concurrent('are granted by the labels of the namespace, as they are now', async () => {
    await share('selected', { selector: { matchLabels: { tier: 'production' } } });
    await on.applications.apply(on.user('selected', `${platform}/selected`));
    await denied('selected', `not shared with ${shop}`);
    await label('production');
    await on.runs('selected');
    const before = await on.position('selected');
    await label(null);
    await denied('selected', `not shared with ${shop}`);
    await label('production');
    await on.applications.becomes('selected', 'True', 'AllReady');
    expect(await on.writes(before, 'selected')).toEqual([]);
  });

  it.concurrent('are granted by expressions over labels', async () => {
    const matchExpressions = [{ key: 'kubernetes.io/metadata.name', operator: 'In' as const, values: [shop] }];
    await share('expressed', { selector: { matchExpressions } });
    await on.applications.apply(on.user('expressed', `${platform}/expressed`));
    await on.runs('expressed');
  });

  it.concurrent('are missing or there, and pinned, like those of the own namespace', async () => {
    await on.applications.apply(on.user('late', `${platform}/late@1`));
    await on.applications.becomes('late', 'False', 'AccessDenied');
    await share('late', { selector: {} });
    await on.runs('late');
    expect((await on.applications.read('late')).status?.template).toBe(`HelmTemplate ${platform}/late@1`);
  });
});

describe('a controller with --no-cross-namespace-refs', () => {
  const on = useTemplates({ allowCrossNamespace: false });

  it.concurrent('refuses a template of another namespace and names the way out', async () => {
    await on.applications.apply(on.user('crossing', 'platform/web'));
    await on.applications.becomes('crossing', 'False', 'AccessDenied');
    expect((await on.condition('crossing', 'Ready'))?.message).toContain(
      `--no-cross-namespace-refs forbids; copy it and its source into ${on.applications.namespace}`,
    );
    expect(await on.applications.childrenOf('crossing')).toEqual([]);
  });

  it.concurrent('refuses a template whose source is in another namespace, on both sides', async () => {
    const sourceRef = { kind: 'HelmRepository', name: 'charts', namespace: 'platform' } as const;
    await on.template('foreign', { sourceRef });
    await on.applications.apply(on.user('foreign', 'foreign'));
    await on.applications.becomes('foreign', 'False', 'TemplateInvalid');
    expect((await on.condition('foreign', 'Ready'))?.message).toContain('spec.sourceRef.namespace');
    await eventually(async () => {
      expect((await on.find('foreign'))?.status?.conditions).toContainEqual(
        expect.objectContaining({ type: 'Ready', status: 'False', reason: 'AccessDenied' }),
      );
    });
  });

  it.concurrent('serves templates of the own namespace', async () => {
    await on.template('own', {});
    await on.use('own', 'own');
    await on.runs('own');
  });
});
