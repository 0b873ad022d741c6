import { isDeepStrictEqual } from 'node:util';
import type { Application } from '#api/v1alpha1/application.js';
import type { HelmTemplateSpec } from '#api/v1alpha1/helm-template.js';
import type { Template } from '#api/v1alpha1/template.js';
import { conclude, eventsOfWrites, type Acted } from '#controllers/application/model/conclude.js';
import type { Plan } from '#controllers/application/model/decide.js';
import { decideDeletion } from '#controllers/application/model/decide-deletion.js';
import { APPROVE_REMOVALS_ANNOTATION } from '#api/v1alpha1/labels.js';
import { deletionPolicyOf } from '#api/v1alpha1/ownership.js';
import type { TemplateView } from '#controllers/application/model/spec/template-lookup.js';
import type { NewEvent } from '#controllers/application/model/status/events.js';
import type { Child } from '#controllers/application/model/child/types.js';
import type { Step } from '#controllers/application/model/child/verdicts.js';
import { indexed, NO_CLUSTERS, observed, decide } from '../unit/application/model/builders.js';

const START = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;
const MAX_PASSES = 5;

/** What an engine says of a child in its Ready condition. */
export interface Report {
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  /** Chart version of the newest release. */
  readonly chartVersion?: string;
}

/**
 * One Application and its children as objects in memory; the decisions are those of the model, and are written down.
 */
export class Story {
  readonly #lines: string[] = [];
  readonly #children = new Map<string, Child>();
  /** Of the HelmTemplate `base`, the oldest first. */
  readonly #revisions: HelmTemplateSpec[] = [];
  #template: Template | undefined;
  #application: Application;
  #minutes = 0;

  constructor(application: Application) {
    this.#application = application;
  }

  /** All that was decided, one decision per line. */
  get log(): string {
    return `${this.#lines.join('\n').trim()}\n`;
  }

  get application(): Application {
    return this.#application;
  }

  /** Something happens, then the controller works until it has nothing left to do. */
  chapter(title: string, happen: () => void = () => undefined): void {
    this.#lines.push(`# ${title}`);
    happen();
    this.#settle();
    this.#lines.push('');
  }

  /** The user writes the spec; the server counts generations. */
  edit(spec: Application['spec']): void {
    const { metadata } = this.#application;
    const generation = (metadata.generation ?? 0) + 1;
    this.#application = { ...this.#application, spec, metadata: { ...metadata, generation } };
  }

  /** The user approves the removals that wait. */
  approveRemovals(): void {
    const { metadata, status } = this.#application;
    const approval = status?.removals?.approval;
    if (approval === undefined) throw new Error('no removal waits for an approval');
    const annotations = { ...metadata.annotations, [APPROVE_REMOVALS_ANNOTATION]: approval };
    this.#application = { ...this.#application, metadata: { ...metadata, annotations } };
  }

