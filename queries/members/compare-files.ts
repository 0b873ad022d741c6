import type { DryRun, PlannedChange } from '#api/dry-run.js';
import type { Kustomization } from '#api/flux/kustomization.js';
import { asksForDryRun } from '#engine/dry-run/report.js';
import { inventoryId, type ObjectTarget } from '#engine/member/model/inventory.js';
import { worstCompared } from '../views/live-diff-view.js';
import type { ComparedObject, LiveDiffFindings } from '../answers/members.js';
import type { ComparedState } from '../answers/words.js';
import type { FoundObject } from '../views/tree-view.js';
import type { ReachedChild, Reader } from './child-member.js';
import { comparedObject } from './compared-object.js';
import { readObjects } from './object-states.js';
import { problemOf } from './read-destination.js';
import { inventoryObjects } from './release-objects.js';
import { NOTHING } from './stored-revision.js';

/** One request each. */
const MOST_OBJECTS = 500;
const NOT_KNOWN =
  'What its files say is not stored anywhere, so only what is missing is known. A dry run of the Kustomization finds the rest.';
const NOT_ALL = ' It does not list all changes: objects that it leaves out may differ, too.';

/** What the engine published of the present spec. */
function publishedOf({ metadata, status, ...rest }: Kustomization): DryRun | undefined {
  const dryRun = status?.dryRun;
  return asksForDryRun({ ...rest, metadata }) && dryRun?.observedGeneration === metadata.generation
    ? dryRun
    : undefined;
}

function noteOf(published: DryRun | undefined): string {
  if (published === undefined) return NOT_KNOWN;
  const note = `What its files say is not stored anywhere: this is as its dry run found it at ${published.computedAt}.`;
  return published.more === undefined ? note : `${note}${NOT_ALL}`;
}

const STATES: Readonly<Record<PlannedChange['action'], ComparedState>> = {
  ...{ failed: 'unreadable', created: 'missing', changed: 'changed' },
  ...{ recreated: 'changed', deleted: 'changed', held: 'changed' },
};
const MESSAGES: Partial<Record<PlannedChange['action'], string>> = {
  ...{ recreated: 'it would be deleted and created again', deleted: 'no file has it: it would be deleted' },
  held: 'no file has it: it would be deleted later',
};

/** What the dry run said of an object. */
function plannedObject(target: ObjectTarget, { action, message = MESSAGES[action] ?? '', ...change }: PlannedChange) {
  return comparedObject(target, STATES[action], { ...change, message });
}

function stateOf(found: FoundObject, published: DryRun | undefined): ComparedState {
  if (found.state === 'Missing') return 'missing';
  if (found.uid === '') return 'unreadable';
  return published === undefined || published.more !== undefined ? 'unknown' : 'same';
}

function objectsOf(found: readonly FoundObject[], published: DryRun | undefined): ComparedObject[] {
  const planned = new Map((published?.objects ?? []).map((change) => [inventoryId(change), change]));
  const known = found.map((object): ComparedObject => {
    const change = planned.get(inventoryId(object));
    planned.delete(inventoryId(object));
    const state = stateOf(object, published);
    // The dry run may be older.
    if (change !== undefined && state !== 'missing') return plannedObject(object, change);
    return comparedObject(object, state, { message: state === 'unreadable' ? object.message : '' });
  });
  return [...known, ...[...planned.values()].map((change) => plannedObject(change, change))];
}

/** The objects of a Kustomization, with what a dry run of it published. Throws why they cannot be read. */
export async function compareFiles(
  kustomization: Kustomization,
  { member }: Pick<ReachedChild, 'member'>,
  { host, signal }: Pick<Reader, 'host' | 'signal'>,
): Promise<LiveDiffFindings> {
  const targets = inventoryObjects(kustomization);
  if (targets === undefined) throw new Error(NOTHING);
  const asked = targets.slice(0, MOST_OBJECTS);
  const published = publishedOf(kustomization);
  const [note, more] = [noteOf(published), targets.length - asked.length];
  try {
    const found = await readObjects(member, asked, signal);
    return { objects: worstCompared(objectsOf(found, published)), more, note, problem: '' };
  } catch (error: unknown) {
    const unread = asked.map((target) => comparedObject(target, 'unreadable'));
    return { objects: unread, more, note, problem: problemOf(error, host) };
  }
}
