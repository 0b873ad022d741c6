import { listed, pointerText } from '#lib/text/text.js';
import { printJson } from '#lib/json/lossless-json.js';
import { type Fate, fateOf, plannedByFate } from '#queries/views/planned-view.js';
import type { ChangedField, PlanView, PlannedChild } from '#queries/answers/plans.js';
import type { Meaning } from '#queries/views/state-meaning.js';
import { clusterName } from '../../parts/model/destinations.js';

/** What becomes of some releases, as a person reads it before. */
export interface FateWords {
  readonly fate: Fate;
  readonly title: string;
  readonly hint: string;
  readonly meaning: Meaning;
}

const CLUSTERS_NAMED = 10;
const MOST_CHARACTERS = 2_000;

const MOVED = 'The release name, namespace or chart changes, which cannot be done in place.';

const WORDS: Readonly<Record<Fate, { verb: string; hint?: (them: string) => string; meaning: Meaning }>> = {
  uninstall: {
    verb: 'be deleted, and what runs there is uninstalled',
    hint: (them) => `No destination needs ${them} any more.`,
    meaning: 'bad',
  },
  uninstallLater: {
    verb: 'be deleted later, and what runs there is uninstalled',
    hint: (them) => `No destination needs ${them} any more; the removal is on hold.`,
    meaning: 'bad',
  },
  reinstall: {
    verb: 'be reinstalled, and what runs there is uninstalled',
    hint: () => MOVED,
    meaning: 'bad',
  },
  reinstallLater: {
    verb: 'be reinstalled later, and what runs there is uninstalled',
    hint: () => MOVED,
    meaning: 'bad',
  },
  leave: { verb: 'be orphaned: what runs there stays', meaning: 'moving' },
  change: { verb: 'be changed', meaning: 'moving' },
  create: { verb: 'be created', meaning: 'good' },
  wait: { verb: 'wait', meaning: 'idle' },
  keep: { verb: 'not change', meaning: 'idle' },
};

/** As people call it: what a HelmRelease deploys is a release. */
function counted(children: readonly PlannedChild[]): string {
  const isFiles = children.every(({ kind }) => kind === 'Kustomization');
  const noun = isFiles ? 'Kustomization' : 'release';
  return children.length === 1 ? `1 ${noun}` : `${children.length.toLocaleString('en')} ${noun}s`;
}

/** The clusters of some releases, each once. */
export function clustersOf(children: readonly PlannedChild[]): string {
  const names = [...new Set(children.map(({ cluster }) => clusterName(cluster)))].sort();
  return listed(names, CLUSTERS_NAMED);
}

/** What becomes of one release, after what names it: `would be changed`. */
export function wouldWords(child: PlannedChild): Pick<FateWords, 'meaning'> & { readonly text: string } {
  const { verb, meaning } = WORDS[fateOf(child)];
  return { text: `would ${verb}`, meaning };
}

export function fateWords(fate: Fate, children: readonly PlannedChild[]): FateWords {
  const { verb, hint, meaning } = WORDS[fate];
  const them = children.length === 1 ? 'it' : 'them';
  const title = `${counted(children)} would ${verb}`;
  const wrong = children.filter(({ problems = [] }) => problems.length > 0).length;
  const words = { fate, title, hint: hint?.(them) ?? '', meaning };
  if (wrong === 0) return words;
  return { ...words, title: `${title}, ${wrong.toLocaleString('en')} with a problem`, meaning: 'bad' };
}

/** What has to be agreed to; undefined if nothing is uninstalled. What delays a removal may end by itself. */
export function lossOf({ children }: Pick<PlanView, 'children'>): string | undefined {
  const gone = new Map(plannedByFate(children));
  const wordsOf = (fate: Fate): string[] => {
    const found = gone.get(fate);
    return found === undefined ? [] : [`${counted(found)} on ${clustersOf(found)}`];
  };
  const later = wordsOf('uninstallLater').map((words) => `${words} once nothing holds the removal`);
  const again = wordsOf('reinstall').map((words) => `${words}, to reinstall`);
  const againLater = wordsOf('reinstallLater').map((words) => `${words}, to reinstall later`);
  const all = [...wordsOf('uninstall'), ...later, ...again, ...againLater];
  return all.length === 0 ? undefined : `This uninstalls ${all.join(', and ')}.`;
}

/** Of two plans that do the same, it is the same: the reasons tell times. Undefined: nobody knows what would be done. */
export function planKey(plan: Pick<PlanView, 'problems' | 'children'> | undefined): string {
  if (plan === undefined) return '';
  // The findings on clusters depend on whether they answered.
  const children = plan.children.map((child) => printJson({ ...child, why: '', problems: [] })).sort();
  return printJson([plan.problems, children]);
}

/** A field of a child that would change. */
export interface FieldWords {
  readonly path: string;
  /** Empty if there is nothing before, or after. */
  readonly old: string;
  readonly next: string;
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = printJson(value);
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}

export function fieldWords({ path, old, new: next }: ChangedField): FieldWords {
  return { path: pointerText(path), old: shown(old), next: shown(next) };
}

/** Where a release is, and its name. */
export function placeWords({ namespace, release, name }: PlannedChild): string {
  const shownName = release === '' ? name : release;
  return namespace === '' ? shownName : `${namespace}/${shownName}`;
}
