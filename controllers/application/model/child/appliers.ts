import { ORIGIN_NAME_LABEL, ORIGIN_NAMESPACE_LABEL, RELEASE_NAME_ANNOTATION } from '#api/flux/annotations.js';
import type { KubeObject } from '#api/meta.js';

/** A tool that says on each object that it applies it. */
interface Applier {
  /** The label or annotation that says so, and those that say more. */
  readonly marks: readonly [string, ...string[]];
  readonly describe: (name: string, namespace: string) => string;
  /** How it is told to leave an object that it does not apply any more, where the object comes from. Absent: by nothing. */
  readonly keep?: string;
}

const KEPT_BY_HELM =
  'add the annotation helm.sh/resource-policy: keep to it in the templates of its chart, and upgrade the release';

const KEPT_BY_FLUX_OPERATOR = 'add the annotation fluxcd.controlplane.io/prune: disabled to its template';

const APPLIERS: readonly Applier[] = [
  {
    marks: ['kustomize.toolkit.fluxcd.io/name', 'kustomize.toolkit.fluxcd.io/namespace'],
    describe: (name, namespace) => `Kustomization ${namespace}/${name}`,
    keep: 'add the annotation kustomize.toolkit.fluxcd.io/prune: disabled to its file',
  },
  {
    marks: [ORIGIN_NAME_LABEL, ORIGIN_NAMESPACE_LABEL],
    describe: (name, namespace) => `HelmRelease ${namespace}/${name}`,
    keep: KEPT_BY_HELM,
  },
  { marks: [RELEASE_NAME_ANNOTATION], describe: (name) => `Helm release ${name}`, keep: KEPT_BY_HELM },
  {
    marks: ['argocd.argoproj.io/tracking-id'],
    describe: () => 'Argo CD',
    keep: 'add the annotation argocd.argoproj.io/sync-options: Prune=false,Delete=false to its file',
  },
  {
    marks: ['resourceset.fluxcd.controlplane.io/name', 'resourceset.fluxcd.controlplane.io/namespace'],
    describe: (name, namespace) => `ResourceSet ${namespace}/${name}`,
    keep: KEPT_BY_FLUX_OPERATOR,
  },
  {
    marks: ['fluxcd.controlplane.io/name', 'fluxcd.controlplane.io/namespace'],
    describe: (name, namespace) => `FluxInstance ${namespace}/${name}`,
    keep: KEPT_BY_FLUX_OPERATOR,
  },
  {
    marks: ['kapp.k14s.io/app', 'kapp.k14s.io/association'],
    describe: () => 'kapp',
    keep: 'add the annotation kapp.k14s.io/delete-strategy: orphan to its file',
  },
  {
    marks: ['config.k8s.io/owning-inventory'],
    describe: () => 'kpt or Config Sync',
    keep: 'add the annotation client.lifecycle.config.k8s.io/deletion: detach to its file',
  },
  { marks: ['applyset.kubernetes.io/part-of'], describe: () => 'a tool with an ApplySet, such as kubectl or kro,' },
  {
    marks: [
      'objectset.rio.cattle.io/hash',
      'objectset.rio.cattle.io/id',
      'objectset.rio.cattle.io/applied',
      'objectset.rio.cattle.io/owner-gvk',
      'objectset.rio.cattle.io/owner-name',
      'objectset.rio.cattle.io/owner-namespace',
    ],
    describe: () => 'Rancher, Fleet or K3s',
  },
  {
    marks: ['work.karmada.io/name', 'work.karmada.io/namespace'],
    describe: (name, namespace) => `Karmada's Work ${namespace}/${name}`,
  },
];

/** The tool that applies an object from elsewhere. */
interface AppliedBy {
  readonly who: string;
  /** The labels and annotations that say so. */
  readonly marks: readonly string[];
  /** See `Applier`. */
  readonly keep: string | undefined;
}

/** The tool that says on an object that it applies it, and would change it back, or prune it. */
export function appliedBy({ metadata: { labels, annotations } }: KubeObject): AppliedBy | undefined {
  const found: Readonly<Record<string, string>> = { ...labels, ...annotations };
  const applier = APPLIERS.find(({ marks: [mark] }) => found[mark] !== undefined);
  if (applier === undefined) return undefined;
  const marks = applier.marks.filter((mark) => found[mark] !== undefined);
  const [name = '', namespace = ''] = applier.marks.map((mark) => found[mark] ?? '');
  return { who: applier.describe(name, namespace), marks, keep: applier.keep };
}
