import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pLimit from 'p-limit';
import type { Kube } from '#runtime/client/kube.js';
import { kubeFor, makeNamespace } from '../../../support/world.js';
import { giveKubeconfig } from '../../../support/kubeconfig-secret.js';
import { createHarness, type Harness } from '../harness.js';
import type { Case, Values } from './case.js';
import { CHART_CASES } from './chart-cases.js';
import { HOOK_CASES } from './hook-cases.js';
import { MORE_CASES } from './more-cases.js';
import { OBJECT_CASES } from './object-cases.js';
import {
  engineDelete,
  engineRelease,
  helmRelease,
  helmRollback,
  helmUninstall,
  history,
  leftovers,
  snapshot,
  untilFailed,
  untilReady,
  untilRolledBack,
  versionOf,
  type Place,
} from './engines.js';

/**
 * The same charts by our engine on one member and by the real helm on the other: what helm says of the release and what
 * is on the cluster must be equal at every step. Left out are times, field managers, origin labels and documents of
 * nothing but comments, which Flux's post-renderer drops, too.
 */
const CASES = [...MORE_CASES, ...HOOK_CASES, ...CHART_CASES, ...OBJECT_CASES];
const ONLY = process.env['FAIRLEAD_TEST_CASE'];
const CHOSEN = CASES.filter(({ name }) => ONLY === undefined || ONLY.split(',').includes(name));
const PARALLEL = 8;
const SUITE_LIMIT_MS = 1_200_000;

/** An object that no API server takes: the way to make any upgrade fail. */
const BROKEN = `{{- if .Values.broken }}
apiVersion: v1
kind: ConfigMap
metadata: {name: Not_A_Name}
{{- end }}
`;

interface Sides {
  readonly engine: Place;
  readonly helm: Place;
}

interface Seen {
  readonly step: string;
  readonly engine: unknown;
  readonly helm: unknown;
}

let harness: Harness;
let members: Kube[] = [];
let scratch: string;
const outcomes = new Map<string, Promise<readonly Seen[]>>();

function valuesOf({ install, upgrade }: Case): { readonly first: Values; readonly second: Values } {
  return { first: { step: 'one', ...install }, second: { step: 'two', ...upgrade } };
}

