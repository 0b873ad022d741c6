import { expect, it } from '@jest/globals';
import omit from 'lodash/omit.js';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fairlead } from '#bench/scenarios/shell.js';
import type { KubeObject } from '#api/meta.js';
import { APPLIED_DIGEST_ANNOTATION } from '#api/v1alpha1/labels.js';
import { digestIn } from '#controllers/application/model/child/metadata.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { PACKAGE_ROOT } from '#runtime/process/package-root.js';
import { fieldChanges } from '#lib/json/field-changes.js';
import { pointerText } from '#lib/text/text.js';
import { parseYamlDocuments, printYaml } from '#lib/yaml/yaml.js';
import { eventually, useWorld } from '../../support/world.js';
import { deploy, type Deploy } from '../../unit/application/model/builders.js';
import { putCluster, useHarness } from '../application/harness.js';

const SERVER_FIELDS = ['uid', 'resourceVersion', 'generation', 'creationTimestamp', 'managedFields', 'finalizers'];

/** A child as text, without what only a server gives to it. */
function textOf(child: Child): string {
  const { apiVersion, kind, metadata, spec } = child;
  const own = Object.entries(metadata).filter(([name]) => !SERVER_FIELDS.includes(name));
  const sorted = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value), (_key, each: unknown) =>
      typeof each === 'object' && each !== null && !Array.isArray(each)
        ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
        : each,
    );
  return printYaml(sorted({ apiVersion, kind, metadata: Object.fromEntries(own), spec }));
}

const harness = useHarness();
const labels = (env: string) => ({ 'gitops.kubesphere.io/cluster': 'true', tier: 'edge', env });

/** A cluster as somebody has it in a file. */
function secret(name: string, env: string): KubeObject {
  const { namespace } = harness;
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace, labels: labels(env) } };
}

/** Returns the path of a file with some objects. */
async function fileOf(name: string, objects: readonly object[]): Promise<string> {
  const { dir } = await useWorld();
  const file = path.join(dir, `${harness.namespace}-${name}.yaml`);
  await writeFile(file, objects.map((object) => JSON.stringify(object)).join('\n---\n'));
  return file;
}

function childrenUntil(isThere: (children: readonly Child[]) => void): Promise<Child[]> {
  return eventually(async () => {
    const found = await harness.childrenOf('shop');
    isThere(found);
    return found;
  });
}

it('fairlead render prints, byte for byte, what the controller applies', async () => {
  const { host } = await useWorld();
  await putCluster(harness, 'paris', { tier: 'edge', env: 'prod' });
  await putCluster(harness, 'rome', { tier: 'edge', env: 'test' });
  const selected = {
    destination: { clusterSelector: { matchLabels: { tier: 'edge' } }, targetNamespace: 'edge' },
    values: { env: '${{ cluster.labels.env }}', debug: null },
    overrides: [{ clusters: { names: ['rome'] }, timeout: '10m', values: { replicas: 3 } }],
  };
  const entries = [deploy('prod', 'eu', { values: { image: 'a', big: 1 }, interval: '5m' }), deploy('prod'), selected];
  const application = await harness.apply(harness.wanted('shop', entries));
  const children = await childrenUntil((found) => expect(found).toHaveLength(4));
  const file = await fileOf('render', [application, secret('paris', 'prod'), secret('rome', 'test')]);
  const rendered = parseYamlDocuments(await fairlead(host, 'render', '-f', file)) as Child[]; // what it prints
  const sorted = (all: readonly Child[]): string[] => all.map(textOf).sort();
  expect(sorted(rendered)).toEqual(sorted(children));
});

interface Printed {
  readonly code: number | null;
  /** Each with its fields, without why. */
  readonly changes: readonly string[];
  readonly summary: string | undefined;
}

