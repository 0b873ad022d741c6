import { identityOf } from '#api/v1alpha1/pending.js';
import groupBy from 'lodash/groupBy.js';
import type { ApplicationStatus } from '#api/v1alpha1/application.js';
import type { DestinationState } from '#api/v1alpha1/conditions.js';
import { listed } from '../../runtime/pure/listed.js';
import type { StatusInput } from './conditions.js';
import { type Row, type ShownRow } from './rows.js';
import { conditionEvents, type NewEvent } from './events.js';

/** States that need attention. */
const BAD: readonly DestinationState[] = ['Unreachable', 'Stalled', 'Failed', 'Drifted'];
/** Of more destinations only the number is given. */
const NAMED_ROWS = 5;

type Seen = Pick<StatusInput, 'rows' | 'violation' | 'held' | 'removals'>;

function namesOf(rows: readonly Row[]): string {
  return listed(
    rows.map(({ name }) => name),
    NAMED_ROWS,
  );
}

function isNewState({ state }: Row, before: DestinationState | undefined): boolean {
  if (before === undefined || before === state) return false;
  return state === 'Ready' || BAD.includes(state);
}

/** One event for all rows with the same new state and message. */
function rowsEvent(rows: readonly [Row, ...Row[]]): NewEvent {
  const [{ state, message }] = rows;
  const be = rows.length === 1 ? 'is' : 'are';
  if (state === 'Ready') return { type: 'Normal', reason: 'DestinationReady', message: `${namesOf(rows)} ${be} ready` };
  return { type: 'Warning', reason: `Destination${state}`, message: `${namesOf(rows)} ${be} ${state}: ${message}` };
}

/** Events for rows whose listed state changed to Ready or to a bad one. */
function rowEvents(before: readonly ShownRow[], rows: readonly Row[]): NewEvent[] {
  const states = new Map(before.map((row) => [identityOf(row), row.state]));
  const news = rows.filter((row) => isNewState(row, states.get(identityOf(row))));
  const groups = groupBy(news, ({ state, message }) => (state === 'Ready' ? state : `${state} ${message}`));
  // A group has at least the row that made it.
  return Object.values(groups).map((group) => rowsEvent(group as [Row, ...Row[]]));
}

/**
 * Events for unwanted children that are left unchanged, unless the old status reported them. If the Application is
 * invalid as a whole, Ready reports that instead.
 */
function sparedEvents(before: ApplicationStatus | undefined, { rows, violation }: Seen): NewEvent[] {
  if (violation !== undefined) return [];
  // A truncated status may have left them out.
  if (before?.truncated !== undefined) return [];
  const told = new Map((before?.destinations ?? []).map((row) => [identityOf(row), row.message]));
  const spared = rows?.unwanted.filter(({ state }) => state !== 'Deleting') ?? [];
  const [first, ...others] = spared.filter((row) => told.get(identityOf(row)) !== row.message);
  if (first === undefined) return [];
  const more = others.length === 0 ? '' : `; and ${others.length} more like it`;
  return [{ type: 'Warning', reason: 'Spared', message: `${first.message}${more}` }];
}

/** An event for each set of removals that waits for an approval. */
function heldEvents(before: ApplicationStatus | undefined, { held, removals }: Seen): NewEvent[] {
  if (held === undefined || removals?.approval === before?.removals?.approval) return [];
  return [{ type: 'Warning', reason: 'RemovalsHeld', message: held.message }];
}

/**
 * Events about a new status: that Ready changed, or otherwise which destinations became ready or failed. Destinations
 * that the old status did not list are skipped; rows undefined: none was observed.
 */
export function statusEvents(before: ApplicationStatus | undefined, seen: Seen, after: ApplicationStatus): NewEvent[] {
  const whole = conditionEvents(before?.conditions ?? [], after.conditions ?? []);
  const others = whole.length > 0 ? [] : rowEvents(before?.destinations ?? [], seen.rows?.wanted ?? []);
  return [...whole, ...others, ...sparedEvents(before, seen), ...heldEvents(before, seen)];
}
