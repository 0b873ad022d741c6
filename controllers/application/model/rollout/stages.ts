import { REST_STAGE } from '#api/v1alpha1/approve-command.js';
import { isCountOrPercentage } from '#lib/kube/count-or-percentage.js';
import { parseDuration } from '#lib/duration.js';
import { isEmptySelector, type LabelSelector, selectorProblem, selects } from '#lib/kube/label-selector.js';
import { listed } from '#lib/text/text.js';
import { isMap } from '#lib/plain.js';
import { ClusterResolver } from '../child/cluster-names.js';
import { describeChild, shortened } from '../child/messages.js';
import type { Child, ClusterNames, DesiredChild, Entry } from '../child/types.js';
import type { RolloutSpec, StageRecord, StageSpec, Target, Window } from './types.js';
import { windowProblem } from './windows.js';

const MAX_QUOTED = 60;
const NAMED = 5;

/** A cluster as stages see it. */
export interface StagedCluster {
  /** A name of this cluster only. */
  readonly name: string;
  /** The names by which stages may write it. */
  readonly names: ClusterNames;
  readonly labels: Readonly<Record<string, string>>;
}

export interface Assignment {
  /** Index in `stagesOf`, by the name of a cluster. */
  readonly stages: ReadonlyMap<string, number>;
  /** A stage names several clusters with one name, so it is not known which it means. */
  readonly problem: string | undefined;
  readonly warnings: readonly string[];
}

/** A text of the user, with its end left out if it is long. */
export function quoted(text: string): string {
  return JSON.stringify(shortened(text, MAX_QUOTED));
}

/** The stages in their order, the last of them `rest`. */
export function stagesOf({ stages = [] }: RolloutSpec): readonly StageSpec[] {
  return stages.at(-1)?.name === REST_STAGE ? stages : [...stages, { name: REST_STAGE }];
}

/** It has not begun; or it began without an approval, needs one now, and has destinations that lack the revision. */
export function mayWait(
  { spec, members }: { readonly spec: StageSpec; readonly members: readonly Target[] },
  begun: StageRecord | undefined,
): boolean {
  const lacksIt = ({ state }: Target): boolean => state === 'absent' || state === 'outdated';
  if (begun === undefined) return true;
  return begun.unasked === true && spec.approval === true && members.some(lacksIt);
}

type Problem = string | undefined;

function selectorFault(selector: LabelSelector): Problem {
  const problem = selectorProblem(selector);
  if (problem !== undefined) return `.clusters.selector.${problem}`;
  if (!isEmptySelector(selector)) return undefined;
  return `.clusters.selector is empty, which could only mean all clusters: set matchLabels or matchExpressions, or name the last stage "${REST_STAGE}"`;
}

function clustersProblem({ name, clusters = {} }: StageSpec, isLast: boolean): Problem {
  const { names = [], selector } = clusters;
  const isEmpty = names.length === 0 && selector === undefined;
  if (name === REST_STAGE) {
    if (isLast && isEmpty) return undefined;
    return `.name: "${REST_STAGE}" has all clusters that are in no other stage: put it last and without clusters, or rename it`;
  }
  if (isEmpty) return `.clusters is empty: set names or selector${isLast ? `, or name the stage "${REST_STAGE}"` : ''}`;
  return selector === undefined ? undefined : selectorFault(selector);
}

function countProblem(path: string, value: number | string | undefined): Problem {
  if (value === undefined || isCountOrPercentage(value)) return undefined;
  const shown = typeof value === 'number' ? value : quoted(value);
  return `${path}: ${shown} is neither a number nor a percentage: use e.g. 5 or "10%"`;
}

function windowsProblem(path: string, windows: readonly Window[] = []): Problem {
  for (const [index, window] of windows.entries()) {
    const problem = windowProblem(window);
    if (problem !== undefined) return `${path}[${index}].${problem}`;
  }
  return undefined;
}

function stageProblem(stage: StageSpec, isLast: boolean): Problem {
  const { bakeTime } = stage;
  const isDuration = bakeTime === undefined || parseDuration(bakeTime) !== undefined;
  return (
    clustersProblem(stage, isLast) ??
    countProblem('.maxConcurrent', stage.maxConcurrent) ??
    countProblem('.maxUnavailable', stage.maxUnavailable) ??
    windowsProblem('.windows', stage.windows) ??
    (isDuration ? undefined : `.bakeTime: ${quoted(bakeTime)} is not a duration: use e.g. 10m or 1h30m`)
  );
}

/** The first of `words` that an earlier one equals, with the indices of both. */
function repeated(words: readonly (readonly [word: string, index: number])[]) {
  const first = new Map<string, number>();
  for (const [word, index] of words) {
    const before = first.get(word);
    if (before !== undefined) return { word, before, index };
    first.set(word, index);
  }
  return undefined;
}

function repeatedProblem(stages: readonly StageSpec[]): Problem {
  const name = repeated(stages.map((stage, index) => [stage.name, index]));
  if (name !== undefined)
    return `spec.rollout.stages[${name.index}].name: stages[${name.before}] is called ${quoted(name.word)} as well: rename one of them`;
  const named = stages.flatMap(({ clusters }, index) =>
    [...new Set(clusters?.names ?? [])].map((word) => [word, index] as const),
  );
  const cluster = repeated(named);
  if (cluster === undefined) return undefined;
  const both = [cluster.before, cluster.index].map((index) => quoted(stages[index]?.name ?? '')).join(' and ');
  return `spec.rollout.stages[${cluster.index}].clusters.names: the stages ${both} both name the cluster ${quoted(cluster.word)}: name it in one of them`;
}

