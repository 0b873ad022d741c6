import { plannedByFate } from '#queries/views/planned-view.js';
import type { PlannedChild } from '#queries/answers/plans.js';
import type { ReadTemplate, TemplateItem } from '#queries/answers/templates.js';
import type { Template } from '#api/v1alpha1/template.js';
import { shareRequest } from '#queries/views/requests.js';
import { placeWords, wouldWords } from '../../change/model/plan-words.js';
import { clusterName } from '../../parts/model/destinations.js';

/** The effect of a template's change on an Application. */
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

/** Says in a sentence how an Application changes. */
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

/** A namespace that is to use a template from now on, or not any more. */
export interface SharingChange {
  readonly namespace: string;
  readonly isAdded: boolean;
}

const LABEL = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

/** The body of the request to share a template. */
export function sharingBody({ namespace, isAdded }: SharingChange): object {
  return isAdded ? { add: [namespace] } : { remove: [namespace] };
}

type Shared = Pick<ReadTemplate, 'kind' | 'namespace' | 'name' | 'spec' | 'may'>;

/** Why the user cannot share it, or end that; empty if he can. What the server says then counts. */
export function sharingRefused({ kind, may }: Pick<Shared, 'kind' | 'may'>): string {
  return may.patch ? '' : `You may not do this: it needs \`patch\` of ${kind.toLowerCase()}s.`;
}

/** Why a namespace cannot be added; empty if it can. What the server says then counts. */
export function addingRefused(shared: Shared, namespace: string): string {
  const refused = sharingRefused(shared);
  if (refused !== '') return refused;
  if (namespace === '') return 'Type the name of a namespace first.';
  if (!LABEL.test(namespace)) return 'It must be the name of a namespace: lower-case letters, digits and -.';
  const { name, spec } = shared;
  const template = { metadata: { name, namespace: shared.namespace }, spec } as Template;
  const requested = shareRequest({ template, add: [namespace], remove: [] });
  return 'problem' in requested ? `It cannot be added: ${requested.problem}.` : '';
}

/** The chart or the files that a template deploys, by their titles. */
export function chartText({ kind, chart, version, path }: TemplateItem): Record<string, string> {
  if (kind === 'KustomizationTemplate') return { Path: path === '' ? '.' : path };
  return { Chart: chart, Version: version === '' ? 'newest' : version };
}

/** The namespaces that may use it besides its own. */
export function sharedText({ sharedWith, moreSharedWith }: TemplateItem): string {
  const more = moreSharedWith === 0 ? [] : [`${moreSharedWith} more`];
  return [...sharedWith, ...more].join(', ');
}