  /** The HelmTemplate `base` has a new revision; with a `fault`, a newer edit of it cannot be used. */
  template(spec: HelmTemplateSpec, fault?: string): void {
    const conditions = [
      { type: 'Ready', status: fault === undefined ? 'True' : 'False', reason: 'Checked', message: fault ?? 'valid' },
    ];
    const revision = fault === undefined ? this.#revisions.push(spec) : this.#revisions.length;
    // Of a condition only what is here is read.
    const status = { observedGeneration: 1, revision, conditions } as Template['status'];
    const metadata = { name: 'base', namespace: 'shop' };
    this.#template = {
      apiVersion: 'gitops.kubesphere.io/v1alpha1',
      kind: 'HelmTemplate',
      metadata,
      spec,
      status,
    } as Template;
  }

  /** The user deletes the Application; its finalizer keeps it. */
  remove(): void {
    const { metadata } = this.#application;
    const deletionTimestamp = this.#timestamp();
    this.#application = { ...this.#application, metadata: { ...metadata, deletionTimestamp } };
  }

  /** The engine reports on the child for `destination`. */
  report(destination: string, { chartVersion, ...ready }: Report): void {
    const child = this.#childFor(destination);
    const observedGeneration = child.metadata.generation ?? 1;
    const condition = { type: 'Ready', ...ready, observedGeneration, lastTransitionTime: this.#timestamp() };
    const history = chartVersion === undefined ? child.status?.history : [{ name: 'web', chartVersion }];
    const status = { observedGeneration, conditions: [condition], ...(history === undefined ? {} : { history }) };
    this.#children.set(child.metadata.name, { ...child, status });
  }

  /** The engine has uninstalled what a child that goes stood for. */
  uninstalled(destination: string): void {
    this.#children.delete(this.#childFor(destination).metadata.name);
  }

  #childFor(destination: string): Child {
    const found = [...this.#children.values()].find(
      ({ metadata }) => metadata.annotations?.['app.kubernetes.io/name'] === destination,
    );
    if (found === undefined) throw new Error(`the story has no child for ${destination}`);
    return found;
  }

  #timestamp(): string {
    return new Date(START + this.#minutes * MINUTE).toISOString().replace('.000Z', 'Z');
  }

  #settle(): void {
    for (let pass = 1; pass <= MAX_PASSES; pass += 1) {
      this.#minutes += 1;
      const before = { application: this.#application, children: [...this.#children.values()] };
      if (this.#pass(pass)) return;
      const after = { application: this.#application, children: [...this.#children.values()] };
      if (isDeepStrictEqual(before, after)) return;
    }
    throw new Error(`still not settled after ${MAX_PASSES} passes:\n${this.log}`);
  }

  /** True when the Application is gone. */
  #pass(number: number): boolean {
    const plan = this.#plan();
    if (plan === undefined) {
      this.#lines.push(`pass ${number}`, '  the Application is gone');
      return true;
    }
    const acted = this.#act(plan);
    const { steps } = plan;
    const lines = [...steps.filter(({ op }) => op !== 'keep').map(describeStep), ...this.#publish(plan, acted)];
    this.#lines.push(`pass ${number}`, ...(lines.length === 0 ? ['nothing to do'] : lines).map((line) => `  ${line}`));
    return false;
  }

  /** Undefined when nothing keeps the Application any more. */
  #plan(): Plan | undefined {
    const children = [...this.#children.values()];
    if (this.#application.metadata.deletionTimestamp === undefined)
      return decide(observed(this.#application, children, this.#templates()));
    const isFree = deletionPolicyOf(this.#application) === 'Orphan' || children.length === 0;
    return isFree ? undefined : decideDeletion(this.#application, children, { clusters: indexed(NO_CLUSTERS) });
  }

  #act({ application, steps, requests }: Plan): Acted {
    const outcomes = steps.map((step) => ({ step, child: this.#apply(step) }));
    return { application, outcomes, requests, saved: undefined, errors: [], incomplete: false, isLate: false };
  }

  #templates(): TemplateView {
    return {
      template: (kind, { name }) => (kind === 'HelmTemplate' && name === 'base' ? this.#template : undefined),
      revision: (_, revision) => this.#revisions[revision - 1],
      legacyChart: () => undefined,
      namespaceLabels: () => ({}),
    };
  }

  /** What a server does with the request of a step. */
  #apply(step: Step): Child | undefined {
    if (step.op === 'create' || step.op === 'update') return this.#write(step.object);
    if (step.op !== 'delete') return step.live;
    const { live } = step;
    const metadata = { ...live.metadata, deletionTimestamp: this.#timestamp() };
    this.#children.set(live.metadata.name, { ...live, metadata });
    return live;
  }

  #write(object: Child): Child {
    const live = this.#children.get(object.metadata.name);
    const same = live !== undefined && isDeepStrictEqual(live.spec, object.spec);
    const generation = (live?.metadata.generation ?? 0) + (same ? 0 : 1);
    const written = { ...live, ...object, metadata: { ...live?.metadata, ...object.metadata, generation } };
    this.#children.set(object.metadata.name, written);
    return written;
  }

  /** Writes metadata and status, and returns what changed in them. */
  #publish(plan: Plan, acted: Acted): string[] {
    const before = this.#application;
    const { metadata, status = before.status, events } = conclude(plan, acted, START + this.#minutes * MINUTE);
    const labels = { ...before.metadata.labels, ...metadata?.labels };
    const annotations = { ...before.metadata.annotations, ...metadata?.annotations };
    this.#application = {
      ...before,
      metadata: { ...before.metadata, labels, annotations },
      ...(status === undefined ? {} : { status }),
    };
    const told = [...plan.events, ...eventsOfWrites(plan, acted.outcomes), ...events];
    const marks = Object.entries({ ...metadata?.labels, ...metadata?.annotations });
    return [
      ...describeStatus(before.status, status),
      ...told.map(describeEvent),
      ...marks.map(([key, text]) => `mark ${key}=${text}`),
    ];
  }
}

function describeStep(step: Step): string {
  const name = 'object' in step ? step.object.metadata.name : step.live?.metadata.name;
  const subject = name ?? ('entry' in step ? `entry ${step.entry.key}` : '');
  return `${step.op} ${subject}: ${step.why}`;
}

function describeEvent({ type, reason, message }: NewEvent): string {
  return `event ${type} ${reason}: ${message}`;
}

function describeStatus(before: Application['status'], after: Application['status']): string[] {
  if (after === undefined || isDeepStrictEqual(before, after)) return [];
  const rows = (after.destinations ?? []).map((row) => {
    const revision = row.revision === undefined ? '' : ` ${row.revision}`;
    return `destination ${row.name} ${row.state}${revision}: ${row.message}`;
  });
  const conditions = (after.conditions ?? []).map(
    ({ type, status, reason, message, lastTransitionTime }) =>
      `condition ${type}=${status} ${reason} since ${lastTransitionTime}: ${message}`,
  );
  return [
    `summary ${after.summary?.ready ?? ''} ready, generation ${after.observedGeneration}`,
    ...rows,
    ...conditions,
  ];
}
