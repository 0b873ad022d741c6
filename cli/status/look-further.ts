import { approveCommand } from '#api/v1alpha1/approve-command.js';
import type { FluxObjectStatus, FluxObjectView, NeedView } from '#queries/answers/flux-object.js';
import type { ApplicationView } from '#queries/answers/application.js';
import { objectName } from '#manager/option-values.js';
import { oneLine } from '#lib/text/text.js';
import { isBad } from '../output/model/terminal.js';
import type { Row } from './model/status-table.js';

/** A pod that a message blames. */
export interface BlamedPod {
  readonly namespace: string;
  readonly name: string;
  /** Undefined where no container ever started. */
  readonly container: string | undefined;
  /** Its output is that of the run before. */
  readonly isRestarting: boolean;
}

const POD = /\bPod\/([a-z0-9-]+)\/([a-z0-9.-]+): (?:container ([a-z0-9-]+): (restarted after|exit code)?)?/g;

/** The pod that the embedded engine names as the cause; the one of a container that has run, where there is one. */
export function podInMessage(message: string): BlamedPod | undefined {
  const pods = [...message.matchAll(POD)].map(([, namespace = '', name = '', container, end]) => ({
    namespace,
    name,
    container: end === undefined ? undefined : container,
    isRestarting: end === 'restarted after',
  }));
  return pods.find(({ container }) => container !== undefined) ?? pods[0];
}

/** More commands would not be read: the worst rows come first. */
const MOST = 3;

const HOST = 'host';

/** People copy commands into a shell: none has a name in it that is not one of Kubernetes. */
function areNames(...names: readonly (string | undefined)[]): boolean {
  return names.every((name) => name === undefined || objectName(name) !== undefined);
}

/** What shows more than a row of the table: the child with its conditions and events, else the Application. */
function describeCommands(row: Row): string[] {
  const { application } = row;
  const { kind, name } = row.childRef ?? { kind: 'gapp', name: application.name };
  if (!areNames(application.namespace, name)) return [];
  return [`kubectl -n ${application.namespace} describe ${kind.toLowerCase()} ${name}`];
}

/** What the pod that is to blame says itself. */
function podCommands({ message, cluster }: Row): string[] {
  const pod = podInMessage(message);
  if (pod === undefined) return [];
  const { namespace, name, container, isRestarting } = pod;
  if (!areNames(namespace, name, container)) return [];
  const output = `logs ${name} -c ${container}${isRestarting ? ' --previous' : ''}`;
  const command = `kubectl -n ${namespace} ${container === undefined ? `describe pod ${name}` : output}`;
  return [cluster === HOST ? command : `${command}   # on the cluster of ${oneLine(cluster)}`];
}

const APPROVAL = /^[a-z0-9]+$/;

/** Commands that approve removals which wait, for those who know that they are right. */
export function approvals(views: readonly ApplicationView[]): string[] {
  return views
    .filter(({ namespace, name, approval }) => APPROVAL.test(approval) && areNames(namespace, name))
    .slice(0, MOST)
    .map((view) => approveCommand(view, view.approval));
}

/** The rows that are looked into: the worst ones. */
export function worstRows(rows: readonly Row[]): Row[] {
  return rows.filter(({ state }) => isBad(state)).slice(0, MOST);
}

/** Commands that look further into the worst rows; none where all is well. */
export function lookFurther(rows: readonly Row[]): string[] {
  return [...new Set(worstRows(rows).flatMap((row) => [...describeCommands(row), ...podCommands(row)]))];
}

function objectCommand(verb: string, { kind, namespace, name }: FluxObjectView): string {
  return `fairlead ${verb} ${kind.toLowerCase()}/${name} -n ${namespace}`;
}

/** Commands that show what the worst of several objects need; none where all is well. */
export function lookIntoObjects(rows: readonly FluxObjectView[]): string[] {
  return rows
    .filter(({ state, namespace, name }) => (isBad(state) || state === 'Pending') && areNames(namespace, name))
    .slice(0, MOST)
    .map((row) => objectCommand('status', row));
}

function describeObjects(objects: readonly Pick<NeedView, 'kind' | 'namespace' | 'name'>[]): string[] {
  return objects
    .filter(({ namespace, name }) => areNames(namespace, name))
    .map(({ kind, namespace, name }) => `kubectl -n ${namespace} describe ${kind.toLowerCase()} ${name}`);
}

/** Commands that go on from one object. `mayAdopt`: an Application can have it as it is. */
export function objectCommands(view: FluxObjectStatus, mayAdopt: boolean): string[] {
  const { namespace, name, application, state, needs } = view;
  if (!areNames(namespace, name)) return [];
  const failed = needs.filter((need) => isBad(need.state) && need.state !== 'Missing');
  return [
    ...describeObjects(failed.slice(0, MOST)),
    ...(state === 'Ready' ? [] : describeObjects([view])),
    objectCommand('tree', view),
    ...(mayAdopt ? [objectCommand('adopt', view)] : []),
    ...(areNames(application) ? [`fairlead status ${application} -n ${namespace}`] : []),
  ];
}
