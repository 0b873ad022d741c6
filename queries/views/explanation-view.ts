/** A value of several destinations of one entry. */
export interface ValueView {
  readonly path: readonly string[];
  /** That of all of them; absent if they differ. */
  readonly value?: unknown;
  /** What it is on each cluster, if they differ. */
  readonly perCluster?: readonly { readonly cluster: string; readonly value: unknown }[];
  readonly from: string;
  /** What the layer says, if that is an expression. */
  readonly expression?: unknown;
  /** The layer below that set it as well. Without a value, if that differs. */
  readonly overrode?: { readonly value?: unknown; readonly from: string };
}

/** Destinations of one entry with the same explanation. */
export interface GroupView {
  /** Path of the entry in the spec. */
  readonly entry: string;
  readonly kind: string;
  readonly clusters: readonly string[];
  readonly state: 'Explained' | 'Incomplete' | 'Rejected';
  /** Empty if it is explained. */
  readonly reason: string;
  readonly message: string;
  readonly fields: readonly ValueView[];
  /** Paths are below `values`. */
  readonly values: readonly ValueView[];
  /** What lies below the values and was not read, the lowest first. */
  readonly notRead: readonly string[];
}

/** What `fairlead explain -o json` prints. */
export interface ExplanationView {
  readonly application: string;
  /** What version ranges mean, where the Application has a rollout. */
  readonly sources?: readonly object[];
  readonly destinations: readonly GroupView[];
}

/** A path in the entry without that of the entry. */
export function layerText(from: string, entry: string): string {
  if (from === entry) return 'entry';
  return from.startsWith(`${entry}.`) ? from.slice(entry.length + 1) : from;
}
