import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import pLimit from 'p-limit';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { CLUSTER_NAME_LABEL } from '#api/v1alpha1/labels.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { listAll } from '#runtime/client/kube.js';
import { createLogger } from '#runtime/process/log.js';
import { apiStatusOf } from '#lib/errors.js';
import { auditPosition, eventually } from '../../support/world.js';
import { anySpec, EDGE, fleetSpec, named, soundSpec, type Spec } from './generated.js';
import { mistakeIn, type Mistake } from './invalid-specs.js';
import { putCluster, useHarness } from './harness.js';

/** Printed with whatever fails; another one may find more. */
const SEED = Number(process.env['FAIRLEAD_SEED'] ?? 717);
const VALID = 1_000;
const ROLLED_OUT = 100;
const MISTAKEN = 1_000;
const AT_ONCE = 16;
/** A thousand Applications on a busy machine. */
const PATIENCE_MS = 300_000;
const SHOWN = 5;

interface LogLine {
  readonly level: string;
  readonly key?: string;
  readonly msg: string;
}

const lines: LogLine[] = [];
const log = createLogger('warn', { write: (line) => void lines.push(JSON.parse(line) as LogLine) });
const harness = useHarness({ withTemplates: true, log });
const limit = pLimit(AT_ONCE);

function sample<T>(arbitrary: fc.Arbitrary<T>, count: number): T[] {
  return fc.sample(arbitrary, { seed: SEED, numRuns: count });
}

function applicationOf(name: string, spec: Spec): Application {
  const metadata = { name, namespace: harness.namespace };
  // Generated: that the server takes it for one is what is tested.
  return { apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'Application', metadata, spec };
}

/** Runs all checks, a few at once; what failed is shown with the seed that brings it back. */
async function all<T>(
  items: readonly T[],
  check: (item: T, index: number) => Promise<string | undefined>,
): Promise<void> {
  const complaints = await Promise.all(items.map((item, index) => limit(() => check(item, index))));
  const failed = complaints.flatMap((complaint, index) => (complaint === undefined ? [] : [`#${index}: ${complaint}`]));
  const shown = failed.slice(0, SHOWN).join('\n');
  if (failed.length > 0) throw new Error(`${failed.length} of ${items.length} with FAIRLEAD_SEED=${SEED}\n${shown}`);
}

/** All Applications, once the controller has looked at the newest generation of each. */
async function observed(): Promise<Map<string, Application>> {
  return eventually(
    async () => {
      const { items } = await listAll<Application>(harness.kube, applicationResource, { namespace: harness.namespace });
      const waiting = items.filter(({ metadata, status }) => status?.observedGeneration !== metadata.generation);
      expect(waiting.map(({ metadata }) => metadata.name)).toEqual([]);
      return new Map(items.map((item) => [item.metadata.name, item]));
    },
    { timeoutMs: PATIENCE_MS, intervalMs: 500 },
  );
}

/** Passes that failed, and whatever went wrong in the controller itself; watches may break. */
function failures(): string[] {
  return lines.filter(({ level, key }) => level === 'error' || key !== undefined).map((line) => JSON.stringify(line));
}

describe('generated Applications, on a real API server', () => {
  it(`are accepted as their schema says: ${VALID}`, async () => {
    await all(sample(fc.oneof(anySpec, soundSpec, fleetSpec), VALID), async (spec, index) => {
      try {
        await harness.kube.create(applicationResource, applicationOf(`valid-${index}`, spec), { dryRun: true });
        return undefined;
      } catch (error: unknown) {
        return `${String(error)}\n${JSON.stringify(spec)}`;
      }
    });
  });

  it(`are rolled out, or say why not, and come to rest: ${ROLLED_OUT}`, async () => {
    for (const name of ['edge-1', 'edge-2']) await putCluster(harness, name, EDGE);
    const sound = [soundSpec, fleetSpec].map((arbitrary) => ({ weight: 2, arbitrary }));
    const specs = sample(fc.oneof({ weight: 1, arbitrary: anySpec }, ...sound), ROLLED_OUT);
    const names = specs.map((_, index) => `rolled-${index}`);
    await all(specs, async (spec, index) => {
      const name = names[index] ?? '';
      await harness.kube.create(applicationResource, applicationOf(name, named(spec, name)));
      return undefined;
    });
    const applications = await observed();
    await harness.passes.atRest();
    // What the server refuses of a child is tried again and again: an Application must not ask for it.
    await all(names, (name) => {
      const failed = applications.get(name)?.status?.destinations?.filter(({ state }) => state === 'Failed') ?? [];
      return Promise.resolve(failed.length === 0 ? undefined : failed.map(({ message = '' }) => message).join('\n'));
    });
    expect(failures()).toEqual([]);
    const children = await listAll<Child>(harness.kube, helmReleaseResource, { namespace: harness.namespace });
    expect(children.items.filter(({ metadata }) => metadata.labels?.[CLUSTER_NAME_LABEL] === 'edge-1')).not.toEqual([]);
    const valuesOf = new Map(children.items.map(({ spec }) => [spec.releaseName, spec['values']]));
    await all(names, (name) => {
      const { spec } = applications.get(name) ?? {};
      const entries = Object.entries(spec?.fluxApp?.spec.config.helmRelease?.deploy ?? []);
      const changed = entries.filter(([at, { values }]) => {
        const releaseName = `${name}-${at}`;
        return valuesOf.has(releaseName) && !isDeepStrictEqual(valuesOf.get(releaseName), values);
      });
      return Promise.resolve(changed.length === 0 ? undefined : `other values: ${JSON.stringify(changed)}`);
    });

    const since = await auditPosition(harness.host);
    await all(names, async (name) => {
      await harness.annotate(name, { looked: 'at' });
      return undefined;
    });
    await harness.passes.atRest();
    expect(await harness.writes(since, 'rolled-')).toEqual([]);
  });

  it(`with a mistake are refused, or say what it is, by its path: ${MISTAKEN}`, async () => {
    const isMisuse = fc.constantFrom(true, false, false, false);
    const choice = fc.record({ isMisuse, where: fc.nat(), how: fc.nat() });
    const mistakes = sample(fc.tuple(soundSpec, choice), MISTAKEN).map(([spec, chosen], index) =>
      mistakeIn(named(spec, `wrong-${index}`), chosen),
    );
    const accepted = new Map<string, Mistake>();
    await all(mistakes, async (mistake, index) => {
      const name = `wrong-${index}`;
      try {
        await harness.kube.create(applicationResource, applicationOf(name, mistake.spec));
        accepted.set(name, mistake);
        return undefined;
      } catch (error: unknown) {
        const isRefusal = apiStatusOf(error)?.code === 422 && String(error).includes(mistake.path);
        return isRefusal ? undefined : `${mistake.what} at ${mistake.path}: ${String(error)}`;
      }
    });
    const live = await observed();
    await all([...accepted], ([name, { what, path }]) => {
      const { conditions, destinations } = live.get(name)?.status ?? {};
      const words = [...(conditions ?? []), ...(destinations ?? [])].map(({ message = '' }) => message);
      const isSaid = words.some((text) => text.includes(path));
      return Promise.resolve(isSaid ? undefined : `${what} at ${path}: ${JSON.stringify(words)}`);
    });
    expect(failures()).toEqual([]);
  });
});
