import { clusterName } from './overview-query.js';

/** What would be done with a release. */
export interface PreviewedChild {
  readonly action: 'create' | 'change' | 'delete' | 'keep' | 'wait';
  readonly cluster: string;
  readonly namespace: string;
  readonly release: string;
  readonly name: string;
  readonly why: string;
  readonly fields?: readonly { readonly path: string; readonly old?: unknown; readonly new?: unknown }[];
  readonly moreFields?: number;
}

/** What would become of an Application. */
export interface PreviewedUser {
  readonly application: string;
  readonly pinned: readonly number[];
  readonly problem: string;
  readonly problems: readonly { readonly field: string; readonly message: string }[];
  readonly children: readonly PreviewedChild[];
  readonly unchanged: number;
}

/** As the API says it. */
export interface TemplatePreview {
  readonly problems: readonly { readonly field: string; readonly message: string }[];
  readonly users: readonly PreviewedUser[];
  readonly more: number;
  readonly hidden: number;
}

/** What somebody has to look at first. */
const WORST_FIRST: readonly PreviewedChild['action'][] = ['delete', 'change', 'create', 'wait', 'keep'];

const VERBS: Readonly<Record<PreviewedChild['action'], string>> = {
  delete: 'would be deleted',
  change: 'would be changed',
  create: 'would be created',
  wait: 'would wait',
  keep: 'would stay as it is',
};

/** Those of an Application, deletions first. */
export function worstFirst(children: readonly PreviewedChild[]): PreviewedChild[] {
  const place = ({ action }: PreviewedChild): number => WORST_FIRST.indexOf(action);
  return [...children].sort((one, other) => place(one) - place(other));
}

/** `eu: shop/web would be changed`. */
export function childWords({ action, cluster, namespace, release, name }: PreviewedChild): string {
  const what = release === '' ? name : release;
  return `${clusterName(cluster)}: ${namespace === '' ? what : `${namespace}/${what}`} ${VERBS[action]}`;
}

/** What becomes of an Application, in a sentence. */
export function userWords({ children, unchanged, problem, problems }: PreviewedUser): string {
  if (problem !== '') return `Nothing can be said: ${problem}`;
  if (problems.length > 0) return 'It would be refused, and what runs stays.';
  if (children.length === 0) return 'Nothing would change.';
  return unchanged === 0 ? '' : `${unchanged} would stay as ${unchanged === 1 ? 'it is' : 'they are'}.`;
}

/** True for one that a change of the template does not reach by itself. */
export function pinnedWords({ pinned }: Pick<PreviewedUser, 'pinned'>): string {
  return pinned.length === 0 ? '' : `It stays at revision ${pinned.join(', ')}: this would be if it were moved.`;
}

/** Users of which nothing is said. */
export function leftOutWords({ more, hidden }: Pick<TemplatePreview, 'more' | 'hidden'>): string {
  const said = more === 0 ? [] : [`${more} more were left out: there are too many for one answer.`];
  const unseen = hidden === 0 ? [] : [`${hidden} more are in namespaces that you may not see.`];
  return [...said, ...unseen].join(' ');
}
