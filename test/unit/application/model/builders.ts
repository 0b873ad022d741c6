import omit from 'lodash/omit.js';
import type { Application, ApplicationStatus } from '#api/v1alpha1/application.js';
import { APPROVE_REMOVALS_ANNOTATION } from '#api/v1alpha1/labels.js';
import { decide as decideWorld, type Plan } from '#controllers/application/model/decide.js';
import { planChildren as planWorld, type ChildPlan } from '#controllers/application/model/plan-children.js';
import { fateText, type Leaving } from '#controllers/application/model/clusters/leaving.js';
import { type ClusterIndex, type ClusterView, indexClusters } from '#controllers/application/model/child/cluster.js';
import { entriesOf as expandedEntriesOf } from '#controllers/application/model/destinations/entries.js';
import { SUSPENSION } from '#controllers/application/model/child/metadata.js';
import { type Row, rowsOf } from '#controllers/application/model/status/rows.js';
import type { Child, ChildStatus, Entry } from '#controllers/application/model/child/types.js';
import type { Step } from '#controllers/application/model/child/verdicts.js';
import type { TemplateView } from '#controllers/application/model/spec/template-lookup.js';
import { type Valid, validate } from '#controllers/application/model/destinations/validate.js';
import { type Lookups, type World, worldOf } from '#controllers/application/model/children/world.js';
import { type FindOwner, rejectedEntries } from '#controllers/application/model/destinations/rejected.js';

type HelmRelease = NonNullable<
  NonNullable<NonNullable<NonNullable<Application['spec']['fluxApp']>['spec']>['config']>['helmRelease']
>;
export type Deploy = HelmRelease['deploy'][number];

export const CHART = { chart: 'podinfo', version: '1.x' };
export const SOURCE = { sourceRef: { kind: 'HelmRepository', name: 'charts' } } as const;

/** An entry for namespace `namespace` of the member whose kubeconfig Secret is `cluster`; of the host without one. */
export function deploy(namespace: string, cluster?: string, more: Partial<Deploy> = {}): Deploy {
  const kubeConfig = cluster === undefined ? {} : { kubeConfig: { secretRef: { name: cluster } } };
  return { destination: { targetNamespace: namespace, ...kubeConfig }, ...more };
}

export function application(entries: Deploy[], more: Partial<Application> = {}): Application {
  const helmRelease = { chart: CHART, deploy: entries };
  return {
    apiVersion: 'gitops.kubesphere.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'web', namespace: 'shop', uid: 'uid-1', generation: 1, resourceVersion: '1' },
    spec: { kind: 'fluxcd', fluxApp: { spec: { source: SOURCE, config: { helmRelease } } } },
    ...more,
  };
}

/** An Application whose chart comes from a source of that kind. */
export function chartFrom(
  kind: 'OCIRepository' | 'HelmRepository',
  chart: NonNullable<HelmRelease['chart']>,
): Application {
  const source = { sourceRef: { ...SOURCE.sourceRef, kind } };
  const config = { helmRelease: { chart, deploy: [deploy('prod')] } };
  return application([], { spec: { kind: 'fluxcd', fluxApp: { spec: { source, config } } } });
}

export type Files = NonNullable<
  NonNullable<NonNullable<Application['spec']['fluxApp']>['spec']['config']>['kustomization']
>[number];

/** An entry whose files go to `namespace` (as in the files without one) of the member `cluster`. */
export function files(namespace?: string, cluster?: string, more: Partial<Files> = {}): Files {
  const kubeConfig = cluster === undefined ? {} : { kubeConfig: { secretRef: { name: cluster } } };
  return {
    destination: { ...(namespace === undefined ? {} : { targetNamespace: namespace }), ...kubeConfig },
    ...more,
  };
}

export const GIT_SOURCE = { sourceRef: { kind: 'GitRepository', name: 'fleet' } } as const;

/** An Application that applies files. */
export function filesApplication(kustomization: Files[], more: Partial<Application> = {}): Application {
  const spec = { kind: 'fluxcd', fluxApp: { spec: { source: GIT_SOURCE, config: { kustomization } } } } as const;
  return application([], { spec, ...more });
}

/** The inventory of a host without other clusters. */
export const NO_CLUSTERS: ClusterView = {
  clusters: [],
  find: () => undefined,
  lost: [],
  whyUnknown: () => undefined,
  uidOf: () => undefined,
  isToBeAsked: () => false,
  grantedBy: () => undefined,
  accessOf: () => ({ allowed: false }),
};

