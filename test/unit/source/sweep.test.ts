import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bucketResource } from '#api/flux/bucket.js';
import { gitRepositoryResource } from '#api/flux/git-repository.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { createArtifactStore } from '#engine/artifact/store.js';
import type { ArtifactStore } from '#engine/artifact/types.js';
import { sweepArtifacts, type OwningKind, type SweepOptions } from '#controllers/source/artifact-cleanup.js';
import { TransientError } from '#lib/errors.js';

let root: string;
let store: ArtifactStore;

beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'sweep-'));
  store = createArtifactStore({ root, baseUrl: 'http://files.example' });
  for (const kind of ['gitrepository', 'bucket', 'unknown']) {
    for (const name of ['live', 'gone']) {
      const owner = { kind, namespace: 'shop', name };
      await store.put(owner, 'a.tar.gz', '1', (file) => writeFile(file, `${kind} ${name}`));
    }
  }
});
afterEach(() => rm(root, { recursive: true, force: true }));

const LIVE: KubeObject = { apiVersion: 'v1', kind: 'Any', metadata: { name: 'live', namespace: 'shop' } };

function kind(type: ResourceType, facts: Partial<OwningKind['cache']> = {}): OwningKind {
  const get: OwningKind['cache']['get'] = ({ name }) => (name === 'live' ? LIVE : undefined);
  return { type, cache: { synced: true, served: true, get, onChange: () => undefined, ...facts } };
}

/** What an API server says of an object that no cache has. */
function sweep(kinds: readonly OwningKind[], answer: () => Promise<KubeObject | undefined>): Promise<boolean> {
  const kube = { get: answer } as SweepOptions['kube']; // no test asks for more of an object than that it is there
  return sweepArtifacts({ store, kube, kinds }, new AbortController().signal);
}

async function owners(): Promise<string[]> {
  return (await store.owners()).map((owner) => `${owner.kind}/${owner.name}`).sort();
}

const ALL = ['bucket/gone', 'bucket/live', 'gitrepository/gone', 'gitrepository/live', 'unknown/gone', 'unknown/live'];
const none = (): Promise<undefined> => Promise.resolve(undefined);

test('what is gone is removed, of the kinds that are known', async () => {
  expect(await sweep([kind(gitRepositoryResource), kind(bucketResource)], none)).toBe(true);
  expect(await owners()).toEqual(['bucket/live', 'gitrepository/live', 'unknown/gone', 'unknown/live']);
});

test.each([
  ['served', { served: false }],
  ['read', { synced: false }],
])('of a kind that is not %s, everything stays', async (_title, facts) => {
  expect(await sweep([kind(gitRepositoryResource, facts), kind(bucketResource)], none)).toBe(false);
  expect(await owners()).toEqual(ALL.filter((each) => each !== 'bucket/gone'));
});

test.each([
  ['has it after all', () => Promise.resolve(LIVE)],
  [
    'may not be asked',
    () => Promise.reject(new TransientError('no', { status: { code: 403, reason: 'Forbidden', causes: [] } })),
  ],
])('nothing goes while the server %s', async (_title, answer) => {
  expect(await sweep([kind(gitRepositoryResource), kind(bucketResource)], answer)).toBe(true);
  expect(await owners()).toEqual(ALL);
});

test('nothing goes while the server has trouble, and it is tried again', async () => {
  const trouble = (): Promise<never> => Promise.reject(new TransientError('down'));
  await expect(sweep([kind(gitRepositoryResource)], trouble)).rejects.toThrow('down');
  expect(await owners()).toEqual(ALL);
});
