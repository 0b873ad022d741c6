import isNull from 'lodash/isNull.js';
import merge from 'lodash/merge.js';
import omit from 'lodash/omit.js';
import omitBy from 'lodash/omitBy.js';
import { OFFERED_TO_ANNOTATION } from '#api/v1alpha1/labels.js';
import { timestamp } from '#lib/kube/conditions.js';
import { offering, resumption, suspensionOf, unmanagement } from './child/metadata.js';
import { changedPaths } from './child/messages.js';
import type { Child } from './child/types.js';
import type { Step } from './child/verdicts.js';
import type { Destination, World } from './children/world.js';
import { conclude } from './conclude.js';
import type { Plan } from './decide.js';

/** Decisions one after the other that a plan shows, before it says that more follows. */
export const MOST_DECISIONS = 20;
const UNFINISHED = 'more follows at once than is shown here: this shows the first of many small steps';

type Acting = Exclude<Step, { readonly op: 'keep' | 'wait' | 'spare' }>;

function isActing(step: Step): step is Acting {
  return step.op !== 'keep' && step.op !== 'wait' && step.op !== 'spare';
}

/** A child after a merge patch. */
function patched(child: Child, change: object): Child {
  const { metadata, spec } = merge({}, child, change);
  return {
    ...child,
    metadata: { ...metadata, annotations: omitBy(metadata.annotations, isNull) },
    spec: omitBy(spec, isNull),
  };
}

/** As the API server keeps what is applied: a spec that differs is of the next generation, which no engine has seen. */
function applied(live: Child, object: Child): Child {
  const isNew = changedPaths(live.spec, object.spec).length > 0;
  const { labels, annotations, generation = 0 } = live.metadata;
  const metadata = {
    ...live.metadata,
    ownerReferences: object.metadata.ownerReferences ?? [],
    labels: { ...labels, ...object.metadata.labels },
    annotations: omit({ ...annotations, ...object.metadata.annotations }, OFFERED_TO_ANNOTATION),
    generation: generation + (isNew ? 1 : 0),
  };
  const next = { ...live, metadata, spec: isNew ? object.spec : live.spec };
  const resumed = resumption(next, object);
  return resumed === undefined ? next : patched(next, resumed);
}

/** A child that is deleted stays until its engine is done, as far as anybody knows. */
function deleted(live: Child, now: string): Child {
  return { ...live, metadata: { ...live.metadata, deletionTimestamp: live.metadata.deletionTimestamp ?? now } };
}

/** A child after a step, which created, changed or deleted it. */
function after(step: Acting, now: string): Child {
  switch (step.op) {
    case 'create':
      return step.object;
    case 'update':
      return applied(step.live, step.object);
    case 'offer':
      return patched(step.live, offering(step.to));
    case 'unmanage':
      return patched(step.live, unmanagement(step.live));
    case 'suspend':
      return patched(step.live, suspensionOf(step.live));
    case 'delete':
      return deleted(step.live, now);
  }
}

/** The children that a plan writes: those before, each with what becomes of it, and those that it creates, by entry. */
class Written {
  readonly #next = new Map<Child, Child>();
  readonly #created = new Map<string, Child>();

  constructor({ steps, halting }: Plan, now: string) {
    for (const { live, change } of halting) this.#next.set(live, patched(live, change));
    for (const step of steps.filter(isActing)) {
      const child = after(step, now);
      if (step.op === 'create') this.#created.set(step.entry.path, child);
      else this.#next.set(step.live, child);
    }
  }

