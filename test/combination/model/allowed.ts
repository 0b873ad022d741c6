import { currentOf, isCurrentKept, type ApplicationMemory, type Revision } from './applications.js';
import { chartOf, keyOf, type Content } from './content.js';
import { expand, type Destination } from './destinations.js';
import type { Target } from './facts.js';
import { gateOf, type StageQuestion } from './gates.js';
import { isDryRun } from './objects.js';
import { isLeftAlone } from './once.js';
import { goodRevisions, viewsOf, type RolloutMemory, type StageView } from './rollout.js';
import type { RuleName } from './rules.js';
import { stageOf } from './stages.js';
import type { Memory } from './story.js';
import type { Claim, TargetMemory } from './targets.js';
import { isAtNewest } from './verdict.js';
import { claimOn, verdictOf } from './wanted.js';

/** A content that may be deployed, and the sentence of the documentation that allows it. */
interface Permission {
  readonly content: Content;
  readonly rule: RuleName;
}

/**
 * The contents that one target may get now; it may always keep its own. Compare them with a child that the controller
 * writes now: a slow member may still carry out an earlier write that was allowed.
 */
export interface Allowed {
  readonly contents: readonly Permission[];
  /** True if the documentation doesn't say: any content is right. */
  readonly isUndecided: boolean;
  /** Why nothing else may be deployed, or what allows the newest content. */
  readonly rule: RuleName;
}

/** All that a rule may look at. */
interface Question {
  readonly memory: Memory;
  readonly application: ApplicationMemory;
  readonly destination: Destination;
  readonly known: TargetMemory;
  readonly rollout: RolloutMemory;
}
type Rule = (question: Question) => Allowed | undefined;

const nothing = (rule: RuleName): Allowed => ({ contents: [], isUndecided: false, rule });
const anything = (rule: RuleName): Allowed => ({ contents: [], isUndecided: true, rule });

function only(content: Content | undefined, rule: RuleName): Allowed {
  if (content === undefined) return anything(rule);
  return { contents: [{ content, rule }], isUndecided: false, rule };
}

const byDryRun: Rule = ({ application }) => (isDryRun(application.object) ? nothing('dryRun') : undefined);

/** The same destination as another revision has it, on the cluster as it is now. */
function inRevision({ memory, destination, application }: Question, revision: Revision): Destination | undefined {
  if (revision === currentOf(application)) return destination;
  return expand(revision.wish, memory.moment.world).destinations.find(({ id }) => id === destination.id);
}

/** A pin doesn't change the name of a chart, which would need an uninstall. */
function keepsChart({ known, destination }: Question, content: Content | undefined): boolean {
  const has = known.run?.content ?? destination.content;
  return has === undefined || content === undefined || chartOf(has) === chartOf(content);
}

const once = ({ isOnceDoubtful }: TargetMemory, content: Content | undefined): Allowed =>
  isOnceDoubtful ? only(content, 'onceAgain') : nothing('once');

const byPin: Rule = (question) => {
  const { application, destination, known } = question;
  const pin = application.clusterPins.get(destination.clusterName) ?? application.pin;
  if (pin === undefined) return undefined;
  if (pin.revision === undefined) return nothing('pinUnknown');
  const pinned = inRevision(question, pin.revision);
  if (pinned === undefined || pinned.rejected !== undefined) return nothing('pinLeaves');
  if (pinned.isSuspended) return nothing('suspended');
  if (known.isOnce) return once(known, pinned.content);
  return isAtNewest(application, destination.clusterName) || keepsChart(question, pinned.content)
    ? only(pinned.content, 'pinned')
    : nothing('pinLeaves');
};

const takesNoPart: Rule = ({ destination, known }) => {
  if (destination.isSuspended) return nothing('suspended');
  // One whose child may have been deleted may be installed again, in its stage as any other one.
  if (isLeftAlone(known, destination)) return nothing('once');
  if (destination.cluster?.paused === true) return nothing('clusterPaused');
  const { closedBy } = destination;
  return closedBy !== undefined && known.run === undefined ? nothing(closedBy) : undefined;
};

/** Without a selector, the entry is for the host. That may be a mistake while its other releases still run. */
const lostSelector: Rule = ({ memory, application, destination, known }) => {
  const { destinations } = application.expanded;
  const isFirst = destination.way === 'host' && known.run === undefined;
  if (!isFirst || destinations.some(({ way }) => way === 'clusterSelector')) return undefined;
  const leaving = [...memory.targets.values()].filter(({ last, run, target }) => {
    const isOwn = last?.application === application.name && run !== undefined;
    return isOwn && !memory.claims.some(({ key }) => key === keyOf(target));
  });
  const replacesOne = leaving.some(({ last }) => last?.way === 'host');
  const waits = leaving.some(({ last }) => last?.way === 'clusterSelector');
  return waits && !replacesOne ? nothing('lostSelector') : undefined;
};

/** Without a rollout, revisions may not be kept at all: the model does not read `revisionHistoryLimit`. */
const unkept: Rule = ({ application }) =>
  application.object.spec.rollout === undefined || isCurrentKept(application) ? undefined : nothing('notKept');

