import { identityOf } from '#api/v1alpha1/pending.js';
import type { ApplicationStatus } from '#api/v1alpha1/application.js';
import type { DestinationState } from '#api/v1alpha1/conditions.js';
import { backendOf } from './backends/index.js';
import { currentCondition } from './current-condition.js';
import { byState, type Row, type ShownRow } from './rows.js';

/** States that are kept while a child is reconciled at its interval. */
const STEADY: readonly DestinationState[] = ['Ready', 'Failed'];

/**
 * The row in the old status. A row that was left out of a truncated list was no worse than the last listed one: it was
 * Ready if that was.
 */
function shownOf(row: Row, { destinations = [], truncated = false }: ApplicationStatus): ShownRow | undefined {
  const identity = identityOf(row);
  const shown = destinations.find((each) => identityOf(each) === identity);
  const last = truncated ? destinations.at(-1) : undefined;
  return shown ?? (last?.state === 'Ready' ? last : undefined);
}

function steadyRow(row: Row, before: ApplicationStatus): Row {
  const { child, state } = row;
  if (state !== 'Progressing' || child === undefined || !backendOf(child).isPeriodicReconcile(child)) return row;
  if (currentCondition(child, 'Ready')?.status !== 'Unknown') return row;
  const shown = shownOf(row, before);
  if (shown === undefined || !STEADY.includes(shown.state)) return row;
  return { ...row, state: shown.state, message: shown.message ?? row.message, isSteady: true };
}

/**
 * Keeps the old state and message of rows whose child is only reconciled at its interval: otherwise the status would
 * change twice at each interval. Never throws.
 */
export function steadyRows(rows: readonly Row[], before: ApplicationStatus | undefined): Row[] {
  return rows.map((row) => (before === undefined || !row.wanted ? row : steadyRow(row, before))).sort(byState);
}
