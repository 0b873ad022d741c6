import { approveCommand } from '#api/v1alpha1/approve-command.js';

/** What a person can type to do the same. */
export interface Command {
  readonly title: string;
  readonly command: string;
}

/** Of Kubernetes: people copy commands into a shell. */
export const NAME = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;
/** A kind without its group. */
export const KIND_NAME = /^[A-Za-z]+$/;
export const APPROVAL = /^[a-z0-9]+$/;

export const OVERVIEW_COMMANDS: readonly Command[] = [
  { title: 'The same in a terminal', command: 'fairlead status --all-namespaces' },
  { title: 'As Kubernetes has it', command: 'kubectl get applications.gitops.kubesphere.io --all-namespaces' },
];

export interface CommandSubject {
  readonly namespace: string;
  readonly name: string;
  /** Value that approves removals that wait; empty if none do. */
  readonly approval: string;
  /** True if a destination waits. */
  readonly waits: boolean;
}

/** Commands by their titles; none if one of the names that they have is not one of Kubernetes. */
export function titled(names: readonly string[], commands: Readonly<Record<string, string>>): Command[] {
  if (!names.every((name) => NAME.test(name))) return [];
  return Object.entries(commands).map(([title, command]) => ({ title, command }));
}

/** None if a name is not one of Kubernetes. */
export function applicationCommands({ namespace, name, approval, waits }: CommandSubject): Command[] {
  const of = `${name} --namespace ${namespace}`;
  const approve = { 'Approve the removals that wait': approveCommand({ namespace, name }, approval) };
  return titled([namespace, name], {
    ...(APPROVAL.test(approval) ? approve : {}),
    'The same in a terminal': `fairlead status ${of} --output wide`,
    ...(waits ? { 'What waits, and for what': `fairlead pending ${of}` } : {}),
    'Where each value comes from': `fairlead explain ${of}`,
    'As Kubernetes has it': `kubectl --namespace ${namespace} describe applications.gitops.kubesphere.io ${name}`,
  });
}

type Named = Pick<CommandSubject, 'namespace' | 'name'>;

/** With the name and the namespace behind the verb; none if a name is not one of Kubernetes. */
function commandsOf({ namespace, name }: Named, titles: Readonly<Record<string, string>>): Command[] {
  if (!NAME.test(namespace) || !NAME.test(name)) return [];
  return Object.entries(titles).map(([verb, title]) => ({
    title,
    command: `fairlead ${verb.replace('NAME', name)} --namespace ${namespace}`,
  }));
}

export function historyCommands(subject: Named): Command[] {
  return commandsOf(subject, {
    'history NAME': 'The same in a terminal',
    'rollback NAME': 'Go back to the last good revision',
    'rollback NAME --release': 'End that',
  });
}

export function saveTemplateCommands(subject: Named): Command[] {
  return commandsOf(subject, {
    'template save NAME': 'The same in a terminal',
    'template save NAME --release': 'End that',
  });
}

/** Of an Application without a rollout: how it is, as there is nothing to approve. */
export function noRolloutCommands(subject: Named): Command[] {
  return commandsOf(subject, { 'status NAME --output wide': 'The same in a terminal' });
}

export function rolloutCommands(subject: Named): Command[] {
  return commandsOf(subject, {
    'status NAME --output wide': 'The same in a terminal',
    'rollout approve NAME': 'Approve the stage that waits',
    'rollout pause NAME': 'Pause',
    'rollout abort NAME': 'Abort',
  });
}

export const CLUSTERS_COMMANDS: readonly Command[] = [
  { title: 'The same in a terminal', command: 'fairlead clusters --all-namespaces --show-labels --output wide' },
  { title: 'Whether they answer', command: 'fairlead clusters --all-namespaces --probe' },
];

export const TEMPLATES_COMMANDS: readonly Command[] = [
  { title: 'The same in a terminal', command: 'fairlead template list --all-namespaces' },
];

export interface TemplateSubject {
  readonly namespace: string;
  readonly kind: string;
  readonly name: string;
  /** 0: there is none yet. */
  readonly revision: number;
}

type NamedTemplate = Pick<TemplateSubject, 'namespace' | 'kind' | 'name'>;

function titledOf({ namespace, kind, name }: NamedTemplate, commands: Readonly<Record<string, string>>): Command[] {
  return KIND_NAME.test(kind) ? titled([namespace, name], commands) : [];
}

/** What makes an Application of a template; none if a name is not one of Kubernetes. */
export function templateUseCommands(template: NamedTemplate): Command[] {
  const { namespace, kind, name } = template;
  const command = `fairlead template use ${namespace}/${name} --kind ${kind} --as NAME --namespace NAMESPACE`;
  return titledOf(template, { 'Use it': command });
}

/** None if a name is not one of Kubernetes. */
export function templateCommands(template: TemplateSubject): Command[] {
  const { namespace, kind, name, revision } = template;
  const of = `${namespace}/${name}`;
  const last = `${of}@${revision - 1} ${of}@${revision}`;
  const commands = titledOf(template, {
    'The same in a terminal': `fairlead template show ${of} --kind ${kind} --output wide`,
    ...(revision < 2 ? {} : { 'What the last revision changed': `fairlead template diff ${last} --kind ${kind}` }),
  });
  return [...commands, ...templateUseCommands(template)];
}
