import { TEMPLATE_KINDS } from '#api/v1alpha1/template.js';
import { meaningOf } from '#queries/views/state-meaning.js';
import type { ReadApplication } from '#queries/answers/application.js';
import { type Command, KIND_NAME, titled } from '../../parts/model/commands.js';
import { pathTo } from '../../navigation/model/place.js';
import type { KnownSources } from '../../editor/model/suggestions.js';

export type SourceRef = NonNullable<ReadApplication['source']>;

/** What is known of the source of an Application. Unknown texts are empty. */
export interface SourceWords {
  readonly state: string;
  /** Why it is not ready. */
  readonly message: string;
  readonly revision: string;
  readonly url: string;
  /** Why nothing is known of it. */
  readonly note: string;
}

const NOTHING: SourceWords = { state: '', message: '', revision: '', url: '', note: '' };

/** Undefined: not known yet, or for this reason. */
export function unreadWords(problem: string | undefined): SourceWords {
  return { ...NOTHING, note: problem === undefined ? 'Reading its state …' : `Its state cannot be read: ${problem}` };
}

/** What was read last, where nothing newer can be. `time`: of the day. */
export function oldWords(words: SourceWords, problem: string, time: string): SourceWords {
  return { ...words, note: `Read at ${time}. ${unreadWords(problem).note}` };
}

export function sourceWords({ kind, namespace, name }: SourceRef, known: KnownSources): SourceWords {
  const found = known.items.find((each) => each.kind === kind && each.name === name);
  if (found !== undefined) {
    const { state, message, revision, url } = found;
    return { ...NOTHING, state, message: state === 'Ready' ? '' : message, revision, url };
  }
  const where = `in namespace ${namespace}`;
  if (known.unread.includes(kind)) return { ...NOTHING, note: `You may not list objects of kind ${kind} ${where}.` };
  if (known.truncated.includes(kind)) {
    return { ...NOTHING, note: `There are too many of kind ${kind} ${where}: it is not among those that were read.` };
  }
  return { ...NOTHING, state: 'Missing', message: `There is no ${kind} of this name ${where}.` };
}

/** True if it is the first thing to look at. */
export function isFailingSource({ state }: SourceWords): boolean {
  return state !== '' && meaningOf(state) === 'bad';
}

export function sourcesPath(namespace: string): string {
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/sources`;
}

type UsedTemplate = ReadApplication['templates'][number];

/** Where a template is shown; undefined for a chart that ks-devops saved, which is none of ours. */
export function usedTemplatePage({ kind, namespace, name }: UsedTemplate): string | undefined {
  return TEMPLATE_KINDS.some((each) => each === kind) ? pathTo('template', { namespace, kind, name }) : undefined;
}

/** What to type about it; none if a name is not one of Kubernetes. */
export function sourceCommands(source: SourceRef | undefined): Command[] {
  if (source === undefined) return [];
  const { kind, namespace, name } = source;
  if (!KIND_NAME.test(kind)) return [];
  return titled([namespace, name], {
    'Its source': `fairlead source ${kind}/${name} --namespace ${namespace}`,
    'Its source, as Kubernetes has it': `kubectl --namespace ${namespace} describe ${kind.toLowerCase()}.source.toolkit.fluxcd.io ${name}`,
  });
}
