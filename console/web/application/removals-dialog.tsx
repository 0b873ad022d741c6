import { useRef } from 'preact/hooks';
import { NEEDS_APPROVAL } from '#api/v1alpha1/approve-command.js';
import { removalsCommands } from './model/action-commands.js';
import { DestinationList } from './destination-list.js';
import { PlannedDialog } from './planned-dialog.js';
import { useActionOn } from './sync-dialog.js';
import type { ActionProps } from './view.js';

/** Approves what it shows: if other removals wait by then, the server refuses. */
export function RemovalsDialog({ detail, path, close }: ActionProps) {
  // What was seen is approved, whatever is read meanwhile.
  const { approval, removals = {}, destinations, name } = useRef(detail).current;
  const rows = destinations.filter(({ message }) => message.includes(NEEDS_APPROVAL));
  const { held = rows.length, clusters = [], truncated = false } = removals;
  const others = held - rows.length;
  const change = useActionOn(detail, path)('approve-removals', { approval });
  const commands = removalsCommands(detail, approval);
  return (
    <PlannedDialog
      name={name}
      title={`Approve removals of ${name}`}
      label="Approve removals"
      isDangerous
      {...{ commands, change, close }}
    >
      <p>
        <strong>
          {held} {held === 1 ? 'release' : 'releases'}
        </strong>{' '}
        would be removed, because no entry is for them any more: {clusters.join(', ')}
        {truncated ? ' and more' : ''}.
      </p>
      <DestinationList destinations={rows} what="What would be removed" />
      {others > 0 ? <p>{others} more are not in the status, which lists only some.</p> : null}
    </PlannedDialog>
  );
}