const allAtOnce: Rule = ({ application, destination }) =>
  application.object.spec.rollout === undefined ? only(destination.content, 'allAtOnce') : undefined;

/** Returns the contents that a target may go back to. A target that was installed with the new revision stays. */
function wayBack(question: Question): Permission[] {
  const { known, rollout } = question;
  if (known.installedAt !== undefined && known.installedAt >= rollout.revision.since) return [];
  const rule = rollout.back?.stage === undefined ? 'aborted' : 'rollback';
  return goodRevisions(rollout).flatMap((revision) => {
    const content = inRevision(question, revision)?.content;
    return content === undefined ? [] : [{ content, rule } as const];
  });
}

/** True if the stage of the target goes back. If that stage is no longer known, all do. */
function goesBack({ back }: RolloutMemory, stage: string, views: readonly StageView[]): boolean {
  if (back === undefined) return false;
  return back.stage === undefined || back.stage === stage || !views.some((view) => view.stage.name === back.stage);
}

/** The current revision, or what keeps it from starting. What failed is retried whatever else failed. */
function forward({ destination, rollout, known }: Question, stage: StageQuestion): Allowed {
  const gate = gateOf(stage);
  if (gate?.rule === 'failures' && rollout.failing.has(keyOf(known.target))) {
    return only(destination.content, 'resumedFirst');
  }
  if (gate === undefined) return only(destination.content, 'inStages');
  return gate.isCertain ? nothing(gate.rule) : anything(gate.rule);
}

const inStages: Rule = (question) => {
  const { memory, application, destination, rollout } = question;
  const views = viewsOf(application, memory, rollout.failing);
  const stage = stageOf(application.object.spec.rollout ?? {}, destination);
  const index = views.findIndex((view) => view.stage.name === stage);
  const own = views[index];
  if (own === undefined) return anything('inStages');
  const back = goesBack(rollout, stage, views) ? wayBack(question) : [];
  if (rollout.back?.isCertain === true) return { contents: back, isUndecided: false, rule: 'rollback' };
  const { atMs } = memory.moment;
  const next = forward(question, { application, rollout, atMs, views, own, earlier: views.slice(0, index) });
  return { ...next, contents: [...back, ...next.contents] };
};

/** The first rule that says something decides. */
const RULES_IN_ORDER: readonly Rule[] = [byDryRun, byPin, takesNoPart, lostSelector, unkept, allAtOnce, inStages];

/** True for another claim of the same Application on what `own` claims, which may be the one that gets it. */
function isBeside({ key, destination }: Claim, own: Claim, isOfAnyName: boolean): boolean {
  const { application, clusterKey } = own.destination;
  if (key !== own.key || destination.application !== application || destination.rejected !== undefined) return false;
  return own.target.kind === 'Kustomization' || (isOfAnyName && destination.clusterKey !== clusterKey);
}

/** Each of two destinations with the same files may be the one that gets them. A release is of the first that has it. */
function questionsOf(memory: Memory, target: Target, isOfAnyName: boolean): Question[] {
  const own = claimOn(memory, target);
  const application = memory.applications.get(own?.destination.application ?? '');
  const rollout = memory.rollouts.get(application?.name ?? '');
  const known = memory.targets.get(keyOf(target));
  if (own === undefined || application === undefined || rollout === undefined || known === undefined) return [];
  const others = memory.claims.filter((claim) => claim !== own && isBeside(claim, own, isOfAnyName));
  return [own, ...others].map(({ destination }) => ({ memory, application, destination, known, rollout }));
}

/** A destination that is not updated yet is healed to what it had. */
function withWhatRan(allowed: Allowed, { content }: TargetMemory): Allowed {
  if (content === undefined) return allowed;
  return { ...allowed, contents: [...allowed.contents, { content, rule: 'keepsRevision' }] };
}

function allowedBy(question: Question): Allowed {
  for (const rule of RULES_IN_ORDER) {
    const allowed = rule(question);
    if (allowed !== undefined) return withWhatRan(allowed, question.known);
  }
  return anything('inStages');
}

/** The contents that each destination of the target allows; several do if two names or two entries lead to it. */
export function eachAllowed(memory: Memory, target: Target, isOfAnyName = false): readonly [Allowed, ...Allowed[]] {
  const verdict = verdictOf(memory, target);
  if (verdict.is === 'held' || verdict.is === 'unwanted') return [nothing(verdict.rule)];
  const [first, ...others] = questionsOf(memory, target, isOfAnyName);
  if (first === undefined || verdict.is === 'undecided') return [anything(verdict.rule)];
  return [allowedBy(first), ...others.map(allowedBy)];
}

/**
 * Decides which contents a target may get at this moment: those that any destination of it allows. `isOfAnyName`: no
 * name of its cluster has a child for it yet, so that each may get the first one.
 */
export function allowedFor(memory: Memory, target: Target, isOfAnyName = false): Allowed {
  const all = eachAllowed(memory, target, isOfAnyName);
  const contents = all.flatMap((each) => each.contents);
  return { ...all[0], contents, isUndecided: all.some(({ isUndecided }) => isUndecided) };
}
