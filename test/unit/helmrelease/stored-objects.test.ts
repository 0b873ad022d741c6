import { monitorEventLoopDelay } from 'node:perf_hooks';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { readRenderedInWorker } from '#controllers/helmrelease/read-rendered.js';
import { decodeRelease, encodeRelease } from '#controllers/helmrelease/release-codec.js';
import { objectsOf } from '#controllers/helmrelease/model/manifest.js';
import {
  objectsOfRelease,
  recordedObjects,
  renderedSecrets,
  requireReadable,
} from '#controllers/helmrelease/stored-objects.js';
import { concludeError } from '#controllers/helmrelease/model/conclude.js';
import { problemOf } from '#engine/flux/reconcile.js';
import { isInterruption } from '#engine/member/member-failure.js';
import { TerminalError, TransientError } from '#lib/errors.js';
import { getCondition } from '#lib/kube/conditions.js';
import { printJson } from '#lib/json/lossless-json.js';
import { OverrunError, type Offload, type Task } from '#runtime/isolation/offload.js';
import { cpuMsOf } from '../../support/cpu-time.js';
import { helmRelease, record, statusContext } from './model/builders.js';

const HEAD = '---\n# Source: web/templates/a.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n';
const list = (item: string, times: number): string => `${HEAD}x: [${item.repeat(times)}0]\n`;

/** The names of the tasks that were asked. */
let asked: string[] = [];
const offload: Pick<Offload, 'run'> = {
  run: async ({ name, run }: Task, input) => {
    asked.push(name);
    return run(input);
  },
};

function context(over: Pick<Offload, 'run'> = offload) {
  asked = [];
  return { offload: over, tenant: 'shop', releaseName: 'web', storage: { namespace: 'apps' } };
}

function packed(manifest: string, hooks: readonly string[] = []): string {
  const last_run = { phase: '' };
  const json = JSON.stringify({ ...record({ manifest }), hooks: hooks.map((text) => ({ manifest: text, last_run })) });
  return Buffer.from(gzipSync(json, { level: 1 }).toString('base64')).toString('base64');
}

test.each([
  ['a dense document', list('{},', 7_000_000), []],
  ['many documents', 'a: 1\n---\n'.repeat(200_000), []],
  ['many lines', `${HEAD}x:\n${'- {}\n'.repeat(800_000)}`, []],
  ['a dense hook', HEAD, [list('1,', 2_000_000)]],
  ['hooks that are dense together', HEAD, Array.from({ length: 4 }, () => list('1,', 400_000))],
])('a stored release with %s is refused before it is parsed', (_what, manifest, hooks) => {
  const data = packed(manifest, hooks);
  const cost = cpuMsOf(() =>
    expect(() => decodeRelease(data, 'apps/sh.helm.release.v1.web.v1')).toThrow(
      /^Secret apps\/sh\.helm\.release\.v1\.web\.v1 has more than 1500000 lines.* or delete it to have the release recreated$/,
    ),
  );
  expect(cost).toBeLessThan(2_000);
});

test('a release that nobody could read again is not stored', () => {
  const large = record({ manifest: `${HEAD}x:\n${'- 1\n'.repeat(800_000)}` });
  expect(() => encodeRelease(large)).toThrow(/release web\.v1 has more than 1500000 lines.*: render less, or split/);
});

test.each([
  ['more than may be stored', list('{},', 300_000), 'what the chart rendered to has more than 300000 fields and items'],
  [
    'more by aliases',
    `${HEAD}a: &a [${'1,'.repeat(1_000)}1]\nb: [${'*a,'.repeat(90)}*a]\n`.repeat(4),
    'more than 300000 fields',
  ],
  ['many long lines', `${HEAD}x: |\n${' a\n'.repeat(1_600_000)}`, 'more than 1500000 lines, list items and commas'],
])('a chart that renders %s is refused before it is installed', async (_what, output, problem) => {
  const read = await readRenderedInWorker(offload, { output, layers: [], hides: true }, 'shop');
  expect(read).toEqual({ problem: expect.stringContaining(problem) as unknown });
});

test('a large chart of good faith is rendered, stored and read', async () => {
  // Some ten times as much as kube-prometheus-stack renders: rules and dashboards of two megabytes.
  const rule = `- alert: Alert\n  expr: sum(rate(a{b="c"}[5m])) by (d, e)\n  labels: {severity: warning}\n`;
  const dashboard = JSON.stringify({ panels: Array.from({ length: 150 }, (_, id) => ({ id, type: 'graph', x: [1] })) });
  const objects = Array.from({ length: 1_000 }, (_, index) => {
    const text = JSON.stringify(JSON.parse(dashboard), null, 2).replaceAll('\n', '\n    ');
    return index % 4 === 0 ? `${HEAD}data:\n  a.json: |\n    ${text}\n` : `${HEAD}rules:\n${rule.repeat(30)}`;
  });
  const output = objects.join('');
  const rendered = await readRenderedInWorker(offload, { output, layers: [], hides: false }, 'shop');
  if ('problem' in rendered) throw new Error(rendered.problem);
  const stored = decodeRelease(encodeRelease(record({ manifest: rendered.manifest })), 'x');
  const read = await objectsOfRelease(context(), stored.manifest, 1);
  expect(read).toHaveLength(1_000);
  expect(asked).toEqual(['storedObjectsTask']);
});