/** The first violation in `spec.rollout`, with field and stage. Never throws. */
export function rolloutProblem(spec: RolloutSpec): Problem {
  const { stages = [], failureBudget, unreachableBudget } = spec;
  for (const [index, stage] of stages.entries()) {
    const problem = stageProblem(stage, index === stages.length - 1);
    if (problem !== undefined) return `spec.rollout.stages[${index}] (${quoted(stage.name)})${problem}`;
  }
  return (
    repeatedProblem(stages) ??
    countProblem('spec.rollout.failureBudget', failureBudget) ??
    countProblem('spec.rollout.unreachableBudget', unreachableBudget) ??
    windowsProblem('spec.rollout.windows', spec.windows)
  );
}

/** The clusters that a stage names. */
interface Naming {
  readonly keys: ReadonlySet<string | undefined>;
  /** Names of no cluster that is known. */
  readonly unknown: ReadonlySet<string>;
  readonly problem: Problem;
}

function namingOf({ name, clusters }: StageSpec, resolver: ClusterResolver): Naming {
  const found = (clusters?.names ?? []).map((text) => [text, resolver.find(text)] as const);
  const [shared] = found.flatMap(([, meant]) => (meant !== undefined && 'problem' in meant ? [meant.problem] : []));
  return {
    keys: new Set(found.flatMap(([, meant]) => (meant !== undefined && 'key' in meant ? [meant.key] : []))),
    unknown: new Set(found.flatMap(([text, meant]) => (meant === undefined ? [text] : []))),
    problem: shared && `stage ${quoted(name)}: clusters.names: ${shared}`,
  };
}

/** Puts each cluster into the first stage that names or selects it, else into the last one. Never throws. */
export function assignStages(spec: RolloutSpec, clusters: readonly StagedCluster[]): Assignment {
  const stages = stagesOf(spec);
  const resolver = new ClusterResolver(clusters.map(({ names }) => names));
  const naming = stages.map((stage) => namingOf(stage, resolver));
  const isNamed = ({ names: { key, short } }: StagedCluster, { keys, unknown }: Naming): boolean =>
    key === undefined ? unknown.has(short) : keys.has(key);
  const last = stages.length - 1;
  const stageOf = (cluster: StagedCluster): number => {
    const index = naming.findIndex((each, at) => {
      const selector = stages[at]?.clusters?.selector;
      return isNamed(cluster, each) || (selector !== undefined && selects(selector, cluster.labels));
    });
    return index === -1 ? last : index;
  };
  const assigned = new Map<string, number>();
  for (const cluster of clusters)
    assigned.set(cluster.name, Math.min(stageOf(cluster), assigned.get(cluster.name) ?? last));
  const known = new Set(clusters.map(({ names }) => names.short));
  const warnings = naming.flatMap((each, index) => {
    const unknown = [...each.unknown].filter((name) => !known.has(name)).map(quoted);
    const stage = quoted(stages[index]?.name ?? '');
    return unknown.length === 0 ? [] : [`stage ${stage}: no destination is on ${listed(unknown, NAMED)}`];
  });
  return { stages: assigned, problem: naming.find(({ problem }) => problem !== undefined)?.problem, warnings };
}

const NAMED_PAIRS = 3;

/** A destination in its stage. */
export interface Staged {
  readonly entry: Entry;
  readonly live: Child | undefined;
  readonly wanted: DesiredChild | undefined;
  /** Index of its stage; -1: it is in none. */
  readonly stage: number;
}

function childText(kind: string, namespace: string | undefined, name: string): string {
  return `${kind}/${namespace ?? ''}/${name}`;
}

/** The children that an entry depends on, as text: an engine reads the names of its own kind. */
function dependenciesOf({ kind, metadata, spec }: Child): string[] {
  const { dependsOn } = spec;
  if (!Array.isArray(dependsOn)) return [];
  return dependsOn.flatMap((each: unknown) => {
    if (!isMap(each) || typeof each['name'] !== 'string') return [];
    const { name, namespace } = each;
    return [childText(kind, typeof namespace === 'string' ? namespace : metadata.namespace, name)];
  });
}

/**
 * Warns of destinations that depend on one of a later stage that is not installed yet: their stage is never settled, so
 * the later one never begins.
 */
export function laterDependencies(destinations: readonly Staged[], stages: readonly StageSpec[]): string[] {
  const absent = new Map(
    destinations.flatMap(({ live, wanted, stage }) => {
      if (live !== undefined || wanted === undefined) return [];
      const { kind, metadata } = wanted.object;
      return [[childText(kind, metadata.namespace, metadata.name), { object: wanted.object, stage }] as const];
    }),
  );
  if (absent.size === 0) return [];
  const found = destinations.flatMap(({ entry, wanted, stage }) =>
    (wanted === undefined || stage < 0 ? [] : dependenciesOf(wanted.object)).flatMap((text) => {
      const dependency = absent.get(text);
      if (dependency === undefined || dependency.stage <= stage) return [];
      const [own, later] = [stages[stage]?.name ?? '', stages[dependency.stage]?.name ?? ''].map(quoted);
      return [
        `${entry.path}.dependsOn: ${describeChild(dependency.object)} is in stage ${later}, which begins after stage ${own}`,
      ];
    }),
  );
  if (found.length === 0) return [];
  return [`${listed(found, NAMED_PAIRS)}: put what is depended on in the same stage or an earlier one`];
}
