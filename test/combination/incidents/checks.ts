import type { Application } from '#api/v1alpha1/application.js';
import { getCondition } from '#lib/kube/conditions.js';
import type { Content } from '../model/content.js';
import type { Facts, RunningRelease } from './facts.js';

/** Each check returns what is wrong, as sentences. */
type Problems = readonly string[];

const problem = (isWrong: boolean, text: string): string[] => (isWrong ? [text] : []);
const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Version and values of a content. */
function partsOf(content: Content): { readonly version?: string; readonly values?: Readonly<Record<string, unknown>> } {
  const [parts = {}] = JSON.parse(content) as readonly ReturnType<typeof partsOf>[];
  return parts;
}

const placeOf = ({ cluster, name }: RunningRelease): string => `${name} on ${cluster}`;

/** No release of the earlier facts was uninstalled, not even to be installed again. */
export function keepsReleases(before: Facts, now: Facts): Problems {
  return before.releases.flatMap((release) => {
    const place = placeOf(release);
    const found = now.releases.find((each) => placeOf(each) === place);
    if (found === undefined) return [`release ${place} was uninstalled`];
    return problem(found.instance !== release.instance, `release ${place} was uninstalled and installed again`);
  });
}

/** Nothing was deployed or uninstalled since the earlier facts. */
export function isUntouched(before: Facts, now: Facts): Problems {
  const more = now.deployments.slice(before.deployments.length);
  return [
    ...keepsReleases(before, now),
    ...more.map(({ name, cluster, content }) => `release ${name} on ${cluster} became ${content}`),
  ];
}

/** The children are the same objects as before. */
export function keepsChildren(before: Facts, now: Facts): Problems {
  const uids = new Set(now.children.map(({ metadata }) => metadata.uid));
  return before.children.flatMap(({ metadata }) =>
    problem(!uids.has(metadata.uid), `child ${metadata.name} was deleted`),
  );
}

/** These clusters run these versions, and no others run anything. */
export function runsVersions(now: Facts, expected: Readonly<Record<string, string>>): Problems {
  const runs = now.releases.map(({ cluster, content }) => [cluster, partsOf(content).version] as const);
  const found = Object.fromEntries([...runs].sort());
  return problem(!same(found, expected), `versions are ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`);
}

/** The releases on these clusters have these values. */
export function hasValues(now: Facts, expected: Readonly<Record<string, object>>): Problems {
  const found = Object.fromEntries(now.releases.map(({ cluster, content }) => [cluster, partsOf(content).values]));
  return Object.entries(expected).flatMap(([cluster, values]) =>
    problem(!same(found[cluster], values), `values on ${cluster} are ${JSON.stringify(found[cluster])}`),
  );
}

/** Nothing of that version was ever deployed to the cluster. */
export function neverHadVersion(now: Facts, cluster: string, version: string): Problems {
  const had = now.deployments.some((each) => each.cluster === cluster && partsOf(each.content).version === version);
  return problem(had, `${cluster} had version ${version}`);
}

/** No release ever had that value. */
export function neverHadValue(now: Facts, name: string, value: unknown): Problems {
  const found = now.deployments.filter(({ content }) => partsOf(content).values?.[name] === value);
  return found.map(({ cluster }) => `${name} was ${JSON.stringify(value)} on ${cluster}`);
}

/** Both clusters got the version, and the second one so much later than the first. */
export function comesAfter(
  now: Facts,
  version: string,
  { first, second, leastMs = 1 }: { readonly first: string; readonly second: string; readonly leastMs?: number },
): Problems {
  const [from = Infinity, to = -Infinity] = [first, second].map((cluster) =>
    now.deployments
      .filter((each) => each.cluster === cluster && partsOf(each.content).version === version)
      .map(({ atMs }) => atMs)
      .at(0),
  );
  return problem(!(to - from >= leastMs), `${second} got ${version} ${to - from} ms after ${first}`);
}

function applicationOf(now: Facts, name: string): Application | undefined {
  return now.applications.find(({ metadata }) => metadata.name === name);
}

/** Conditions by their types: status and reason, or undefined for one that is not there. */
export function reports(
  now: Facts,
  expected: Readonly<Record<string, readonly [status: string, reason: string] | undefined>>,
  app = 'web',
): Problems {
  const conditions = applicationOf(now, app)?.status?.conditions;
  return Object.entries(expected).flatMap(([type, wanted]) => {
    const found = getCondition(conditions, type);
    const shown = found === undefined ? undefined : [found.status, found.reason];
    return problem(!same(shown, wanted), `${app}: condition ${type} is ${JSON.stringify(shown)}`);
  });
}

/** The destinations that wait, and why: reasons by the names of clusters. */
export function waits(now: Facts, expected: Readonly<Record<string, string>>, app = 'web'): Problems {
  const rows = applicationOf(now, app)?.status?.destinations ?? [];
  const waiting = rows.flatMap(({ cluster = '', wait }) => (wait === undefined ? [] : [[cluster, wait.reason]]));
  const found = Object.fromEntries([...waiting].sort()) as Readonly<Record<string, string>>; // of such pairs
  return problem(!same(found, expected), `${app}: what waits is ${JSON.stringify(found)}`);
}

/** The clusters that the status has rows of. */
export function hasRows(now: Facts, expected: readonly string[], app = 'web'): Problems {
  const found = (applicationOf(now, app)?.status?.destinations ?? []).map(({ cluster = '' }) => cluster).sort();
  return problem(!same(found, expected), `${app}: rows are of ${found.join()}`);
}

/** Counts of a stage in the status. */
export function countsStage(now: Facts, name: string, expected: Readonly<Record<string, number>>): Problems {
  const stage: object | undefined = applicationOf(now, 'web')?.status?.rollout?.stages.find(
    (each) => each.name === name,
  );
  return Object.entries(expected).flatMap(([key, count]) => {
    const found: unknown = stage === undefined ? undefined : Reflect.get(stage, key);
    return problem(found !== count, `stage ${name} has ${key} ${JSON.stringify(found)}`);
  });
}
