import { ORIGIN_NAME_LABEL, ORIGIN_NAMESPACE_LABEL, RELEASE_NAME_ANNOTATION } from '#api/flux/annotations.js';
import type { KubeObject } from '#api/meta.js';

/** A tool that says on each object that it applies it. */
interface Applier {
  /** The label or annotation that says so, and those that say more. */
  readonly marks: readonly [string, ...string[]];
  readonly describe: (name: string, namespace: string) => string;
  /** How it is told to leave an object that it does not apply any more, where the object comes from. */
  readonly keep: string;
}

const KEPT_BY_HELM =
  'add the annotation helm.sh/resource-policy: keep to it in the templates of its chart, and upgrade the release';

const ARGO_KEEP = 'add the annotation argocd.argoproj.io/sync-options: Prune=false,Delete=false to its file';

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
    keep: ARGO_KEEP,
  },
];

/** The tool that applies an object from elsewhere. */
interface AppliedBy {
  readonly who: string;
  /** The labels and annotations that say so. */
  readonly marks: readonly string[];
  /** See `Applier`. */
  readonly keep: string;
}

/** Argo CD 2 marks objects with a label that charts set as well: who wrote fields says more. */
function isWrittenByArgo({ metadata: { managedFields = [] } }: KubeObject): boolean {
  return managedFields.some(({ manager }) => manager?.startsWith('argocd-') === true);
}

/** The tool that says on an object that it applies it, and would change it back, or prune it. */
export function appliedBy(object: KubeObject): AppliedBy | undefined {
  const { labels, annotations } = object.metadata;
  const found: Readonly<Record<string, string>> = { ...labels, ...annotations };
  const applier = APPLIERS.find(({ marks: [mark] }) => found[mark] !== undefined);
  if (applier === undefined)
    return isWrittenByArgo(object) ? { who: 'Argo CD', marks: [], keep: ARGO_KEEP } : undefined;
  const marks = applier.marks.filter((mark) => found[mark] !== undefined);
  const [name = '', namespace = ''] = applier.marks.map((mark) => found[mark] ?? '');
  return { who: applier.describe(name, namespace), marks, keep: applier.keep };
}
