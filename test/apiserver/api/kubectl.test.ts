import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { installCrds } from '#cli/install/crds.js';
import { kubectl, kubectlJson } from '#bench/scenarios/shell.js';
import type { World } from '#sandbox/world.js';
import type { Application } from '#api/v1alpha1/application.js';
import { useHost } from '../../support/fixture.js';
import { freshNamespace, useWorld } from '../../support/world.js';
import { application, deploy } from '../../unit/application/model/builders.js';

type Command = readonly string[];

const CREATE: Command = ['create'];
const APPLY: Command = ['apply'];
const SERVER_SIDE: Command = ['apply', '--server-side'];
const REPLACE: Command = ['replace'];

describe('nulls by way of kubectl, as docs/application.md tells', () => {
  let world: World;
  const kube = useHost();
  let namespace: string;
  let folder: string;

  beforeAll(async () => {
    world = await useWorld();
    await installCrds(kube, { takeOver: false });
    namespace = await freshNamespace(kube, 'nulls');
    folder = await mkdtemp(path.join(tmpdir(), 'fairlead-nulls-'));
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  function wanted(name: string, values: Record<string, unknown>, more: object = {}): object {
    const base = application([deploy('prod', undefined, { values })]);
    const { config } = base.spec.fluxApp!.spec;
    Object.assign(config.helmRelease!, more);
    const { apiVersion, kind, spec } = base;
    return { apiVersion, kind, spec, metadata: { name, namespace } };
  }

  async function run(command: Command, object: object): Promise<void> {
    const file = path.join(folder, 'object.json');
    await writeFile(file, JSON.stringify(object));
    await kubectl(world, world.host, ...command, '-f', file);
  }

  it.each<[string, readonly [Command, ...Command[]], object | undefined, object]>([
    ['create', [CREATE], undefined, { color: null }],
    ['apply', [APPLY], undefined, {}],
    ['apply-over-a-value', [APPLY, APPLY], { color: 'red' }, {}],
    ['apply-over-nothing', [APPLY, APPLY], {}, {}],
    ['server-side', [SERVER_SIDE], undefined, { color: null }],
    ['server-side-over-a-value', [SERVER_SIDE, SERVER_SIDE], { color: 'red' }, { color: null }],
    ['server-side-over-nothing', [SERVER_SIDE, SERVER_SIDE], {}, { color: null }],
    ['replace', [CREATE, REPLACE], { color: 'red' }, { color: null }],
  ])('in values, %s', async (name, [first, second = first], before, kept) => {
    if (before !== undefined) await run(first, wanted(name, { ...before }));
    await run(second, wanted(name, { color: null }));
    const live = await kubectlJson<Application>(world, world.host, '-n', namespace, `gapp/${name}`);
    expect(live.spec.fluxApp?.spec.config.helmRelease?.deploy[0]?.values ?? {}).toEqual(kept);
  });

  it.each<[string, Command]>([
    ['create', CREATE],
    ['apply', APPLY],
  ])('elsewhere, %s takes them for "not set"', async (name, command) => {
    await run(command, wanted(`unset-${name}`, {}, { template: null }));
    const live = await kubectlJson<Application>(world, world.host, '-n', namespace, `gapp/unset-${name}`);
    expect(live.spec.fluxApp?.spec.config.helmRelease).not.toHaveProperty('template');
  });

  it('elsewhere, apply --server-side refuses them', async () => {
    const refused = run(SERVER_SIDE, wanted('refused', {}, { template: null }));
    await expect(refused).rejects.toThrow('must be of type string: "null"');
  });
});
