import { useRef, useState } from 'preact/hooks';
import { NEEDS_APPROVAL } from '#api/v1alpha1/approve-command.js';
import { Tick } from '../parts/fields.js';
import { ChangeDialog } from '../change/change-dialog.js';
import { suspendCommands, syncCommands, removalsCommands } from './model/action-commands.js';
import { OnDemand } from '../parts/on-demand.js';
import { PlannedDialog } from './planned-dialog.js';
import { type ActionProps, useActionOn } from './view.js';
import { DestinationList } from './destination-list.js';
import { CommandList } from '../parts/command-list.js';
import { saveTemplateCommands } from '../parts/model/commands.js';
import '../editor/editor.css';
import './history.css';

const loadPlan = () => import('./planned-now.js').then(({ PlannedNow }) => PlannedNow);

export function SyncDialog({ detail, path, close }: ActionProps) {
  const [force, setForce] = useState(false);
  const [reset, setReset] = useState(false);
  const change = useActionOn(detail, path)('sync', { force, reset });
  const commands = syncCommands(detail, { force, reset });
  return (
    <ChangeDialog title={`Sync ${detail.name}`} label="Sync" commands={commands} {...{ change, close }}>
      <Tick
        label="Force"
        hint="Each release is installed or upgraded, even if nothing changed."
        value={force}
        set={setForce}
      />
      <Tick label="Reset failures" hint="The failures so far do not count." value={reset} set={setReset} />
      <div class="reserved" role="region" aria-label="What the controller would do" tabIndex={0}>
        <OnDemand load={loadPlan} props={{ path }} what="what the controller would do" />
      </div>
    </ChangeDialog>
  );
}

export function SuspendDialog({ detail, path, close }: ActionProps) {
  const change = useActionOn(detail, path)('suspend');
  return (
    <ChangeDialog
      title={`Suspend ${detail.name}`}
      label="Suspend"
      commands={suspendCommands(detail, 'suspend')}
      {...{ change, close }}
    />
  );
}

export function ResumeDialog({ detail, path, close }: ActionProps) {
  const change = useActionOn(detail, path)('resume');
  return (
    <PlannedDialog
      name={detail.name}
      title={`Resume ${detail.name}`}
      label="Resume"
      commands={suspendCommands(detail, 'resume')}
      {...{ change, close }}
    />
  );
}

/** Approves what it shows: if other removals wait by then, the server refuses. */
export function RemovalsDialog({ detail, path, close }: ActionProps) {
  // The approval is of what was seen, whatever is read meanwhile.
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

/** By the label that the controller looks for: the template follows the Application. */
export function SaveTemplateDialog({ detail, path, close }: ActionProps) {
  const change = useActionOn(detail, path)('save-template');
  return (
    <ChangeDialog title={`Save ${detail.name} as a template`} label="Save as a template" {...{ change, close }}>
      <p>
        The template has the source and the chart of this Application, or its files, and its interval and timeout.
        Values and destinations are not saved. It is not shared with other namespaces until somebody shares it.
      </p>
      <CommandList commands={saveTemplateCommands(detail)} />
    </ChangeDialog>
  );
}

/** The template stays as it is. */
export function ReleaseTemplateDialog({ detail, path, close }: ActionProps) {
  const change = useActionOn(detail, path)('save-template/release');
  return (
    <ChangeDialog title={`Stop saving ${detail.name} as a template`} label="Stop saving" {...{ change, close }}>
      <p>The template and those who use it stay, and changes of this Application do not reach it any more.</p>
      <CommandList commands={saveTemplateCommands(detail)} />
    </ChangeDialog>
  );
}
