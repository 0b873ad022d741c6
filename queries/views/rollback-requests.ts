import type { Application } from '#api/v1alpha1/application.js';
import { PIN_ANNOTATION, PIN_CLUSTERS_ANNOTATION } from '#api/v1alpha1/labels.js';
import { readRevisionId } from '#api/v1alpha1/approve-command.js';
import { shownCluster } from '#api/v1alpha1/cluster-name.js';
import { listed } from '#lib/text/text.js';
import type { Requested } from './rollout-requests.js';

const NAMED = 20;

export interface RollbackInput {
  readonly application: Application;
  /** Numbers of the revisions that are kept. */
  readonly kept: readonly number[];
  /** Undefined: the last good one before the present one. */
  readonly to?: number | undefined;
  /** Undefined: all. */
  readonly cluster?: string | undefined;
}

type Pins = Pick<RollbackInput, 'application' | 'cluster'>;

/** The pins of single clusters as they are written; those that mean nothing stay, and are reported in the status. */
export function clusterPins({ metadata }: Application): ReadonlyMap<string, string> {
  const parts = (metadata.annotations?.[PIN_CLUSTERS_ANNOTATION] ?? '').split(',').map((part) => part.trim());
  return new Map(
    parts.filter((part) => part !== '').map((part) => [part.slice(0, part.lastIndexOf('=')).trim() || part, part]),
  );
}

function writtenPins(pins: ReadonlyMap<string, string>): string | null {
  return pins.size === 0 ? null : [...pins.values()].join(',');
}

/** The name in the status of a cluster that users name; undefined: it has none there. */
function shownIn({ metadata, status }: Application, cluster: string) {
  const names = (status?.destinations ?? []).map((row) => row.cluster ?? '');
  return shownCluster(cluster, names, metadata.namespace);
}

/** The names under which a cluster is pinned by itself; it may have two. */
function pinNamesOf(application: Application, cluster: string): string[] {
  const shown = shownIn(application, cluster);
  const isIt = (name: string): boolean =>
    name === cluster || (typeof shown === 'string' && shownIn(application, name) === shown);
  return [...clusterPins(application).keys()].filter(isIt);
}

/** Names the revision that a single cluster is pinned to. */
function ownPinOf({ application, cluster }: Pins): string | undefined {
  const [name] = cluster === undefined ? [] : pinNamesOf(application, cluster);
  return name === undefined ? undefined : clusterPins(application).get(name)?.split('=').at(-1);
}

/** The revision that a cluster, or all of them, has to have now. */
function presentOf(pins: Pins): number {
  const { metadata, status } = pins.application;
  const pinned = ownPinOf(pins) ?? metadata.annotations?.[PIN_ANNOTATION];
  if (pinned === undefined) return status?.history?.revision ?? 0;
  return readRevisionId(pinned.trim())?.revision ?? NaN;
}

/** True if all clusters have to have that revision now, so that going back to it changes nothing anywhere. */
export function isPresentEverywhere(application: Application, revision: number): boolean {
  const pins = [...clusterPins(application).keys()];
  return [undefined, ...pins].every((cluster) => presentOf({ application, cluster }) === revision);
}

/** The last good revision before the present one; without a rollout that says what is good, the one before it. */
function defaultOf(input: RollbackInput): number | undefined {
  const present = presentOf(input);
  const { lastGood } = input.application.status?.rollout ?? {};
  const earlier = input.kept.filter((revision) => revision < present);
  if (lastGood !== undefined && earlier.includes(lastGood)) return lastGood;
  return earlier.length === 0 ? undefined : Math.max(...earlier);
}

/** The clusters that the status knows, if it knows all. */
function unknownCluster({ application, cluster }: Pins): string | undefined {
  const { destinations = [], truncated = false } = application.status ?? {};
  const names = [...new Set(destinations.map((row) => row.cluster ?? ''))];
  const shown = cluster === undefined ? undefined : shownIn(application, cluster);
  if (typeof shown === 'object') return shown.problem;
  if (cluster === undefined || truncated || shown !== undefined) return undefined;
  return `there is no destination on cluster ${cluster}, only on ${listed(names.sort(), NAMED)}`;
}

