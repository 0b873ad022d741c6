import type { Application } from '#api/v1alpha1/application.js';
import { templatesInUse, type TemplateInUse } from '#api/v1alpha1/template.js';
import { FLUX_FINALIZER } from '#api/flux/annotations.js';
import { mayDelete } from '../../deletion/rule.js';
import { hasBackend } from './backends/index.js';
import { clusterLabel } from './cluster.js';
import { abandonWarning, clusterOf, deletionPolicyOf, isAbandoned, waitingMessage } from './deletion.js';
import { engineOf } from './engine.js';
import { entriesOf } from './entries.js';
import { isTerminating } from './release-holders.js';
import { releaseIndexValue } from './identity.js';
import { withFinalizer } from './metadata.js';
import { heldOnly } from './ownership.js';
import { planChildren } from './plan-children.js';
import { warningsOf } from './warnings.js';
import type { FindOwner } from './reject.js';
import { newRequests } from './requests.js';
import { terminatingRow, rowsOf, type Row } from './rows.js';
import { stalledOutcomes } from './stalled.js';
import { steadyRows } from './steady.js';
import type { SourceUse } from './template-use.js';
import { plannedEvents, type NewEvent } from './events.js';
import type { Child, Entry, Outcome, Step, Violation } from './types.js';
import type { Valid } from './validate.js';

/** All that a pass decides from, read at once. */
export interface Observed {
  readonly application: Application;
  /** What the Application comes to by itself. */
  readonly validation: Valid | { readonly violation: Violation };
  /** Children of this very Application. */
  readonly owned: readonly Child[];
  /** Children that an entry may take over, but that are nobody's to delete. */
  readonly adoptable: readonly Child[];
  /** Names that other children of the namespace have. */
  readonly isTaken: (name: string) => boolean;
  /** Who else holds the release of an entry, as a text for people. */
  readonly otherOwnerOf: FindOwner;
  /** What an entry lacks outside of its child. */
  readonly missingOf: (entry: Entry) => string | undefined;
  /** True for an entry whose kubeconfig Secret does not exist. */
  readonly lacksSecret: (entry: Entry) => boolean;
  /** The HelmChart that the engine made for a child. */
  readonly chartOf: (child: Child) => Child | undefined;
  /** The sources that do not exist. */
  readonly missingSources: Violation | undefined;
  /** Sources of which nothing can be told, as a sentence. */
  readonly unwatched: string | undefined;
  /** False while a cache of children is not filled: what looks unwanted may only be half read. */
  readonly complete: boolean;
}

/** What the conditions follow from beside the rows. */
export interface Finding {
  /** Something is wrong with the Application as a whole. */
  readonly violation?: Violation;
  /** Something outside is missing that will be noticed when it comes. */
  readonly missing?: Violation | undefined;
  /** Entries that were rejected. */
  readonly rejected: readonly Violation[];
  readonly warning?: string | undefined;
  /** For `status.templates`. */
  readonly templates?: readonly TemplateInUse[];
}

/** What a pass is about to do, and what it will say of it. */
export interface Plan {
  readonly application: Application;
  /** `stalled`: it is wrong as a whole; `foreign`: no backend was ever for it; neither touches a spec. */
  readonly purpose: 'rollout' | 'stalled' | 'foreign' | 'deletion';
  /** All finalizers, where they must be written before the first child. */
  readonly finalizers: readonly string[] | undefined;
  /** Index values of the releases that children come to. */
  readonly reserved: readonly string[];
  /** What is to be known before the steps are done. */
  readonly events: readonly NewEvent[];
  readonly steps: readonly Step[];
  /** Children that nothing else is written to, and that lose their owner. */
  readonly disowned: readonly Child[];
  /** Children that wait for a cluster that the user gave up. */
  readonly abandoned: readonly Child[];
  /** What the user asks for once. */
  readonly requests: Readonly<Record<string, string>>;
  /** What the children read. */
  readonly sources: readonly SourceUse[];
  readonly finding: Finding;
  /** What there is to say of each destination after the steps; undefined when none was looked at. */
  readonly rowsAfter: (outcomes: readonly Outcome[]) => readonly Row[] | undefined;
}

/** A plan that does nothing. */
function emptyPlan(application: Application, purpose: Plan['purpose'], finding: Finding): Plan {
  const nothing = { reserved: [], events: [], steps: [], disowned: [], abandoned: [], requests: {}, sources: [] };
  return { application, purpose, finalizers: undefined, finding, rowsAfter: () => undefined, ...nothing };
}

/** While the policy is `Orphan` no child that stays has its Application as owner. */
function withOwner(application: Application, children: readonly Child[]): Child[] {
  if (deletionPolicyOf(application) !== 'Orphan') return [];
  return children.filter((child) => !isTerminating(child) && heldOnly(child, application) !== undefined);
}

