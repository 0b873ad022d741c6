import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventResource, secretResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import { createLogger } from '#runtime/process/log.js';
import { conditionOf, configMap, createHarness, type Files, type Harness } from './harness.js';

const lines: string[] = [];
const log = createLogger('debug', { write: (line) => lines.push(line) });

let harness: Harness;
beforeAll(async () => {
  harness = await createHarness('canary', { log });
});
afterAll(() => harness.close());

/** No label, no name and no kind takes it, and YAML does not read it. */
const QUOTED = 'canary-7Hq!<&"of: a Secret: {';
const PLAIN = 'Canary_7Hq_';
const SPELLINGS = [QUOTED, JSON.stringify(QUOTED).slice(1, -1), PLAIN, 'anary-7Hq', btoa(PLAIN), 'Canary_7', '7HQ_'];

/** Files that are refused, by the name of their Kustomization. */
const CASES: Readonly<Record<string, string>> = {
  label: configMap('label', {}, { labels: { a: '-${plain}' } }),
  part: configMap('part', {}, { labels: { a: '-${plain:0:8}' } }),
  upper: configMap('upper', {}, { labels: { a: '-${plain^^}' } }),
  name: configMap('x-${plain}'),
  key: configMap('key', { 'a ${plain}': 'x' }),
  kind: configMap('kind').replace('ConfigMap', '${plain}'),
  group: configMap('group').replace('"v1"', '"${plain}.example.com/v1"'),
  broken: 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: broken\ndata:\n  a: ${quoted}\n',
};

function expectHidden(what: string, text: string): void {
  for (const spelling of SPELLINGS) if (text.includes(spelling)) throw new Error(`${what} shows ${spelling}:\n${text}`);
}

async function give(name: string, stringData: Files): Promise<void> {
  const metadata = { name, namespace: harness.namespace };
  await harness.host.create<KubeObject>(secretResource, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata,
    ...{ stringData },
  });
}

test('a variable from a Secret is in no status, event, log or metric', async () => {
  const { host, namespace, controllers } = harness;
  await give('canary', { quoted: QUOTED, plain: PLAIN });
  const postBuild = { substituteFrom: [{ kind: 'Secret' as const, name: 'canary' }] };
  for (const [name, file] of Object.entries(CASES)) {
    await harness.publish(name, { 'a.yaml': file });
    await harness.apply(name, { postBuild });
    const { status } = await harness.until(name, (object) => {
      expect(conditionOf(object, 'Ready')?.status).toBe('False');
    });
    expectHidden(name, JSON.stringify({ ...status, inventory: undefined }));
  }
  await controllers.eventsWritten();
  const { items } = await host.list<KubeObject>(eventResource, { namespace });
  expect(JSON.stringify(items)).toContain('*****');
  expectHidden('an event', JSON.stringify(items));
  expectHidden('the log', lines.join(''));
  expectHidden('a metric', await controllers.metrics());
});
