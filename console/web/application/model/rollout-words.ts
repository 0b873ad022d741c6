import {
  awaitedApproval,
  ROLLOUT_ACTIONS,
  rolloutRequest,
  type RolloutAction,
} from '#queries/views/rollout-requests.js';
import type { Meaning } from '#queries/views/state-meaning.js';
import type { ReadApplication, RolloutView } from '#queries/answers/application.js';
import type { RevisionView } from '#queries/answers/revisions.js';
import type { RevisionState } from '#queries/answers/words.js';
import { applicationOf, refusalOf } from './offers.js';

type Stage = RolloutView['stages'][number];

const PHASES: Readonly<Record<Stage['phase'], { readonly meaning: Meaning; readonly text: string }>> = {
  Pending: { meaning: 'idle', text: 'Pending' },
  AwaitingApproval: { meaning: 'idle', text: 'Awaiting approval' },
  AwaitingWindow: { meaning: 'idle', text: 'Waits for its window' },
  Progressing: { meaning: 'moving', text: 'Progressing' },
  Baking: { meaning: 'moving', text: 'Baking' },
  Paused: { meaning: 'idle', text: 'Paused' },
  Halted: { meaning: 'bad', text: 'Halted' },
  RollingBack: { meaning: 'bad', text: 'Rolling back' },
  RolledBack: { meaning: 'bad', text: 'Rolled back' },
  Complete: { meaning: 'good', text: 'Complete' },
};

/** A phase as a person reads it. */
export function phaseWords(phase: Stage['phase']): { readonly meaning: Meaning; readonly text: string } {
  return Object.hasOwn(PHASES, phase) ? PHASES[phase] : { meaning: 'moving', text: phase };
}

/** How far a stage is, the worst first. */
export function stageWords(stage: Stage): string {
  const { total, ready, updating, failed, rejected = 0, unreachable, waiting, left } = stage;
  const counts = { failed, rejected, unreachable, updating, waiting, 'take no part': left };
  const others = Object.entries(counts).flatMap(([word, count]) => (count > 0 ? [`${count} ${word}`] : []));
  return [`${ready} of ${total} ready`, ...others].join(', ');
}

/** Said already, or what was said with how it concerns this stage in front of it. */
function isSaid(text: string, said: readonly string[]): boolean {
  return said.some((each) => each !== '' && (each.includes(text) || text.endsWith(each)));
}

/** What the phase and the counts of a stage say as well. */
function ownWords({ phase, ready, total }: Stage): string[] {
  return [phaseWords(phase).text.toLowerCase(), `${ready} of ${total} destinations are ready`];
}

/** The reasons of a rollout: each stands where it is read first, and is empty further down. */
export function rolloutReasons({ message = '', rolledBack, stages }: RolloutView): {
  /** Why it went back. */
  readonly back: string;
  /** Of each stage. */
  readonly stages: readonly string[];
} {
  const why = rolledBack?.why ?? '';
  const back = isSaid(why, [message]) ? '' : why;
  const said = [message, back];
  const reasons = stages.map((stage) => {
    const { message: own = '' } = stage;
    const reason = isSaid(own, [...said, ...ownWords(stage)]) ? '' : own;
    said.push(reason);
    return reason;
  });
  return { back, stages: reasons };
}

/** An action on the rollout, or why it cannot be asked for. */
export interface RolloutOffer {
  readonly action: RolloutAction;
  readonly label: string;
  readonly refused: string;
}

const LABELS: Readonly<Record<RolloutAction, string>> = {
  approve: 'Approve stage',
  pause: 'Pause',
  resume: 'Resume rollout',
  'ignore-windows': 'Ignore windows',
  retry: 'Retry',
  abort: 'Abort',
};

/**
 * One of pause and resume can always be taken: that one is there. Few rollouts wait for a window: there is an action
 * for it once one does.
 */
export function rolloutOffers(detail: ReadApplication): RolloutOffer[] {
  const application = applicationOf(detail);
  // The page shows which approval the stage waits for, so the request may also accept a missing proof.
  const approval = detail.rollout && awaitedApproval(detail.rollout);
  const offers = ROLLOUT_ACTIONS.map((action) => {
    const requested = rolloutRequest(application, action, { approval });
    return { action, label: LABELS[action], refused: refusalOf(detail, requested), isMoot: 'problem' in requested };
  });
  const isPaused = offers.some(({ action, isMoot }) => action === 'pause' && isMoot);
  const awaitsWindow = detail.rollout?.stages.some(({ phase }) => phase === 'AwaitingWindow') ?? false;
  const hidden: RolloutAction[] = [isPaused ? 'pause' : 'resume', ...(awaitsWindow ? [] : ['ignore-windows' as const])];
  return offers
    .filter(({ action }) => !hidden.includes(action))
    .map(({ action, label, refused }) => ({ action, label, refused }));
}

interface Words {
  readonly meaning: Meaning;
  readonly text: string;
}

const WORDS: Readonly<Record<RevisionState, Words>> = {
  Current: { meaning: 'good', text: 'Current spec' },
  RollingOut: { meaning: 'moving', text: 'Being rolled out' },
  Halted: { meaning: 'bad', text: 'Rollout halted' },
  Paused: { meaning: 'idle', text: 'Rollout paused' },
  RolledOut: { meaning: 'good', text: 'Rolled out' },
  RolledBack: { meaning: 'bad', text: 'Rolled back' },
  LastGood: { meaning: 'good', text: 'Last good' },
  Pinned: { meaning: 'idle', text: 'Pinned' },
  NotKept: { meaning: 'idle', text: 'Not kept' },
};

/** The words for the states of a revision. */
export function revisionWords({ states, haltedAt }: Pick<RevisionView, 'states' | 'haltedAt'>): Words[] {
  return states.map((state) => {
    const { meaning, text } = WORDS[state];
    return { meaning, text: state === 'Halted' && haltedAt !== undefined ? `${text} at stage ${haltedAt}` : text };
  });
}
