import { REST_STAGE } from '#api/v1alpha1/approve-command.js';
import { cut, listed } from '#lib/text/text.js';
import { isMap, type PlainMap } from '#lib/plain.js';
import { textOfField, yesOrNo } from './application-form.js';
import { type Content, contentAt, type Edit, type Path, valueAt } from '../../model/yaml-edit.js';

/** Where a rollout is, in every Application. */
export const ROLLOUT = ['spec', 'rollout'] as const satisfies Path;
const STAGES = [...ROLLOUT, 'stages'];

const NAMED = 4;
const MOST_CHARACTERS = 63;

export interface StageForm {
  readonly path: Path;
  readonly name: string;
  /** Of the clusters, separated by commas. */
  readonly clusters: string;
  readonly needsApproval: boolean;
  /** Fields that the form does not show. */
  readonly others: readonly string[];
}

export interface RolloutForm {
  readonly stages: readonly StageForm[];
  readonly isPaused: boolean;
  /** Fields that the form does not show. */
  readonly others: readonly string[];
}

const SHOWN = ['stages', 'onFailure', 'failureBudget', 'unreachableBudget', 'paused'];
const SHOWN_OF_STAGE = ['name', 'clusters', 'maxConcurrent', 'maxUnavailable', 'bakeTime', 'approval'];

function othersOf(value: unknown, shown: readonly string[]): string[] {
  return isMap(value) ? Object.keys(value).filter((key) => !shown.includes(key) && value[key] !== null) : [];
}

function namesIn(value: unknown): string {
  const names = valueAt(value, ['clusters', 'names']);
  return Array.isArray(names) ? names.filter((each) => typeof each === 'string').join(', ') : '';
}

function stageOf(stage: unknown, index: number): StageForm {
  return {
    ...{ path: [...STAGES, index], name: textOfField(stage, ['name']), clusters: namesIn(stage) },
    ...{ needsApproval: yesOrNo(stage, ['approval']) === 'true', others: othersOf(stage, SHOWN_OF_STAGE) },
  };
}

/** The rollout of an Application; undefined: changes reach all destinations at once. Never throws. */
export function rolloutOf(value: PlainMap): RolloutForm | undefined {
  const rollout = valueAt(value, ROLLOUT);
  if (rollout === undefined || rollout === null) return undefined;
  const stages = valueAt(rollout, ['stages']);
  return {
    stages: Array.isArray(stages) ? stages.map(stageOf) : [],
    isPaused: yesOrNo(rollout, ['paused']) === 'true',
    others: othersOf(rollout, SHOWN),
  };
}

/** The stages in their order, in a few words. */
export function rolloutWords(rollout: RolloutForm): string {
  const names = rollout.stages.map(({ name }) => (name === '' ? 'a stage without a name' : cut(name, MOST_CHARACTERS)));
  const all = names.at(-1) === REST_STAGE ? names : [...names, REST_STAGE];
  return `${listed(all, NAMED)}${rollout.isPaused ? '; paused' : ''}`;
}

export function isRest({ name }: Pick<StageForm, 'name'>): boolean {
  return name === REST_STAGE;
}

/** A number, unless it is something else, such as a percentage. */
export function countEdit(path: Path, text: string): Edit {
  if (text === '') return { path, value: undefined };
  return { path, value: /^(0|[1-9]\d{0,8})$/.test(text) ? Number(text) : text };
}

/** Names that are separated by commas or blanks. */
export function namesEdit({ path }: StageForm, text: string): Edit {
  const names = text.split(/[\s,]+/).filter((each) => each !== '');
  return { path: [...path, 'clusters', 'names'], value: names.length === 0 ? undefined : names };
}

/** To begin with a rollout: the first stage asks for its clusters. */
export function rolloutEdit(isWanted: boolean): Edit {
  return { path: ROLLOUT, value: isWanted ? { stages: [{ name: 'canary' }] } : undefined };
}

/** The stages from one on, one by one. */
function from(first: number, count: number, items: readonly Content[]): Edit[] {
  const gone = Array.from({ length: count - first }, () => ({ path: [...STAGES, first], value: undefined }));
  return [...gone, ...items.map((item, index) => ({ path: [...STAGES, first + index], ...item }))];
}

function freshName({ stages }: RolloutForm): string {
  const names = new Set(stages.map(({ name }) => name));
  const free = stages.map((_, index) => `stage-${index + 1}`).find((name) => !names.has(name));
  return free ?? `stage-${stages.length + 1}`;
}

const NO_ROLLOUT: RolloutForm = { stages: [], isPaused: false, others: [] };

/** One more stage, before the rest. */
export function addedStage(value: PlainMap, textAt: (path: Path) => string): Edit[] {
  const rollout = rolloutOf(value) ?? NO_ROLLOUT;
  const { stages } = rollout;
  const last = stages.at(-1);
  const fresh = { name: stages.length === 0 ? 'canary' : freshName(rollout) };
  if (last === undefined || !isRest(last)) return [{ path: [...STAGES, stages.length], value: fresh }];
  return from(stages.length - 1, stages.length, [{ value: fresh }, contentAt({ value, textAt }, last.path)]);
}

/** A stage and the one before it change places. */
export function earlierStage(value: PlainMap, index: number, textAt: (path: Path) => string): Edit[] {
  const { stages } = rolloutOf(value) ?? NO_ROLLOUT;
  // It may be gone by now.
  if (index < 1 || index >= stages.length) return [];
  const items = stages.slice(index - 1).map(({ path }) => contentAt({ value, textAt }, path));
  return from(index - 1, stages.length, [...items.slice(1, 2), ...items.slice(0, 1), ...items.slice(2)]);
}

/** Without any, there is no list. */
export function removedStage({ stages }: RolloutForm, { path }: StageForm): Edit {
  return { path: stages.length === 1 ? STAGES : path, value: undefined };
}
