/** Paths of what is read from clusters, below that of an Application. */

function queryOf(query: Readonly<Record<string, string>>): string {
  const params = new URLSearchParams(query);
  return params.size === 0 ? '' : `?${params.toString()}`;
}

export function treePath(application: string, cluster: string): string {
  return `${application}/tree${queryOf({ cluster })}`;
}

/** Empty: of all clusters. */
export function eventsPath(application: string, cluster: string): string {
  return `${application}/events${queryOf(cluster === '' ? {} : { cluster })}`;
}

/** Empty: of all clusters. */
export function valuesPath(application: string, cluster: string): string {
  return `${application}/values${queryOf(cluster === '' ? {} : { cluster })}`;
}

/** Of one destination, by the name that the status has for its child. */
export function manifestPath(application: string, child: string): string {
  return `${application}/manifest${queryOf({ child })}`;
}

/** Of one destination, as its manifest. */
export function liveDiffPath(application: string, child: string): string {
  return `${application}/live-diff${queryOf({ child })}`;
}

interface LogsOf {
  readonly cluster: string;
  readonly pod: string;
  readonly container: string;
  readonly tailLines: number;
  readonly previous: boolean;
  readonly follow: boolean;
}

export function logsPath(
  application: string,
  { cluster, pod, container, tailLines, previous, follow }: LogsOf,
): string {
  const flags = { ...(previous ? { previous: 'true' } : {}), ...(follow ? { follow: 'true' } : {}) };
  return `${application}/logs${queryOf({ cluster, pod, container, tailLines: String(tailLines), ...flags })}`;
}
