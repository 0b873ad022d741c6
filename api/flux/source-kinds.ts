import type { ResourceType } from '../meta.js';

/** The uses of a kind of source, and its names. */
interface SourceFacts {
  /** As in the URL. */
  readonly plural: string;
  /** As kubectl calls it, too. */
  readonly shortNames: readonly string[];
  /** `source.sourceRef` of Applications, and of templates. */
  readonly applications: boolean;
  /** The source of a HelmChart. */
  readonly charts: boolean;
  /** `chartRef` of a HelmRelease: its artifact is the chart. */
  readonly chartRefs: boolean;
  /** The source of a Kustomization. */
  readonly files: boolean;
  /** See `ResourceType`. Nothing in that of an ExternalArtifact is needed to use the artifact. */
  readonly hasSpec: boolean;
}

type SourceUse = 'applications' | 'charts' | 'chartRefs' | 'files';

// prettier-ignore
const TABLE = {
  HelmRepository: { plural: 'helmrepositories', shortNames: ['helmrepo'], applications: true, charts: true, chartRefs: false, files: false, hasSpec: true },
  GitRepository: { plural: 'gitrepositories', shortNames: ['gitrepo'], applications: true, charts: true, chartRefs: false, files: true, hasSpec: true },
  OCIRepository: { plural: 'ocirepositories', shortNames: ['ocirepo'], applications: true, charts: false, chartRefs: true, files: true, hasSpec: true },
  Bucket: { plural: 'buckets', shortNames: [], applications: true, charts: true, chartRefs: false, files: true, hasSpec: true },
  HelmChart: { plural: 'helmcharts', shortNames: ['hc'], applications: false, charts: false, chartRefs: true, files: false, hasSpec: true },
  ExternalArtifact: { plural: 'externalartifacts', shortNames: ['ea'], applications: false, charts: false, chartRefs: true, files: true, hasSpec: false },
} satisfies Readonly<Record<string, SourceFacts>>;

export type SourceKind = keyof typeof TABLE;

/** The kinds of Flux's source controller. */
export const SOURCE_KINDS: Readonly<Record<SourceKind, SourceFacts>> = TABLE;

/** The kinds that are for a use. */
export type KindsFor<Use extends SourceUse> = {
  [Kind in SourceKind]: (typeof TABLE)[Kind][Use] extends true ? Kind : never;
}[SourceKind];

/** In the order of the table. */
export const SOURCE_KIND_NAMES = Object.keys(TABLE) as SourceKind[]; // the literal has no other keys

function resourceOf(kind: SourceKind): ResourceType {
  const { plural, hasSpec } = SOURCE_KINDS[kind];
  return { group: 'source.toolkit.fluxcd.io', version: 'v1', kind, plural, namespaced: true, hasSpec };
}

/** Their resource types. */
export const SOURCE_RESOURCES = Object.fromEntries(
  SOURCE_KIND_NAMES.map((kind) => [kind, resourceOf(kind)]),
) as Readonly<
  Record<SourceKind, ResourceType> // each kind has one
>;

/** The kinds that are for all of this, in the order of the table. */
export function kindsFor<Use extends SourceUse>(...uses: readonly Use[]): KindsFor<Use>[] {
  return SOURCE_KIND_NAMES.filter((kind): kind is KindsFor<Use> => uses.every((use) => SOURCE_KINDS[kind][use]));
}
