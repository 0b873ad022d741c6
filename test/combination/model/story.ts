import { rememberApplications, type Applications } from './applications.js';
import { keyOf } from './content.js';
import type { Moment, MomentIndex, Story } from './facts.js';
import { waitingFor } from './guard.js';
import { rememberClusters, type Records } from './records.js';
import { rememberRollouts, type Rollouts } from './rollout.js';
import { claimsOf, rememberTargets, type Claim, type Targets } from './targets.js';

/** The model's memory after a moment. A consumer carries it from step to step. */
export interface Memory {
  readonly index: MomentIndex;
  readonly moment: Moment;
  readonly applications: Applications;
  readonly records: Records;
  readonly targets: Targets;
  readonly claims: readonly Claim[];
  readonly rollouts: Rollouts;
}

/** An approval is for what waits at that moment, and lasts as long as it waits. */
function withApprovals(memory: Memory): Memory {
  const { act } = memory.moment;
  const applications = [...memory.applications.values()].map((application) => {
    const keys = waitingFor(memory, application.name).map(keyOf);
    const isApproval = act?.do === 'approveRemovals' && act.application === application.name;
    const approved = new Set(isApproval ? keys : keys.filter((key) => application.approved.has(key)));
    return [application.name, { ...application, approved }] as const;
  });
  return { ...memory, applications: new Map(applications) };
}

type Known = Pick<Memory, 'index' | 'applications' | 'records' | 'targets' | 'rollouts'>;

const NOTHING: Known = {
  index: -1,
  applications: new Map(),
  records: new Map(),
  targets: new Map(),
  rollouts: new Map(),
};

/** Updates the memory with one more moment; `before` is undefined for the first one. */
export function remember(before: Memory | undefined, moment: Moment): Memory {
  const known = before ?? NOTHING;
  const index = known.index + 1;
  const applications = rememberApplications(known.applications, moment, index);
  const records = rememberClusters(known.records, { applications, targets: known.targets, moment, index });
  const claims = claimsOf(applications, records);
  const targets = rememberTargets(known.targets, { applications, claims, moment, index });
  const rest = { index, moment, applications, records, claims, targets };
  return withApprovals({ ...rest, rollouts: rememberRollouts(known.rollouts, rest) });
}

/** Returns the memory at the end of a story, which must not be empty. */
export function rememberAll(story: Story): Memory {
  const [first, ...rest] = story;
  if (first === undefined) throw new Error('a story has at least one moment');
  return rest.reduce(remember, remember(undefined, first));
}