/** An inventory as an Application of this namespace sees it. */
export function indexed(view: ClusterView, namespace = 'shop'): ClusterIndex {
  return new (class extends Map {
    override get(id: string) {
      return indexClusters(view, [id], namespace).get(id);
    }
  })();
}

/** The destinations of an Application, by default with an empty inventory. */
export function entriesOf(app: Application, clusters = NO_CLUSTERS): readonly Entry[] {
  return expandedEntriesOf(app, clusters);
}

export function withStatus(app: Application, status: ApplicationStatus): Application {
  return { ...app, status };
}

/** The look-ups of a pass; absent: nothing of it is there. */
export interface Seen
  extends Partial<Omit<Lookups, 'application' | 'validation'>>, Pick<Lookups, 'application' | 'validation'> {
  /** How long children have been about to leave or move, by what they did in earlier passes. Default: not at all. */
  readonly unmatchedForMs?: (leaving: Leaving) => number;
}

function lookupsOf(seen: Seen): Lookups {
  const { owned = [], adoptable = [] } = seen;
  const names = new Set([...owned, ...adoptable].map(({ metadata }) => metadata.name));
  return {
    ...{ owned, adoptable, complete: true, delayMs: 0, nowMs: 0, missingSources: undefined, unwatched: undefined },
    clusters: NO_CLUSTERS,
    revisions: undefined,
    unmatchedSince: new Map(),
    isTaken: (name) => names.has(name),
    otherOwnerOf: () => undefined,
    missingOf: () => undefined,
    chartOf: () => undefined,
    sourceOf: () => undefined,
    ...omit(seen, 'unmatchedForMs'),
  };
}

/** The world of a pass, after earlier passes that found the same. */
export function seenWorld(seen: Seen): World {
  const { unmatchedForMs } = seen;
  const lookups = lookupsOf(seen);
  const first = worldOf(lookups);
  if (unmatchedForMs === undefined) return first;
  const { leaving } = decideWorld(first);
  const since = leaving.map((each) => [fateText(each), lookups.nowMs - unmatchedForMs(each)] as const);
  return worldOf({ ...lookups, unmatchedSince: new Map(since) });
}

/** The decision of a pass. */
export function decide(seen: Seen): Plan {
  return decideWorld(seenWorld(seen));
}

/** `app` after its user approved what the plan holds. */
function withApproval(app: Application, removals: ApplicationStatus['removals']): Application {
  const annotations = { ...app.metadata.annotations, [APPROVE_REMOVALS_ANNOTATION]: removals?.approval ?? '' };
  return { ...app, metadata: { ...app.metadata, annotations }, status: { ...app.status, removals } } as Application;
}

/** The decision of a pass, or of the next one after the user approved what waits for that. */
export function decideApproved(seen: Seen): Plan {
  const plan = decide(seen);
  if (plan.finding.held === undefined) return plan;
  const approve = (app: Application): Application => withApproval(app, plan.finding.removals);
  const { application, validation } = seen;
  if (!('resolved' in validation)) return plan;
  const resolved = { ...validation.resolved, application: approve(validation.resolved.application) };
  return decide({ ...seen, application: approve(application), validation: { ...validation, resolved } });
}

type Expanded = Pick<Valid, 'entries' | 'violationOf' | 'selections'>;

/** The children of an Application with these entries, without templates. */
export function planChildren(seen: Omit<Seen, 'validation'>, expanded: Expanded): ChildPlan {
  const resolved = {
    application: seen.application,
    ...{ inUse: [], sources: [], warning: undefined, helm: undefined, violations: new Map() },
    templateOf: () => undefined,
  };
  const world = seenWorld({ ...seen, validation: { ...expanded, resolved, warnings: [] } });
  if ('violation' in world.wanted) throw new Error(world.wanted.violation.message);
  return planWorld(world, world.wanted);
}

interface WorkView extends Pick<Partial<Lookups>, 'complete' | 'adoptable' | 'targets'> {
  readonly otherOwnerOf?: FindOwner;
  /** Names of the kubeconfig Secrets that do not exist. */
  readonly missing?: readonly string[];
}

