import type { HistoryView } from '../answers/revisions.js';
import type { RevisionState } from '../answers/words.js';
import type { Application, RevisionContent } from '#api/v1alpha1/application.js';
import { readRevisionId } from '#api/v1alpha1/approve-command.js';
import { PIN_ANNOTATION } from '#api/v1alpha1/labels.js';
import { defined } from '#lib/plain.js';
import { newestFirst } from '#lib/kube/revision-history.js';
import { revisionChanges } from './revision-diff.js';
import { clusterPins } from './rollback-requests.js';

/** A revision that is kept. Unknown texts are empty. */
export interface KeptView {
  readonly revision: number;
  /** Number and digest. */
  readonly id: string;
  /** RFC 3339. */
  readonly createdAt: string;
  readonly cause: string;
  /** Undefined: it could not be read. */
  readonly content: RevisionContent | undefined;
}

/** A child: where it is, and which revision it was last changed by. */
export interface Place {
  readonly cluster: string;
  /** Undefined: it does not say. */
  readonly revision: number | undefined;
}

export interface HistoryInput {
  readonly application: Application;
  readonly kept: readonly KeptView[];
  readonly places: readonly Place[];
}

function rolloutStates({ status }: Application, revision: number): RevisionState[] {
  const { rollout } = status ?? {};
  if (rollout === undefined) return [];
  // While everything is pinned, it has no stages: nothing is rolled out.
  const isPaused = rollout.stages.length === 0;
  if (rollout.revision !== revision || isPaused) return rollout.lastGood === revision ? ['LastGood'] : [];
  if (rollout.rolledBack !== undefined) return ['RolledBack'];
  if (rollout.completedAt !== undefined) return ['RolledOut'];
  // All else goes on by itself, or waits for what its stage says.
  return rollout.phase === 'Halted' || rollout.phase === 'Paused' ? [rollout.phase] : ['RollingOut'];
}

function haltedAtOf({ status }: Application, states: readonly RevisionState[]): string | undefined {
  if (!states.includes('Halted')) return undefined;
  return status?.rollout?.stages.find(({ phase }) => phase === 'Halted')?.name;
}

function pinnedTo(application: Application, revision: number): string[] {
  const pins = [...clusterPins(application)];
  return pins
    .filter(([, pin]) => readRevisionId(pin.split('=').at(-1)?.trim())?.revision === revision)
    .map(([name]) => name);
}

function statesOf(application: Application, revision: number, isKept: boolean): RevisionState[] {
  const { metadata, status } = application;
  const isPinned = readRevisionId(metadata.annotations?.[PIN_ANNOTATION])?.revision === revision;
  return [
    ...(status?.history?.revision === revision ? (['Current'] as const) : []),
    ...rolloutStates(application, revision),
    ...(isPinned || pinnedTo(application, revision).length > 0 ? (['Pinned'] as const) : []),
    ...(isKept ? [] : (['NotKept'] as const)),
  ];
}

function clustersOf(places: readonly Place[], wanted: number | undefined): string[] {
  const found = places.filter(({ revision }) => revision === wanted).map(({ cluster }) => cluster);
  return [...new Set(found)].sort();
}

function changesOf({ content }: KeptView, before: KeptView | undefined): string[] {
  return content === undefined || before?.content === undefined ? [] : revisionChanges(before.content, content);
}

/** The revisions of an Application, and what is where. Never throws. */
export function historyView({ application, kept, places }: HistoryInput): HistoryView {
  const known = newestFirst(kept);
  const numbers = new Set(known.map(({ revision }) => revision));
  const lost = [...new Set(places.flatMap(({ revision }) => revision ?? []))].filter((each) => !numbers.has(each));
  const facts = (revision: number) => {
    const states = statesOf(application, revision, numbers.has(revision));
    return {
      ...{ revision, states, clusters: clustersOf(places, revision) },
      pinnedClusters: pinnedTo(application, revision),
      ...defined({ haltedAt: haltedAtOf(application, states) }),
    };
  };
  const revisions = known.map((each, index) => ({
    ...facts(each.revision),
    ...{ id: each.id, createdAt: each.createdAt, cause: each.cause, changes: changesOf(each, known[index + 1]) },
  }));
  const unkept = lost.map((revision) => ({ ...facts(revision), createdAt: '', cause: '', changes: [] }));
  const { name, namespace = '' } = application.metadata;
  return {
    application: name,
    namespace,
    revisions: newestFirst([...revisions, ...unkept]),
    unknown: clustersOf(places, undefined),
  };
}
