import type { ObjectView } from '#queries/answers/members.js';
import { queryText } from '../../navigation/model/query.js';
import { NAME, type Command } from '../../parts/model/commands.js';
import { firstLog } from './log.js';

/** Paths of what is read from clusters, below that of an Application. */

export function treePath(application: string, cluster: string): string {
  return `${application}/tree${queryText({ cluster })}`;
}

/** Empty: of all clusters. */
export function eventsPath(application: string, cluster: string): string {
  return `${application}/events${queryText({ cluster })}`;
}

/** Empty: of all clusters. */
export function valuesPath(application: string, cluster: string): string {
  return `${application}/values${queryText({ cluster })}`;
}

/** The path of one destination's manifest, by the name that the status has for its child. */
export function manifestPath(application: string, child: string): string {
  return `${application}/manifest${queryText({ child })}`;
}

/** The path of one destination's differences, by the name that the status has for its child. */
export function liveDiffPath(application: string, child: string): string {
  return `${application}/live-diff${queryText({ child })}`;
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
  const flags = { previous: previous ? 'true' : '', follow: follow ? 'true' : '' };
  return `${application}/logs${queryText({ cluster, pod, container, tailLines: String(tailLines), ...flags })}`;
}

interface Subject {
  readonly namespace: string;
  readonly name: string;
  /** Empty: all. */
  readonly cluster: string;
}

/** Arguments of a verb; undefined if a name is not one of Kubernetes, as people copy them into a shell. */
function argumentsOf({ namespace, name, cluster }: Subject): string | undefined {
  if (!NAME.test(namespace) || !NAME.test(name)) return undefined;
  const of = `${name} --namespace ${namespace}`;
  if (cluster === '') return of;
  return NAME.test(cluster) ? `${of} --cluster ${cluster}` : undefined;
}

function commandsOf(title: string, verb: string, subject: Subject): Command[] {
  const of = argumentsOf(subject);
  return of === undefined ? [] : [{ title, command: `fairlead ${verb} ${of}` }];
}

export function treeCommands(subject: Subject): Command[] {
  return commandsOf('The same in a terminal', 'tree', subject);
}

export function eventCommands(subject: Subject): Command[] {
  return commandsOf('The same in a terminal', 'events', subject);
}

/** On the cluster itself, which a shell has to be told of; only Helm keeps what it rendered. */
export function manifestCommands({ kind, namespace, release }: { kind: string; namespace: string; release: string }) {
  if (kind !== 'HelmRelease' || !NAME.test(namespace) || !NAME.test(release)) return [];
  const command = `helm get manifest ${release} --namespace ${namespace}`;
  return [{ title: 'On the cluster itself', command }];
}

export function valueCommands(subject: Subject): Command[] {
  return commandsOf('The same in a terminal', 'explain', subject);
}

export function planCommands(subject: Subject): Command[] {
  return commandsOf('What the controller would do now', 'diff', { ...subject, cluster: '' });
}

export function liveDiffCommands(subject: Subject): Command[] {
  return commandsOf('What is not as it is wanted', 'diff --live', subject);
}

/** What to type about an object of a cluster; of pods, the output that the page begins with. */
export function objectCommands(
  subject: Subject,
  object: Pick<ObjectView, 'kind' | 'name' | 'containers' | 'blamed'>,
): Command[] {
  const { kind, name, containers } = object;
  const of = argumentsOf(subject);
  const isPod = kind === 'Pod' && containers.length > 0;
  if (of === undefined || !isPod || !NAME.test(name)) return [];
  const { container, previous } = firstLog(object);
  if (!NAME.test(container)) return [];
  const which = `${container === containers[0] ? '' : ` -c ${container}`}${previous ? ' -p' : ' --follow'}`;
  return [{ title: 'The log in a terminal', command: `fairlead logs ${of} --pod ${name}${which}` }];
}