/** What the built program says, without a cluster. */
async function diffOfFiles(newFile: string, oldFile: string): Promise<Printed> {
  const program = path.join(PACKAGE_ROOT, 'dist/cli/main.js');
  const args = [program, 'diff', '-f', newFile, '--from-file', oldFile];
  const child = spawn(process.execPath, args, { env: { ...process.env, KUBECONFIG: '/nowhere' } });
  const [stdout] = await Promise.all([text(child.stdout), once(child, 'close')]);
  const blocks = stdout.trimEnd().split(/\n(?! )/);
  const changes = blocks.slice(1, -1).map((block) => block.replace(/ \(on .*\)$/m, ''));
  return { code: child.exitCode, changes: changes.sort(), summary: blocks.at(-1) };
}

/** What differs between the children of two moments, each in a line as the program prints it, and sorted. */
function differing(before: readonly Child[], after: readonly Child[]): string[] {
  const subject = ({ kind, metadata }: Child): string => `${kind}/${metadata.namespace}/${metadata.name}`;
  const content = ({ metadata, spec }: Child): object => {
    const { labels, annotations, ownerReferences } = metadata;
    return { metadata: { labels, annotations: omit(annotations, APPLIED_DIGEST_ANNOTATION), ownerReferences }, spec };
  };
  const [old, next] = [before, after].map((children) => new Map(children.map((child) => [subject(child), child])));
  const changed = [...(next ?? [])].flatMap(([name, child]) => {
    const was = old?.get(name);
    const fields = was === undefined ? [] : [...fieldChanges(content(was), content(child))];
    const shown = (value: unknown): string => (value === undefined ? '(none)' : JSON.stringify(value));
    const lines = fields.map((field) => `  ${pointerText(field.path)}: ${shown(field.old)} -> ${shown(field.new)}`);
    if (was === undefined) return [`created ${name}`];
    // A null in the values is a change that no field shows.
    return digestIn(was) === digestIn(child) ? [] : [[`changed ${name}`, ...lines].join('\n')];
  });
  return [
    ...changed,
    ...[...(old?.keys() ?? [])].filter((name) => !next?.has(name)).map((name) => `deleted ${name}`),
  ].sort();
}

it('fairlead diff of files shows, field by field, what the controller then does', async () => {
  await putCluster(harness, 'paris', { tier: 'edge', env: 'prod' });
  await putCluster(harness, 'rome', { tier: 'edge', env: 'test' });
  const selector = (names: object) => ({
    destination: { clusterSelector: { matchLabels: { tier: 'edge' } }, targetNamespace: 'edge' },
    values: { env: '${{ cluster.labels.env }}', ...names },
  });
  const old = [
    deploy('prod', 'eu', { values: { image: 'a', big: 1 } }),
    deploy('prod', 'us'),
    deploy('base'),
    selector({}),
  ];
  const next = [
    deploy('prod', 'eu', { values: { image: 'b' }, timeout: '1m' }),
    deploy('base'),
    { ...selector({ debug: null }), overrides: [{ clusters: { names: ['rome'] }, interval: '3m' }] },
    deploy('late', 'eu'),
  ];
  const files = (entries: readonly Deploy[]) => [
    harness.wanted('shop', [...entries]),
    secret('paris', 'prod'),
    secret('rome', 'test'),
  ];
  const [oldFile, newFile] = [await fileOf('old', files(old)), await fileOf('new', files(next))];
  const printed = await diffOfFiles(newFile, oldFile);
  await harness.put('shop', [...old]);
  const before = await childrenUntil((found) => expect(found).toHaveLength(5));
  await harness.put('shop', [...next]);
  const isDone = (found: readonly Child[]): void => {
    const named = (part: string) => found.filter(({ metadata }) => metadata.name.includes(part));
    expect([named('late'), named('us-prod'), named('rome')]).toMatchObject([[{}], [], [{ spec: { interval: '3m' } }]]);
    expect(named('eu-prod')).toMatchObject([{ spec: { timeout: '1m' } }]);
  };
  const after = await childrenUntil(isDone);
  expect(printed.changes).toEqual(differing(before, after));
  expect(printed).toMatchObject({ code: 1, summary: '1 deleted, 3 changed, 1 created, 1 unchanged' });
});