  get created(): Child[] {
    return [...this.#created.values()];
  }

  of(child: Child): Child {
    return this.#next.get(child) ?? child;
  }

  all(children: readonly Child[]): Child[] {
    return children.map((child) => this.of(child));
  }

  destination({ live, ...given }: Destination): Destination {
    if (live !== undefined) return { ...given, live: this.of(live) };
    return { ...given, live: given.entry && this.#created.get(given.entry.path) };
  }
}

/** The steps are carried out without an error. */
function statusAfter(plan: Plan, written: Written, nowMs: number): Plan['application']['status'] {
  const outcomes = plan.steps.map((step) => {
    const live = step.op === 'create' ? step.object : step.live;
    return { step, child: live && written.of(live) };
  });
  const { application } = plan;
  const acted = { application, outcomes, requests: {}, saved: undefined, errors: [], incomplete: false, isLate: false };
  return conclude(plan, acted, nowMs).status ?? application.status;
}

/** How long a plan looks ahead for what only waits for the next decision, in milliseconds. */
const SOON_MS = 1_000;

/** True if the revision is rolled back from now on: its destinations go back after that is written. */
function goesBack({ finding, application }: Plan): boolean {
  return finding.rollout?.rolledBack !== undefined && application.status?.rollout?.rolledBack === undefined;
}

/** Milliseconds until the next decision about what waits; undefined: nothing follows from the plan for now. */
function nextAfterMs(plan: Plan): number | undefined {
  const { purpose, steps, retryAfterMs = Infinity } = plan;
  if (purpose !== 'rollout' || !steps.some((step) => 'hold' in step)) return undefined;
  if (retryAfterMs < SOON_MS) return retryAfterMs;
  return goesBack(plan) || steps.some(isActing) ? 0 : undefined;
}

/**
 * The world right after a plan was carried out, before any engine has done something; undefined: nothing follows from
 * it at once. Never throws.
 */
export function worldAfter(world: World, plan: Plan): World | undefined {
  const { wanted, nowMs } = world;
  const afterMs = nextAfterMs(plan);
  if (afterMs === undefined || 'violation' in wanted) return undefined;
  const written = new Written(plan, timestamp(nowMs));
  const status = statusAfter(plan, written, nowMs);
  const withStatus = <T extends object>(application: T): T => ({ ...application, ...(status && { status }) });
  const adopted = plan.steps.flatMap((step) => (step.op === 'update' && step.isAdoption ? step.live : []));
  const isAdopted = new Set(adopted.filter((child) => world.adoptable.includes(child)));
  const targets = [...world.targets].map(([value, facts]) => {
    return [value, { ...facts, children: written.all(facts.children) }] as const;
  });
  return Object.freeze({
    ...world,
    nowMs: nowMs + afterMs,
    application: withStatus(world.application),
    wanted: { ...wanted, application: withStatus(wanted.application) },
    destinations: world.destinations.map((each) => written.destination(each)),
    owned: written.all([...world.owned, ...isAdopted, ...written.created]),
    adoptable: written.all(world.adoptable.filter((child) => !isAdopted.has(child))),
    targets: new Map(targets),
    proven: new Map([...world.proven].map(([child, value]) => [written.of(child), value])),
  });
}

/** An entry has one step, as has a child without one. */
function subjectOf(step: Step): string {
  return 'entry' in step ? step.entry.path : `/${step.live.metadata.name}`;
}

/** One step in place of two, from the child as it is. */
function joined(first: Step, next: Step | undefined): Step {
  if (next === undefined) return first;
  if (!isActing(first)) {
    // It is as it was.
    return first.live === undefined || next.op === 'create' ? next : { ...next, live: first.live };
  }
  if (next.op !== 'update' || (first.op !== 'create' && first.op !== 'update')) return first;
  return { ...first, object: next.object };
}

/** A plan with what follows at once from carrying it out. */
export function followedBy(first: Plan, next: Plan): Plan {
  const following = new Map(next.steps.map((step) => [subjectOf(step), step]));
  const steps = first.steps.map((step) => joined(step, following.get(subjectOf(step))));
  return { ...first, steps, rejected: next.rejected, finding: next.finding };
}

/** A plan from which more follows than was decided. */
export function unfinished(plan: Plan): Plan {
  const { finding } = plan;
  return { ...plan, finding: { ...finding, warnings: [...(finding.warnings ?? []), UNFINISHED] } };
}