async function refused(action: Promise<unknown>): Promise<string> {
  try {
    await action;
    return 'nothing was refused';
  } catch (error: unknown) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function compare(step: string, { engine, helm }: Sides): Promise<Seen> {
  const [a, b] = await Promise.all([snapshot(engine), snapshot(helm)]);
  return { step, engine: a, helm: b };
}

/** The same with all revisions: where a story ends, since it costs helm another process on each side. */
async function compareAll(step: string, { engine, helm }: Sides): Promise<Seen> {
  const [{ engine: a, helm: b }, ours, theirs] = await Promise.all([
    compare(step, { engine, helm }),
    history(engine),
    history(helm),
  ]);
  return { step, engine: [a, ours], helm: [b, theirs] };
}

/** Both fail at the same place, with the same words. */
async function endsBadly({ engine, helm }: Sides, subject: Case): Promise<Seen[]> {
  const { ends } = subject;
  if (ends === undefined) return [];
  const { first, second } = valuesOf(subject);
  const values = ends.at === 'upgrade' ? second : first;
  const verb = ends.at === 'upgrade' ? 'upgrade' : 'install';
  if (ends.at === 'upgrade') {
    await Promise.all([
      engineRelease(engine, first).then(() => untilReady(engine)),
      helmRelease(helm, 'install', first),
    ]);
  }
  await engineRelease(engine, values, { install: {}, upgrade: { remediation: { remediateLastFailure: false } } });
  const [ours, theirs] = await Promise.all([untilFailed(engine), refused(helmRelease(helm, verb, values))]);
  const told = { step: 'words', engine: ends.words.test(ours) || ours, helm: ends.words.test(theirs) || theirs };
  if (ends.at === 'refused') return [told, await left('refused', { engine, helm })];
  return [told, await compareAll('failed', { engine, helm })];
}

async function left(step: string, { engine, helm }: Sides): Promise<Seen> {
  const [a, b] = await Promise.all([leftovers(engine), leftovers(helm)]);
  return { step, engine: a, helm: b };
}

/** Each side from install to uninstall on its own. */
async function alone({ engine, helm }: Sides, subject: Case): Promise<Seen[]> {
  const { first, second } = valuesOf(subject);
  const seen: Seen[] = [];
  const ours = async (values: Values): Promise<void> => {
    await engineRelease(engine, values);
    await untilReady(engine);
  };
  await Promise.all([ours(first), helmRelease(helm, 'install', first)]);
  seen.push(await compare('install', { engine, helm }));
  await Promise.all([ours(second), helmRelease(helm, 'upgrade', second)]);
  // What helm says of this revision is compared after the rollback to it.
  seen.push(await left('upgrade', { engine, helm }));
  const broken = { ...second, broken: true };
  await Promise.all([
    engineRelease(engine, broken).then(() => untilRolledBack(engine, 4)),
    refused(helmRelease(helm, 'upgrade', broken)).then(() => helmRollback(helm, 2)),
  ]);
  seen.push(await compareAll('rollback', { engine, helm }));
  await Promise.all([engineDelete(engine, { suspended: false }), helmUninstall(helm)]);
  seen.push(await left('uninstall', { engine, helm }));
  return seen;
}

/** Each side goes on where the other stopped. */
async function crossed({ engine: one, helm: two }: Sides, subject: Case): Promise<Seen[]> {
  const { first, second } = valuesOf(subject);
  await Promise.all([helmRelease(one, 'install', first), engineRelease(two, first).then(() => untilReady(two))]);
  await Promise.all([engineRelease(one, second).then(() => untilReady(one)), helmRelease(two, 'upgrade', second)]);
  const upgraded = await compareAll('the other upgrades', { engine: one, helm: two });
  await Promise.all([
    engineDelete(one, { suspended: true }).then(() => helmUninstall(one)),
    engineDelete(two, { suspended: false }),
  ]);
  return [upgraded, await left('the other uninstalls', { engine: one, helm: two })];
}

/** What helm made goes on by the engine as by helm itself. */
async function toEngine({ engine, helm }: Sides, subject: Case): Promise<Seen[]> {
  const { first, second } = valuesOf(subject);
  await Promise.all([helmRelease(engine, 'install', first), helmRelease(helm, 'install', first)]);
  await Promise.all([
    engineRelease(engine, second).then(() => untilReady(engine)),
    helmRelease(helm, 'upgrade', second),
  ]);
  const upgraded = await compareAll('the engine upgrades', { engine, helm });
  await Promise.all([engineDelete(engine, { suspended: false }), helmUninstall(helm)]);
  return [upgraded, await left('the engine uninstalls', { engine, helm })];
}

async function together(sides: Sides, subject: Case): Promise<Seen[]> {
  if (subject.crossed === false) return [];
  return subject.crossed === 'to-engine' ? toEngine(sides, subject) : crossed(sides, subject);
}

async function run(subject: Case): Promise<readonly Seen[]> {
  const namespace = `diff-${subject.name}-${randomBytes(3).toString('hex')}`;
  const [engine, helm] = ['member', 'other'].map((kubeConfigSecret, index): Place => {
    const cluster = harness.world.members[index];
    const kube = members[index];
    if (cluster === undefined || kube === undefined) throw new Error('the world has too few members');
    return {
      harness,
      cluster,
      kube,
      kubeConfigSecret,
      namespace,
      scratch: path.join(scratch, kubeConfigSecret),
      subject,
    };
  });
  if (engine === undefined || helm === undefined) throw new Error('two sides are needed');
  const files = subject.ends === undefined ? { ...subject.files, 'templates/broken.yaml': BROKEN } : subject.files;
  await harness.publish(subject.name, versionOf(subject), files);
  // Charts look up what is in each namespace, and have pods.
  await Promise.all(members.map((kube) => makeNamespace(kube, namespace)));
  if (subject.ends !== undefined) return endsBadly({ engine, helm }, subject);
  const told = await alone({ engine, helm }, subject);
  return [...told, ...(await together({ engine, helm }, subject))];
}

beforeAll(async () => {
  scratch = await mkdtemp(path.join(tmpdir(), 'fairlead-diff-'));
  harness = await createHarness('diff');
  members = await Promise.all(harness.world.members.map((cluster) => kubeFor(cluster)));
  const second = harness.world.members[1];
  if (second === undefined) throw new Error('the world has one member only');
  await giveKubeconfig(harness.host, { name: 'other', namespace: harness.namespace }, second.kubeconfig);
  await harness.start(PARALLEL * 2);
  const limit = pLimit(PARALLEL);
  for (const subject of CHOSEN) {
    const outcome = limit(() => run(subject));
    // Told by the test of that name.
    outcome.catch(() => undefined);
    outcomes.set(subject.name, outcome);
  }
});

afterAll(async () => {
  await Promise.allSettled(outcomes.values());
  await harness.close();
  await Promise.all(members.map((kube) => kube.close()));
  await rm(scratch, { recursive: true, force: true });
}, SUITE_LIMIT_MS);

describe.each(CHOSEN)('$name', ({ name }) => {
  test(
    'is by the engine as by helm',
    async () => {
      const seen = (await outcomes.get(name)) ?? [];
      expect(seen).not.toEqual([]);
      expect(seen.map(({ step, engine }) => ({ step, engine }))).toEqual(
        seen.map(({ step, helm }) => ({ step, engine: helm })),
      );
    },
    SUITE_LIMIT_MS,
  );
});