export function work(app: Application, owned: readonly Child[] = [], view: WorkView = {}): ChildPlan {
  const { missing = [], ...others } = view;
  const missingOf = ({ kubeConfig }: Entry): string | undefined =>
    missing.includes(kubeConfig?.secretRef?.name ?? '') ? 'its Secret is missing' : undefined;
  const expanded = { entries: entriesOf(app), violationOf: () => undefined, selections: [] };
  return planChildren({ application: app, owned, ...others, missingOf }, expanded);
}

/** The work of a pass, or of the next one after the user approved what waits for that. */
export function workApproved(app: Application, owned: readonly Child[] = [], view: WorkView = {}): ChildPlan {
  const plan = work(app, owned, view);
  if (plan.departures.held(app) === undefined) return plan;
  return work(withApproval(app, plan.departures.status(plan.steps)), owned, view);
}

export const NO_TEMPLATES: TemplateView = {
  template: () => undefined,
  revision: () => undefined,
  legacyChart: () => undefined,
  namespaceLabels: () => ({}),
};

/** The look-ups of a reconciliation for the only Application in the cluster. */
export function observed(app: Application, owned: readonly Child[] = [], templates = NO_TEMPLATES): Seen {
  const lookup = { templates, clusters: NO_CLUSTERS };
  const validation = validate(app, lookup, { allowCrossNamespace: false });
  if (validation === 'pending') throw new Error('the template has no status yet');
  return { application: app, validation, owned };
}

/** The child as we suspend it before it goes. */
export function suspended(child: Child): Child {
  const annotations = { ...child.metadata.annotations, ...SUSPENSION.metadata.annotations };
  return { ...child, metadata: { ...child.metadata, annotations }, spec: { ...child.spec, ...SUSPENSION.spec } };
}

/** What a server would hold after these steps, for children that go at once. */
export function applied(owned: readonly Child[], steps: readonly Step[]): Child[] {
  const children = new Map(owned.map((child) => [child.metadata.name, child]));
  for (const step of steps) {
    if (step.op === 'delete') children.delete(step.live.metadata.name);
    if (step.op === 'create' || step.op === 'update') children.set(step.object.metadata.name, step.object);
    if (step.op === 'suspend') children.set(step.live.metadata.name, suspended(step.live));
  }
  return [...children.values()];
}

export function ops(steps: readonly Step[]): string[] {
  return steps.map(({ op }) => op);
}

/** The child with a status as Flux would write it. */
export function reporting(child: Child, status: 'True' | 'False' | 'Unknown', reason: string, message = reason): Child {
  const condition = { type: 'Ready', status, reason, message, lastTransitionTime: '2026-01-01T00:00:00Z' };
  const report: ChildStatus = { observedGeneration: 1, conditions: [{ ...condition, observedGeneration: 1 }] };
  return { ...child, metadata: { ...child.metadata, generation: 1 }, status: { ...child.status, ...report } };
}

/** The reason why the second of two entries is rejected; its message must name the path, and the first must be valid. */
export function rejectionOf(entry: Deploy): string | undefined {
  const [rejected, ...others] = rejectedEntries(entriesOf(application([deploy('good'), entry])));
  if (others.length > 0) throw new Error('both entries are rejected');
  const isNamed = rejected?.violation.message.includes('spec.fluxApp.spec.config.helmRelease.deploy[1].');
  return isNamed === true ? rejected?.violation.reason : undefined;
}

/** The rows of an Application whose children report what `report` makes them say. */
export function rowsFor(entries: Deploy[], report: (child: Child) => Child): Row[] {
  const app = application(entries);
  const children = applied([], work(app).steps).map(report);
  const { steps, rejected } = work(app, children);
  const outcomes = steps.map((step) => ({ step, child: 'live' in step ? step.live : undefined }));
  return rowsOf({ outcomes, rejected });
}

/** A child that runs as wanted. */
export function well(child: Child): Child {
  return reporting(child, 'True', 'InstallSucceeded');
}

/** A child that is on its way out. */
export function leaving(child: Child): Child {
  return { ...child, metadata: { ...child.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
}

/** A child as ks-devops made it. */
export function legacyChild(name: string, key: string, spec: Child['spec']): Child {
  const metadata = {
    name,
    namespace: 'shop',
    uid: `uid-of-${name}`,
    generateName: 'web',
    labels: { 'app.kubernetes.io/managed-by': 'web' },
    annotations: { 'app.kubernetes.io/name': key },
    ownerReferences: [{ apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'Application', name: 'web', uid: 'uid-1' }],
  };
  return { apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease', metadata, spec };
}
