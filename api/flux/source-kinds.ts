/** What a kind of source is for. */
interface SourceFacts {
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
}

type SourceUse = Exclude<keyof SourceFacts, 'shortNames'>;

const TABLE = {
  HelmRepository: { shortNames: ['helmrepo'], applications: true, charts: true, chartRefs: false, files: false },
  GitRepository: { shortNames: ['gitrepo'], applications: true, charts: true, chartRefs: false, files: true },
  OCIRepository: { shortNames: ['ocirepo'], applications: true, charts: false, chartRefs: true, files: true },
  Bucket: { shortNames: [], applications: true, charts: true, chartRefs: false, files: true },
  HelmChart: { shortNames: ['hc'], applications: false, charts: false, chartRefs: true, files: false },
  ExternalArtifact: { shortNames: ['ea'], applications: false, charts: false, chartRefs: true, files: true },
} satisfies Readonly<Record<string, SourceFacts>>;

export type SourceKind = keyof typeof TABLE;

/** The kinds of Flux's source controller. */
export const SOURCE_KINDS: Readonly<Record<SourceKind, SourceFacts>> = TABLE;

type KindsFor<Use extends SourceUse> = {
  [Kind in SourceKind]: (typeof TABLE)[Kind][Use] extends true ? Kind : never;
}[SourceKind];

/** The kinds that are for all of this, in the order of the table. */
export function kindsFor<Use extends SourceUse>(...uses: readonly Use[]): KindsFor<Use>[] {
  const kinds = Object.keys(TABLE) as SourceKind[]; // the literal has no other keys
  return kinds.filter((kind): kind is KindsFor<Use> => uses.every((use) => SOURCE_KINDS[kind][use]));
}
