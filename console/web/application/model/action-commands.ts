import type { Application } from '#api/v1alpha1/application.js';
import { approveCommand, UNPROVEN } from '#api/v1alpha1/approve-command.js';
import { ABANDON_ANNOTATION } from '#api/v1alpha1/labels.js';
import { abandonRequest, endAbandonRequest } from '#queries/views/requests.js';
import type { Requested, SeenRollout } from '#queries/views/rollout-requests.js';
import { APPROVAL, KIND_NAME, NAME, titled, type Command, type CommandSubject } from '../../parts/model/commands.js';
import type { SharingChange } from '../../templates/model/template-words.js';

type Named = Pick<CommandSubject, 'namespace' | 'name'>;

const TITLE = 'The same in a terminal';
const KIND = 'applications.gitops.kubesphere.io';
/** A cluster as the status names it, with its namespace if that is another one. */
const CLUSTER = /^[a-z0-9]([-a-z0-9./]*[a-z0-9])?$/;

function commandOf({ namespace, name }: Named, command: string): Command[] {
  return titled([namespace, name], { [TITLE]: command });
}

/** `named`: what others gave names to, of all the words; nothing if one of them is something that a shell or an option reads. */
function fairlead(subject: Named, words: readonly string[], named: readonly string[] = []): Command[] {
  if (!named.every((name) => CLUSTER.test(name))) return [];
  return commandOf(subject, ['fairlead', ...words, '--namespace', subject.namespace].join(' '));
}

const flag = (name: string, isSet: boolean): string[] => (isSet ? [`--${name}`] : []);

export function syncCommands(subject: Named, { force, reset }: { force: boolean; reset: boolean }): Command[] {
  return fairlead(subject, ['sync', subject.name, ...flag('force', force), ...flag('reset', reset)]);
}

export function suspendCommands(subject: Named, verb: 'suspend' | 'resume'): Command[] {
  return fairlead(subject, [verb, subject.name]);
}

/** `revision` undefined: the pin is ended. `cluster` empty: on all. */
export function rollbackCommands(subject: Named, revision: number | undefined, cluster: string): Command[] {
  const what = revision === undefined ? ['--release'] : ['--to', String(revision)];
  const named = cluster === '' ? [] : [cluster];
  return fairlead(subject, ['rollback', subject.name, ...what, ...named.flatMap((name) => ['--cluster', name])], named);
}

/** `stage`: of an approval. */
export function rolloutActionCommands(
  subject: Named,
  action: string,
  { stage, approval }: SeenRollout = {},
): Command[] {
  const named = stage === undefined ? [] : [stage];
  const flags = approval?.endsWith(UNPROVEN) === true ? ['--unproven'] : [];
  return fairlead(subject, ['rollout', action, subject.name, ...named, ...flags], named);
}

export function removalsCommands(subject: Named, approval: string): Command[] {
  return APPROVAL.test(approval) ? commandOf(subject, approveCommand(subject, approval)) : [];
}

export function deleteCommands(subject: Named, keep: boolean): Command[] {
  const { name, namespace } = subject;
  return commandOf(
    subject,
    `kubectl delete ${KIND} ${name} --namespace ${namespace}${keep ? ' --cascade=orphan' : ''}`,
  );
}

/** Where there is such an annotation, only the one that was read is overwritten or removed; else none is. */
function annotateFlags({ annotations = {}, resourceVersion = '' }: Application['metadata']): string[] | undefined {
  if (!(ABANDON_ANNOTATION in annotations)) return [];
  return /^\d+$/.test(resourceVersion) ? ['--overwrite', `--resource-version=${resourceVersion}`] : undefined;
}

function abandoning({ metadata }: Application, requested: Requested): Command[] {
  const { name, namespace = '' } = metadata;
  const value = 'problem' in requested ? undefined : requested.annotations[ABANDON_ANNOTATION];
  const flags = annotateFlags(metadata);
  if (value === undefined || flags === undefined) return [];
  if (value !== null && !value.split(',').every((each) => CLUSTER.test(each))) return [];
  const change = value === null ? `${ABANDON_ANNOTATION}-` : `${ABANDON_ANNOTATION}=${value}`;
  const words = ['kubectl annotate', ...flags, KIND, name, '--namespace', namespace, change];
  return commandOf({ name, namespace }, words.join(' '));
}

/** None if it cannot be abandoned. */
export function abandonCommands(application: Application, cluster: string): Command[] {
  return abandoning(application, abandonRequest(application, cluster));
}

/** None if it is not abandoned. */
export function endAbandonCommands(application: Application, cluster: string): Command[] {
  return abandoning(application, endAbandonRequest(application, cluster));
}

type Template = Named & { readonly kind: string };

export function shareCommands({ namespace, name, kind }: Template, { namespace: user, isAdded }: SharingChange) {
  if (!NAME.test(user) || !KIND_NAME.test(kind)) return [];
  const way = isAdded ? 'with' : 'without';
  return commandOf({ namespace, name }, `fairlead template share ${namespace}/${name} --kind ${kind} --${way} ${user}`);
}
