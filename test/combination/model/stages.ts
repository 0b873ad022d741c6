import type { Rollout } from '#api/v1alpha1/rollout.js';
import { matches, type Destination } from './destinations.js';

/** A stage of a rollout, in the order of the spec; `rest` is the last one. */
export interface Stage {
  readonly name: string;
  readonly needsApproval: boolean;
  readonly bakeMs: number;
  /** True if it names or selects clusters. */
  readonly isSelective: boolean;
  readonly maxConcurrent?: string | number | undefined;
  readonly maxUnavailable?: string | number | undefined;
}

type StageSpec = NonNullable<Rollout['stages']>[number];
type Amount = string | number | undefined;

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Milliseconds of a duration such as `1h30m`. */
function msOf(duration: string): number {
  const parts = [...duration.matchAll(/([\d.]+)(ms|s|m|h)/g)];
  return parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (UNITS[unit] ?? 0), 0);
}

/** A number, or a percentage of `total`: rounded down, but at least 1, unless it is 0. */
export function amountOf(amount: NonNullable<Amount>, total: number): number {
  const [, percent] = /^(\d+)%$/.exec(String(amount)) ?? [];
  if (percent === undefined) return Number(amount);
  return Number(percent) === 0 ? 0 : Math.max(1, Math.floor((total * Number(percent)) / 100));
}

const isSelective = ({ clusters }: StageSpec): boolean =>
  (clusters?.names ?? []).length > 0 || clusters?.selector !== undefined;

function stageOfSpec(spec: StageSpec): Stage {
  const { name, approval = false, bakeTime = '', maxConcurrent, maxUnavailable } = spec;
  const limits = { maxConcurrent, maxUnavailable };
  return { name, needsApproval: approval, bakeMs: msOf(bakeTime), isSelective: isSelective(spec), ...limits };
}

const REST: Stage = { name: 'rest', needsApproval: false, bakeMs: 0, isSelective: false };

/** The stages in order. `rest` needs no entry of its own. */
export function stagesOf({ stages = [] }: Rollout): readonly Stage[] {
  const named = stages.filter(({ name }) => name !== 'rest').map(stageOfSpec);
  const rest = stages.find(({ name }) => name === 'rest');
  return [...named, rest === undefined ? REST : stageOfSpec(rest)];
}

/** Each cluster is in the first stage that names or selects it. All others are in `rest`. */
export function stageOf({ stages = [] }: Rollout, { clusterName, cluster }: Destination): string {
  const first = stages.find(({ clusters }) => {
    const isSelected = clusters?.selector !== undefined && matches(clusters.selector, cluster?.labels ?? {});
    return isSelected || clusters?.names?.includes(clusterName) === true;
  });
  return first?.name ?? 'rest';
}
