import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Artifact } from '#api/flux/common.js';
import { packDirectory } from '#engine/artifact/archive.js';
import type { KustomizationSpec } from '#api/flux/kustomization.js';
import { createArtifactStore } from '#engine/artifact/store.js';
import type { ArtifactStore } from '#engine/artifact/types.js';
import { run } from '#engine/process/run.js';
import { createBuild, type Build } from '#controllers/kustomization/build.js';
import { prepareTask } from '#controllers/kustomization/prepare-aside.js';
import { OverrunError } from '#runtime/isolation/offload.js';
import { kustomization } from './model/builders.js';

let dir: string;
let store: ArtifactStore;
let artifact: Artifact;
let isBusy: boolean;
let build: (change?: Partial<KustomizationSpec>) => ReturnType<Build>;

/** A program in the place of kustomize. */
const program = (...lines: string[]): Promise<void> =>
  writeFile(join(dir, 'kustomize'), ['#!/bin/sh', ...lines].join('\n'), { mode: 0o700 });

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'build-'));
  await mkdir(join(dir, 'in', 'app'), { recursive: true });
  await writeFile(join(dir, 'in', 'app', 'a.yaml'), 'kind: A');
  store = createArtifactStore({ root: join(dir, 'store'), baseUrl: 'http://127.0.0.1' });
  const owner = { kind: 'gitrepository', namespace: 'team', name: 'fleet' };
  artifact = await store.put(owner, 'a.tar.gz', 'r1', (file) => packDirectory(join(dir, 'in'), file));
  isBusy = false;
  const offload = {
    run: (_task: unknown, input: string) =>
      isBusy ? Promise.reject(new OverrunError('takes longer than 20 s')) : Promise.resolve(prepareTask.run(input)),
  };
  const work = createBuild({ store, offload, run, kustomizePath: join(dir, 'kustomize') });
  const { spec } = kustomization({ path: 'app' });
  build = (change) =>
    work({ artifact, spec: { ...spec, ...change }, lane: 'team', signal: new AbortController().signal });
  await program('echo built');
});
afterEach(() => rm(dir, { recursive: true, force: true }));

test('what was built once is kept', async () => {
  const built = await build();
  expect(built).toMatchObject({ text: 'built\n' });
  await program('exit 1');
  expect(await build()).toEqual(built);
});

test('a thread that took too long is no reason to refuse the source later', async () => {
  isBusy = true;
  expect(await build()).toMatchObject({ problem: 'reading the kustomization files takes longer than 20 s' });
  isBusy = false;
  expect(await build()).toMatchObject({ text: 'built\n' });
});

test('a kustomize that failed is run again, and names files by their path in the source', async () => {
  await program('echo "Error: $(dirname "$PWD")/base/x.yaml: no space left" >&2', 'exit 1');
  const message = 'kustomize build failed: base/x.yaml: no space left';
  expect(await build()).toMatchObject({ problem: message, reason: 'BuildFailed' });
  await program('echo built');
  expect(await build()).toMatchObject({ text: 'built\n' });
});

/**
 * A fake kustomize. It prints a Namespace `shared` if the kustomization file sets that namespace; otherwise it runs the
 * given commands.
 */
const naming = (...otherwise: string[]): Promise<void> =>
  program(
    'for folder; do :; done',
    'if ! grep -q "^namespace: shared" "$folder/kustomization.yaml"; then',
    ...otherwise,
    'else printf "apiVersion: v1\\nkind: Namespace\\nmetadata:\\n  name: shared\\n"; fi',
  );
const INNER = 'printf "apiVersion: v1\\nkind: Namespace\\nmetadata:\\n  name: inner\\n---\\nkind: A\\n"';
const NAMESPACE = 'apiVersion: v1\nkind: Namespace\nmetadata:\n  name: inner\n';

test('Namespaces that may have been renamed are built as they were called, once', async () => {
  await naming(INNER);
  const built = await build({ targetNamespace: 'shared' });
  expect(built).toMatchObject({ text: NAMESPACE.replace('inner', 'shared'), namespaces: NAMESPACE });
  await program('exit 1');
  expect(await build({ targetNamespace: 'shared' })).toEqual(built);
});

test('without such a Namespace, or without targetNamespace, kustomize runs once', async () => {
  await naming('exit 1');
  expect(await build({ targetNamespace: 'other' })).toHaveProperty('problem');
  await program('echo built');
  expect(await build({ targetNamespace: 'other' })).not.toHaveProperty('namespaces');
  expect(await build()).not.toHaveProperty('namespaces');
});

test('a source whose names cannot be told is not built', async () => {
  await naming('echo "no names" >&2; exit 1');
  expect(await build({ targetNamespace: 'shared' })).toMatchObject({
    problem: 'cannot tell how the files name their Namespaces: kustomize build failed: no names',
  });
  await naming(INNER);
  expect(await build({ targetNamespace: 'shared' })).toMatchObject({ namespaces: NAMESPACE });
});

test('names that meet are explained by what they were', async () => {
  await program(
    'for folder; do :; done',
    `if ! grep -q "^namespace: shared" "$folder/kustomization.yaml"; then ${INNER}`,
    'else echo "namespace transformation produces ID conflict: x" >&2; exit 1; fi',
  );
  expect(await build({ targetNamespace: 'shared' })).toMatchObject({
    problem: 'kustomize build failed: namespace transformation produces ID conflict: x',
    namespaces: NAMESPACE,
  });
});