/** Nobody waits for an uninstall any more, and what runs there stays. */
function abandonedOf(application: Application, children: readonly Child[]): Child[] {
  return children.filter((child) => {
    if (child.metadata.finalizers?.includes(FLUX_FINALIZER) !== true) return false;
    const isAsked = isAbandoned(application, child);
    const facts = { intent: 'abandon', isOurs: true, isTerminating: isTerminating(child), isAsked } as const;
    return mayDelete({ subject: 'finalizer', ...facts }).allowed;
  });
}

/** The release that a child holds from a step on. */
function comingTo({ metadata }: Application, step: Step): string[] {
  const isWritten = step.op === 'create' || step.op === 'update';
  return isWritten ? [releaseIndexValue(metadata.namespace ?? '', step.entry.release)] : [];
}

/** True when the pass writes or deletes the child anyway. */
function isTouched(child: Child, steps: readonly Step[]): boolean {
  return steps.some((step) => (step.op === 'update' || step.op === 'delete') && step.live === child);
}

function findingOf(observed: Observed, { resolved, entries }: Valid, rejected: readonly Violation[]): Finding {
  const { application, owned, unwatched, missingSources } = observed;
  const clusters = [...entries.map(({ kubeConfig }) => clusterLabel(kubeConfig)), ...owned.map(clusterOf)];
  const abandon = abandonWarning(application, clusters);
  const warning = warningsOf(resolved.application, resolved.warning, unwatched, abandon);
  return { missing: missingSources, rejected, warning, templates: resolved.inUse };
}

/**
 * Releases shall outlive an Application with the policy `Orphan`, so it is held before the first child exists: one that
 * nothing holds would leave children behind that still name it.
 */
function decideRollout(observed: Observed, valid: Valid): Plan {
  const { application, owned } = observed;
  const { resolved, entries, violationOf } = valid;
  const { steps, rejected } = planChildren({ ...observed, application: resolved.application, entries, violationOf });
  const violations = rejected.map(({ violation }) => violation);
  const untouched = owned.filter((child) => !isTouched(child, steps));
  return {
    ...emptyPlan(application, 'rollout', findingOf(observed, valid, violations)),
    finalizers: deletionPolicyOf(application) === 'Orphan' ? withFinalizer(application) : undefined,
    reserved: steps.flatMap((step) => comingTo(application, step)),
    events: plannedEvents(steps),
    steps,
    disowned: withOwner(application, untouched),
    abandoned: abandonedOf(application, owned),
    requests: newRequests(application),
    sources: resolved.sources,
    rowsAfter: (outcomes) => steadyRows(rowsOf({ ...observed, outcomes, rejected }), application.status),
  };
}

/** Tells why nothing is done and how the children fare, and touches no spec of them. */
function decideStalled(observed: Observed, violation: Violation): Plan {
  const { application, owned } = observed;
  const outcomes = stalledOutcomes(entriesOf(application), owned);
  const rows = steadyRows(rowsOf({ ...observed, outcomes, rejected: [] }), application.status);
  return {
    ...emptyPlan(application, 'stalled', { violation, rejected: [], templates: templatesInUse(application.status) }),
    disowned: withOwner(application, owned),
    abandoned: abandonedOf(application, owned),
    rowsAfter: () => rows,
  };
}

/** What to do about an Application that is not being deleted. Never throws. */
export function decide(observed: Observed): Plan {
  const { application, validation } = observed;
  if (!('violation' in validation)) return decideRollout(observed, validation);
  const { violation } = validation;
  if (hasBackend(engineOf(application))) return decideStalled(observed, violation);
  // One that was never of an engine of ours has no children, and gets nothing but its conditions.
  return emptyPlan(application, 'foreign', { violation, rejected: [], templates: templatesInUse(application.status) });
}

/** What the deletion rule says of a child of an Application that is being deleted. */
function deletionOf(live: Child, application: Application): Step[] {
  const { allowed, why } = mayDelete({
    subject: 'child',
    intent: 'application',
    owned: true,
    isTerminating: isTerminating(live),
    complete: true,
    policy: deletionPolicyOf(application),
    isLeftover: false,
    leftoversMayGo: false,
    isSuspended: live.spec.suspend === true,
  });
  return allowed ? [{ op: 'delete', live, why }] : [];
}

/** What to do about an Application that is being deleted, as long as it has children. */
export function decideDeletion(application: Application, children: readonly Child[]): Plan {
  const steps = children.flatMap((live) => deletionOf(live, application));
  const missing = { reason: 'Deleting' as const, message: waitingMessage(children) };
  const warning = abandonWarning(application, children.map(clusterOf));
  return {
    ...emptyPlan(application, 'deletion', { missing, rejected: [], warning }),
    events: plannedEvents(steps),
    steps,
    abandoned: abandonedOf(application, children),
    rowsAfter: () => children.map((child) => terminatingRow(child, 'the Application is being deleted')),
  };
}