test.each([
  ['one document', list('{a: 12345678901234567890, b: 0644, c: "é"},', 5_000)],
  ['documents', `${HEAD}---\nkind: AList\nitems: [{kind: A}, {kind: B}]\n`.repeat(12_000)],
  ['anchors', `${HEAD}a: &a [1]\nb: *a\n`],
  ['anchors behind U+0085', '{kind: A, a:\u0085&a [1], b:\u0085*a}\n'],
])('a large manifest of %s is read in a child process, and reads the same', async (_what, manifest) => {
  const read = await objectsOfRelease(context(), manifest);
  expect(asked).toEqual(['storedObjectsTask']);
  expect(printJson(read)).toBe(printJson(objectsOf(manifest)));
});

test('a usual manifest is read here, in turns', async () => {
  const manifest = `${HEAD}data: {a: b, c: d}\n`.repeat(5_000);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  expect(await objectsOfRelease(context(), manifest)).toHaveLength(5_000);
  delay.disable();
  expect(asked).toEqual([]);
  // It was the turn of others again and again, however slow the machine is.
  expect(delay.count).toBeGreaterThan(10);
});

test('what expands too far, or takes too long, is an error of the release', async () => {
  const dense = list('{},', 310_000);
  const read = objectsOfRelease(context(), dense, 3);
  await expect(read).rejects.toMatchObject({ name: 'TerminalError', reason: 'StateError' });
  await expect(read).rejects.toThrow(
    /^Secret apps\/sh\.helm\.release\.v1\.web\.v3 has more than 300000 fields and items, .* delete it to have the release recreated$/,
  );
  const slow = { run: () => Promise.reject(new OverrunError('takes longer than 30 s')) };
  await expect(objectsOfRelease(context(slow), dense, 3)).rejects.toThrow(
    /v3 has a manifest that takes longer than 30 s to/,
  );
  const long = `kind: A\na: &a "${'x'.repeat(1_000_000)}"\nb: [${'*a, '.repeat(15)}*a]\n---\n`.repeat(3);
  await expect(objectsOfRelease(context(), long)).rejects.toThrow(
    /release web has objects of more than 33554432 bytes/,
  );
});

test('a release that cannot be read without a child process counts no attempt, and the status says why', async () => {
  const none = { run: () => Promise.reject(new TransientError('a process ended (it could not be started)')) };
  const error: unknown = await objectsOfRelease(context(none), `${HEAD}a: &a [1]\nb: *a\n`).catch(
    (each: unknown) => each,
  );
  expect(isInterruption(error)).toBe(true);
  const release = helmRelease();
  const failure = { error, problem: problemOf(error, 'ReconcileError'), isLostArtifact: false };
  const then = { status: {}, moment: statusContext(), dependencyRequeueMs: 1 };
  const { conditions } = concludeError(release, failure, then).status;
  expect(getCondition(conditions, 'Ready')).toMatchObject({
    status: 'False',
    reason: 'ReconcileError',
    message: 'the manifest of a release could not be read: a process ended (it could not be started)',
  });
});

test('bad YAML is bad YAML, wherever it is read', async () => {
  await expect(objectsOfRelease(context(), `${HEAD}a: [`)).rejects.toThrow(SyntaxError);
  await expect(objectsOfRelease(context(), `${HEAD}a: &a [`)).rejects.toThrow(SyntaxError);
});

test('the objects of all revisions are limited together', async () => {
  const manifest = list('{},', 250_000);
  const records = [1, 2, 3, 4].map((version) => record({ version, manifest }));
  expect(await recordedObjects(context(), records.slice(0, 3))).toHaveLength(3);
  await expect(recordedObjects(context(), records)).rejects.toThrow(
    /revisions of release web .* more than 900000 fields and items: delete Secrets of failed revisions/,
  );
  await expect(recordedObjects(context(), records)).rejects.toThrow(TerminalError);
});

test('an action that needs too many objects does not begin', async () => {
  await expect(requireReadable(context(), [record({ manifest: list('{},', 310_000) })])).rejects.toThrow(TerminalError);
  const records = [1, 2, 3, 4].map((version) => record({ version, manifest: list('{},', 250_000) }));
  await expect(requireReadable(context(), records)).rejects.toThrow(TerminalError);
  await requireReadable(context(), [record({ manifest: `${HEAD}a: [` })]);
  expect(asked).toEqual([]);
});

test('what the Secrets of a manifest and of hooks hold may be secret; all may be, if one cannot be read', async () => {
  const encoded = Buffer.from('generated').toString('base64');
  const secret = `---\napiVersion: v1\nkind: Secret\nmetadata: {name: web}\ndata: {token: ${encoded}}\n`;
  const hook = 'apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: Secret, stringData: {a: of-a-hook}}]\n';
  const hooks = [{ manifest: hook, last_run: { phase: '' as const } }];
  const read = (manifest: string) => renderedSecrets(context(), { manifest, hooks }, 'Secret apps/x');
  expect(await read(`${HEAD}data: {a: plain}\n${secret}`)).toEqual({ doubtful: ['generated', 'of-a-hook'] });
  expect(await read(`${HEAD}a: [\n${secret}`)).toEqual({ doubtful: ['generated', 'of-a-hook'] });
  expect(await read(`${secret}a: [`)).toEqual({ areMore: true });
  expect(await renderedSecrets(context(), { manifest: HEAD }, 'Secret apps/x')).toEqual({ doubtful: [] });
  const large = `---\nkind: Secret\napiVersion: v1\nstringData: {a: b}\nx: [${'1,'.repeat(310_000)}1]\n`;
  await expect(read(large)).rejects.toThrow(/^Secret apps\/x has more than 300000 fields and items/);
});