function refusal(input: RollbackInput): string | undefined {
  const { kept, to } = input;
  if (kept.length === 0)
    return 'it keeps no revisions: set spec.revisionHistoryLimit or spec.rollout before the next change';
  const numbers = listed([...kept].sort((a, b) => b - a).map(String), NAMED);
  if (to !== undefined && !kept.includes(to)) return `revision ${to} is not kept, only ${numbers}`;
  const unknown = unknownCluster(input);
  if (unknown !== undefined) return unknown;
  return (to ?? defaultOf(input)) === undefined ? noneBefore(input, numbers) : undefined;
}

function noneBefore(input: RollbackInput, numbers: string): string {
  const { application, cluster } = input;
  const own = ownPinOf(input);
  const pin = own ?? application.metadata.annotations?.[PIN_ANNOTATION];
  if (pin === undefined) return `there is no revision before the present one, only ${numbers}`;
  const [who, flag] = own === undefined ? ['it', ''] : [`cluster ${cluster ?? ''}`, flagOf(input)];
  const release = `\`fairlead rollback ${application.metadata.name} --release${flag}\``;
  return `${who} is pinned to revision ${pin}, and none before that is kept, only ${numbers}: name one with --to, or end this pin with ${release}`;
}

function flagOf({ cluster }: Pins): string {
  return cluster === undefined ? '' : ` --cluster ${cluster}`;
}

/** The annotations that send an Application, or one cluster, back to an earlier revision. Never throws. */
export function rollbackRequest(input: RollbackInput): Requested {
  const problem = refusal(input);
  const target = input.to ?? defaultOf(input);
  if (problem !== undefined || target === undefined) return { problem: problem ?? 'there is no earlier revision' };
  const { application, cluster } = input;
  const where = cluster === undefined ? 'all its clusters' : `cluster ${cluster}`;
  const end = `\`fairlead rollback ${application.metadata.name} --release${flagOf(input)}\``;
  const done = `pinned to revision ${target} on ${where}, whatever the spec says, until ${end}`;
  if (cluster === undefined) return { annotations: { [PIN_ANNOTATION]: String(target) }, done };
  const pins = new Map(clusterPins(application));
  for (const name of pinNamesOf(application, cluster)) if (name !== cluster) pins.delete(name);
  pins.set(cluster, `${cluster}=${target}`);
  return { annotations: { [PIN_CLUSTERS_ANNOTATION]: writtenPins(pins) }, done };
}

/** The annotations that end the pin of a cluster, or all pins. Never throws. */
export function releaseRequest({ application, cluster }: Pins): Requested {
  const { [PIN_ANNOTATION]: pin, [PIN_CLUSTERS_ANNOTATION]: perCluster } = application.metadata.annotations ?? {};
  const { rollout } = application.spec;
  const next = rollout === undefined ? 'at once' : 'in the stages of spec.rollout';
  const onward = `the revision of the spec is rolled out, ${next}`;
  if (cluster === undefined) {
    if (pin === undefined && perCluster === undefined) return { problem: 'it is not pinned' };
    const annotations = { [PIN_ANNOTATION]: null, [PIN_CLUSTERS_ANNOTATION]: null };
    return { annotations, done: `released: ${onward}` };
  }
  const pins = new Map(clusterPins(application));
  const names = pinNamesOf(application, cluster);
  for (const name of names) pins.delete(name);
  if (names.length === 0) {
    const whole = `cluster ${cluster} is not pinned by itself, but the Application is: release it without --cluster`;
    return { problem: pin === undefined ? `cluster ${cluster} is not pinned` : whole };
  }
  const rest = pin === undefined ? onward : `the Application is pinned to revision ${pin}, and so is the cluster`;
  return {
    annotations: { [PIN_CLUSTERS_ANNOTATION]: writtenPins(pins) },
    done: `cluster ${cluster} is released: ${rest}`,
  };
}
