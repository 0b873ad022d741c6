import { plannedByFate, type PlannedChild } from '#queries/views/planned-view.js';
import { clusterName } from '../../overview/model/overview-query.js';
import { placeWords, wouldWords } from '../../change/model/plan-words.js';

/** What would become of an Application. */
export interface PreviewedUser {
  readonly application: string;
  readonly pinned: readonly number[];
  readonly problem: string;
  readonly problems: readonly { readonly field: string; readonly message: string }[];
  readonly children: readonly PlannedChild[];
  readonly unchanged: number;
}

/** As the API says it. */
export interface TemplatePreview {
  readonly problems: readonly { readonly field: string; readonly message: string }[];
  readonly users: readonly PreviewedUser[];
  readonly more: number;
  readonly hidden: number;
}

/** Those of an Application, what is uninstalled first. */
export function worstFirst(children: readonly PlannedChild[]): PlannedChild[] {
  return plannedByFate(children).flatMap(([, found]) => found);
}

/** `eu: shop/web would be changed`. */
export function childWords(child: PlannedChild): string {
  return `${clusterName(child.cluster)}: ${placeWords(child)} ${wouldWords(child).text}`;
}

/** What becomes of an Application, in a sentence. */
export function userWords({ children, unchanged, problem, problems }: PreviewedUser): string {
  if (problem !== '') return `It could not be computed: ${problem}`;
  if (problems.length > 0) return 'It would be refused, and what runs stays.';
  if (children.length === 0) return 'Nothing would change.';
  return unchanged === 0 ? '' : `${unchanged} would stay as ${unchanged === 1 ? 'it is' : 'they are'}.`;
}

/** True for one that a change of the template does not reach by itself. */
export function pinnedWords({ pinned }: Pick<PreviewedUser, 'pinned'>): string {
  return pinned.length === 0
    ? ''
    : `Pinned to revision ${pinned.join(', ')}: this is what would happen if the pin were moved.`;
}

/** Users of which nothing is said. */
export function leftOutWords({ more, hidden }: Pick<TemplatePreview, 'more' | 'hidden'>): string {
  const said = more === 0 ? [] : [`${more} more were left out: there are too many for one answer.`];
  const unseen = hidden === 0 ? [] : [`${hidden} more are in namespaces that you may not see.`];
  return [...said, ...unseen].join(' ');
}
