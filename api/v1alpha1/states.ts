/** The meaning of a state to people; `bad` needs attention. */
export type Meaning = 'bad' | 'moving' | 'idle' | 'good';

/** A state of a destination, for all that shows it, counts it, or decides by it. */
interface StateFacts {
  /** From the worst, 1, to the best, as rows are sorted. */
  readonly rank: number;
  readonly meaning: Meaning;
  /** `moving`: it ends by itself; `settled`: it is final, and no problem; `stuck`: somebody has to do something. */
  readonly course: 'moving' | 'settled' | 'stuck';
  /** Argo CD's words, by which the console of KubeSphere filters. */
  readonly health: 'Healthy' | 'Suspended' | 'Progressing' | 'Degraded' | 'Unknown';
  readonly sync: 'Synced' | 'OutOfSync' | 'Unknown';
  /** The state of a child at its revision, for a rollout. */
  readonly rollout: 'ready' | 'failed' | 'updating';
  /** It is shown on while a child is reconciled at its interval. */
  readonly isSteady: boolean;
  /** Something there waits for the cluster, or would if it were deleted: users may give the cluster up. */
  readonly mayAbandon: boolean;
  /** The end of what runs there if the Application is deleted, where it is not uninstalled at once. */
  readonly deletion?: 'suspended' | 'unmanaged' | 'unreachable';
}

// prettier-ignore
const TABLE = {
  Deleting: { rank: 5, meaning: 'moving', course: 'moving', health: 'Progressing', sync: 'OutOfSync', rollout: 'updating', isSteady: false, mayAbandon: true },
  Unmanaged: { rank: 9, meaning: 'good', course: 'settled', health: 'Healthy', sync: 'Unknown', rollout: 'updating', isSteady: false, mayAbandon: false, deletion: 'unmanaged' },
  Suspended: { rank: 8, meaning: 'idle', course: 'settled', health: 'Suspended', sync: 'Unknown', rollout: 'updating', isSteady: false, mayAbandon: false, deletion: 'suspended' },
  Unreachable: { rank: 1, meaning: 'bad', course: 'stuck', health: 'Unknown', sync: 'Unknown', rollout: 'updating', isSteady: false, mayAbandon: true, deletion: 'unreachable' },
  Stalled: { rank: 2, meaning: 'bad', course: 'stuck', health: 'Degraded', sync: 'OutOfSync', rollout: 'failed', isSteady: false, mayAbandon: false },
  Failed: { rank: 3, meaning: 'bad', course: 'stuck', health: 'Degraded', sync: 'OutOfSync', rollout: 'failed', isSteady: true, mayAbandon: false },
  Drifted: { rank: 4, meaning: 'bad', course: 'stuck', health: 'Healthy', sync: 'OutOfSync', rollout: 'ready', isSteady: false, mayAbandon: false },
  Progressing: { rank: 7, meaning: 'moving', course: 'moving', health: 'Progressing', sync: 'OutOfSync', rollout: 'updating', isSteady: false, mayAbandon: false },
  Pending: { rank: 6, meaning: 'moving', course: 'moving', health: 'Progressing', sync: 'OutOfSync', rollout: 'updating', isSteady: false, mayAbandon: false },
  Ready: { rank: 10, meaning: 'good', course: 'settled', health: 'Healthy', sync: 'Synced', rollout: 'ready', isSteady: true, mayAbandon: false },
} satisfies Readonly<Record<string, StateFacts>>;

export type DestinationState = keyof typeof TABLE;

/** The states that are final, and no problem. */
export type SettledState = {
  [State in DestinationState]: (typeof TABLE)[State]['course'] extends 'settled' ? State : never;
}[DestinationState];

/** The states that need attention. */
export type BadState = {
  [State in DestinationState]: (typeof TABLE)[State]['meaning'] extends 'bad' ? State : never;
}[DestinationState];

/**
 * The states of a destination, in the order in which they are decided. A drifted destination is healthy, but out of
 * sync. Of one that is suspended or unmanaged, the sync state is unknown; nothing more is expected of the latter.
 */
export const STATES: Readonly<Record<DestinationState, StateFacts>> = TABLE;

/** In the order in which they are decided. */
export const DESTINATION_STATES = Object.keys(TABLE) as DestinationState[]; // the literal has no other keys

/** From the worst to the best. */
export const WORST_FIRST: readonly DestinationState[] = [...DESTINATION_STATES].sort(
  (one, other) => STATES[one].rank - STATES[other].rank,
);

/** The facts of a state as objects have it; undefined: a newer version wrote it. */
export function knownState(state: string): StateFacts | undefined {
  return Object.hasOwn(STATES, state) ? STATES[state as DestinationState] : undefined; // it is one of its keys
}
