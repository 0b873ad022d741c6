import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { configMapResource, namespaceResource } from '#api/core.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { CLUSTER_ID_ANNOTATION, CLUSTER_UID_ANNOTATION } from '#api/v1alpha1/labels.js';
import { clusterIdText, type ClusterId } from '#controllers/cluster/model/cluster.js';
import { CHILD_RESOURCES, isServed, NAMESPACED } from './world/kinds.js';
import { ControllerProcess } from './world/process.js';
import { MemoryServer, type WriteRecord } from './world/server.js';

/** Objects of every feature as an API server had them; made by `test/e2e/restart-at-rest.test.ts`. */
const RECORD = 'test/fixtures/recorded-objects.jsonl';
const NAMESPACE = 'my-devops-projecthmhx2';
/** Everything that a controller does after its start is done by then. */
const WATCHED_MS = 600_000;

const objects = readFileSync(RECORD, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as KubeObject);
const TYPES = new Map<string, ResourceType>([...NAMESPACED, configMapResource].map((type) => [type.kind, type]));
const TIME = /\d{4}-\d\d-\d\dT[\d:]{8}Z/g;
/** A minute after the record. */
const startMs = Math.max(...objects.flatMap((each) => JSON.stringify(each).match(TIME) ?? []).map(Date.parse)) + 60_000;

type WithSpec = KubeObject & { readonly spec: object };
const isChild = ({ kind }: { readonly kind: string }): boolean => CHILD_RESOURCES.some((type) => type.kind === kind);

function restored(nowMs: () => number, edit: (object: KubeObject) => KubeObject): MemoryServer {
  const server = new MemoryServer(nowMs);
  for (const name of [NAMESPACE, 'fairlead-system']) {
    const metadata = { name, uid: `uid-of-${name}` };
    server.restore(namespaceResource, { apiVersion: 'v1', kind: 'Namespace', metadata });
  }
  for (const object of objects) {
    const type = TYPES.get(object.kind);
    if (type === undefined) throw new Error(`no kind ${object.kind} in this world`);
    server.restore(type, edit(object));
  }
  return server;
}

/** UIDs of the clusters that children are for, by cluster. */
function uidsOfChildren(): [string, string][] {
  return objects.flatMap(({ metadata: { annotations = {} } }): [string, string][] => {
    const { [CLUSTER_ID_ANNOTATION]: id, [CLUSTER_UID_ANNOTATION]: uid } = annotations;
    return id === undefined || uid === undefined ? [] : [[id, uid]];
  });
}

/** UIDs of what took the place of a cluster, by cluster. */
function uidsOfReplacements(): [string, string][] {
  const rows = objects.flatMap((object) => (object as Application).status?.destinations ?? []);
  return rows.flatMap(({ replaced }): [string, string][] => {
    if (replaced === undefined) return [];
    const { apiGroup = '', namespace = '', name } = replaced.object;
    const kind = replaced.object.kind as ClusterId['kind']; // the controller wrote it
    return [[clusterIdText({ apiGroup, kind, namespace, name }), replaced.found]];
  });
}

/** The writes of a controller that starts on the objects, edited by somebody while none ran. */
async function writesOnStart(edit: (object: KubeObject) => KubeObject): Promise<readonly WriteRecord[]> {
  let nowMs = startMs;
  const server = restored(() => nowMs, edit);
  const started = new ControllerProcess({ server, nowMs: () => nowMs, isServed, isEngineExternal: false });
  for (const [id, uid] of [...uidsOfChildren(), ...uidsOfReplacements()]) started.identities.set(id, uid);
  started.wakeAll(server.list(applicationResource));
  for (;;) {
    started.deliver();
    if (await started.runDue()) continue;
    const due = started.nextDueMs;
    if (due === undefined || due > startMs + WATCHED_MS) break;
    nowMs = Math.max(nowMs, due);
  }
  expect(started.bugs).toEqual([]);
  return server.writes;
}

it('writes no child when it starts on objects of every feature', async () => {
  expect(objects.length).toBeGreaterThan(400);
  expect((await writesOnStart((object) => object)).filter(isChild)).toEqual([]);
});

it('writes the children that were edited while no controller ran', async () => {
  const edited = (object: KubeObject): KubeObject =>
    isChild(object) ? ({ ...object, spec: { ...(object as WithSpec).spec, interval: '59m' } } as KubeObject) : object;
  const written = new Set((await writesOnStart(edited)).filter(isChild).map(({ kind, key }) => `${kind} ${key}`));
  expect(written.size).toBeGreaterThan(100);
});
