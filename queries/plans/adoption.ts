import omit from 'lodash/omit.js';
import type { HelmRelease } from '#api/flux/helm-release.js';
import type { Application } from '#api/v1alpha1/application.js';
import { GITOPS_GROUP } from '#api/v1alpha1/labels.js';
import { deletionPolicyOf } from '#api/v1alpha1/ownership.js';
import { backendOf } from '#controllers/application/model/backends/index.js';
import { appliedBy } from '#controllers/application/model/child/appliers.js';
import { describeChild } from '#controllers/application/model/child/messages.js';
import { isPlain, ownerNames } from '#controllers/application/model/child/metadata.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { completeSpec, hasChart, whyNotReady } from '#controllers/application/model/children/plain.js';
import { defined, isMap } from '#lib/plain.js';

type FluxSpec = NonNullable<Application['spec']['fluxApp']>['spec'];

/** Why an object cannot become part of an Application as it is, with the way out; undefined: it can. */
export function whyNotAdopted(child: Child): string | undefined {
  const { deletionTimestamp, ownerReferences = [] } = child.metadata;
  if (deletionTimestamp !== undefined) return 'it is being deleted';
  const [application] = ownerNames(child);
  if (application !== undefined) return `it belongs to Application ${application} already`;
  if (!isPlain(child)) return 'an Application left it behind: one that specifies the same takes it over by itself';
  const [owner] = ownerReferences;
  if (owner !== undefined) return `${owner.kind} ${owner.name} owns it: what makes that makes this, too`;
  const applied = appliedBy(child);
  if (applied !== undefined) return whyApplied(applied);
  return whyNotReady(child);
}

/** An annotation on the object itself would be taken back by who applies it: it has to be set where that comes from. */
function whyApplied({ who, marks, keep }: NonNullable<ReturnType<typeof appliedBy>>): string {
  const wayOut =
    keep === undefined
      ? 'end that so that the object stays, and only then remove'
      : `${keep}; wait until the object has that; only then remove the object there, and then`;
  const rest = `${marks.join(' and ')} from its labels and annotations`;
  return `${who} applies it, and would change it back or delete it: ${wayOut} ${rest}`;
}

/** The field that is not carried over: labels and annotations of the HelmChart that the engine makes. */
const CHART_METADATA = 'spec.chart.metadata';

/** The fields of an object that an Application has no place for, and that change nothing of what is deployed. */
export function leftOut({ spec }: Child): string[] {
  const { chart } = spec;
  return isMap(chart) && chart['metadata'] !== undefined ? [CHART_METADATA] : [];
}

/** The chart of a HelmRelease. One that is an artifact itself has a name that nothing reads. */
function chartOf(child: Child): Pick<FluxSpec, 'source'> & { readonly chart: object } {
  // The kind says so.
  const { spec, status } = child as unknown as HelmRelease;
  const { chart, chartRef, interval } = spec;
  if (chart !== undefined) {
    const { sourceRef, ...choice } = chart.spec;
    return { source: { sourceRef }, chart: { ...choice, interval: choice.interval ?? interval } };
  }
  const sourceRef = chartRef as NonNullable<FluxSpec['source']>['sourceRef']; // the API server refuses other kinds
  return { source: defined({ sourceRef }), chart: { chart: status?.history?.[0]?.chartName ?? child.metadata.name } };
}

function fluxSpecFor(child: Child): FluxSpec {
  const spec = completeSpec(child);
  const { targetNamespace, kubeConfig } = spec;
  const fields = omit(spec, 'chart', 'chartRef', 'sourceRef', 'targetNamespace', 'kubeConfig');
  // Empty, it stands for the host cluster.
  const entry = { destination: defined({ targetNamespace, kubeConfig }), ...fields };
  if (!hasChart(child)) {
    return { source: { sourceRef: child.spec['sourceRef'] }, config: { kustomization: [entry] } } as FluxSpec;
  }
  const { source, chart } = chartOf(child);
  // The API server checks it against the schema, before anything is done.
  return { source, config: { helmRelease: { chart, deploy: [entry] } } } as FluxSpec;
}

/** The Application with one entry that says what a plain HelmRelease or Kustomization says. */
export function applicationLike(child: Child, name: string): Application {
  return {
    apiVersion: `${GITOPS_GROUP}/v1alpha1`,
    kind: 'Application',
    metadata: { name, ...defined({ namespace: child.metadata.namespace }) },
    spec: { kind: 'fluxcd', fluxApp: { spec: fluxSpecFor(child) } },
  };
}

/** True for files that stay when their Kustomization is deleted. */
function outlives({ kind, spec }: Child): boolean {
  const policy = spec['deletionPolicy'] ?? 'MirrorPrune';
  return kind === 'Kustomization' && (policy === 'Orphan' || (policy === 'MirrorPrune' && spec['prune'] !== true));
}

/** The consequence of deleting the Application for what an object deployed, as a sentence. */
export function afterAdoption(child: Child, application: Application): string {
  const { namespace = '', name } = application.metadata;
  const owns = `${describeChild(child)} then belongs to Application ${namespace}/${name}`;
  if (deletionPolicyOf(application) === 'Orphan') return `${owns}, which leaves it running when it is deleted`;
  if (outlives(child)) return `${owns}: to delete that, or its entry, leaves what it deployed`;
  const { deletionVerb } = backendOf(child);
  return `${owns}: to delete that, or its entry, ${deletionVerb} what it deployed, unless it is suspended`;
}
