/**
 * What pages of the console of KubeSphere read of an answer, by the same steps: reference "fields read". Each throws
 * where the page would break.
 */

interface Read {
  readonly metadata: {
    readonly uid: string;
    readonly name: string;
    readonly creationTimestamp: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: {
    readonly fluxApp?: { readonly spec: FluxSpec };
    readonly argoApp?: { readonly spec: Readonly<Record<string, unknown>> };
  };
  readonly status?: {
    readonly argoApp?: string;
    readonly fluxApp?: Readonly<Record<'helmReleaseStatus' | 'kustomizationStatus', Statuses | undefined>>;
  };
}

interface FluxSpec {
  readonly source: { readonly sourceRef: { readonly kind: string; readonly name: string } };
  readonly config: { readonly helmRelease?: { readonly deploy: Entry[] }; readonly kustomization?: Entry[] };
}

interface Entry {
  readonly interval?: string;
  readonly destination: {
    readonly targetNamespace?: string;
    readonly kubeConfig?: { readonly secretRef: { readonly name: string } };
  };
}

type Statuses = Readonly<Record<string, { readonly conditions: readonly ShownCondition[] }>>;

interface ShownCondition {
  readonly type: string;
  readonly status: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}

/** The console cuts the prefix that ks-devops gave to sources. */
const SOURCE_PREFIX = 'fluxcd-'.length;

function listOf(answer: unknown): { readonly items: readonly Read[]; readonly totalItems: number } {
  return answer as ReturnType<typeof listOf>;
}

/** The rows of the list of Flux applications. */
export function fluxRows(answer: unknown) {
  return listOf(answer).items.map(({ metadata, spec }) => {
    const { labels = {}, annotations = {} } = metadata;
    const { kind, name } = spec.fluxApp!.spec.source.sourceRef;
    return {
      name: metadata.name,
      alias: annotations['kubesphere.io/alias-name'],
      // As it is misspelt there.
      type: labels['gitops.kubepshere.io/type'],
      source: `${kind} ${name.slice(SOURCE_PREFIX)}`,
      ready: labels['gitops.kubesphere.io/ready-number']!.replace('-', '/'),
      revision: annotations['gitops.kubesphere.io/last-revision'],
    };
  });
}

/** The table of the page of a Flux application: one row for each destination as it is written. */
export function fluxDestinations(answer: unknown) {
  const { spec, status } = answer as Read;
  const { helmRelease, kustomization } = spec.fluxApp!.spec.config;
  const shown = helmRelease === undefined ? status!.fluxApp!.kustomizationStatus : status!.fluxApp!.helmReleaseStatus;
  return (helmRelease?.deploy ?? kustomization ?? []).map(({ destination, interval }) => {
    const { kubeConfig, targetNamespace = '' } = destination;
    const key = kubeConfig === undefined ? targetNamespace : `${kubeConfig.secretRef.name}-${targetNamespace}`;
    const { type, status: is, message, lastTransitionTime } = shown![key]!.conditions[0]!;
    return { key, interval, said: `${type} ${is} ${message}`, since: new Date(lastTransitionTime).toISOString() };
  });
}

interface ArgoStatus {
  readonly sync: { readonly status: string; readonly revision: string };
  readonly health: { readonly status: string };
  readonly reconciledAt: string;
  readonly operationState: { readonly syncResult: { readonly resources: readonly Readonly<Record<string, string>>[] } };
}

/** The page of an application of Argo CD: its status is a text of JSON. */
export function argoDetail(answer: unknown) {
  const { metadata, spec, status } = answer as Read;
  const { sync, health, reconciledAt, operationState } = JSON.parse(status!.argoApp!) as ArgoStatus;
  const { source, destination, syncPolicy } = spec.argoApp!.spec;
  return {
    ...{ uid: metadata.uid, since: metadata.creationTimestamp, source, destination, syncPolicy },
    ...{ sync: sync.status, revision: sync.revision.slice(0, 6), health: health.status, reconciledAt },
    resources: operationState.syncResult.resources.map(({ kind, name, status: is }) => `${kind} ${name} ${is}`),
  };
}

/** The cards over the list: shown if any of them counts something. */
export function cards(answer: unknown): Record<string, number> {
  const { total, healthStatus, syncStatus } = answer as {
    readonly total: number;
    readonly healthStatus: Readonly<Record<string, number>>;
    readonly syncStatus: Readonly<Record<string, number>>;
  };
  const [healthy, degraded, progressing] = ['Healthy', 'Degraded', 'Progressing'].map((word) => healthStatus[word]!);
  const [synced, outOfSync, unknown] = ['Synced', 'OutOfSync', 'Unknown'].map((word) => syncStatus[word]!);
  return { total, healthy, degraded, progressing, synced, outOfSync, unknown } as Record<string, number>;
}

/** How many there are on all pages. */
export function totalOf(answer: unknown): number {
  return listOf(answer).totalItems;
}
