import { Tick } from '../parts/fields.js';
import { useRef, useState } from 'preact/hooks';
import type { ReadApplication } from '../../shared/application-detail.js';
import { ChangeDialog } from '../change/change-dialog.js';
import { suspendCommands, syncCommands } from './model/action-commands.js';
import type { Change } from '../change/model/change.js';
import { OnDemand } from '../parts/on-demand.js';
import '../editor/editor.css';
import './history.css';
import { PlannedDialog } from './planned-dialog.js';
import type { ActionProps } from './view.js';

/** Asks for an action on this very Application: not on another one that has its name by the time of the click. */
export function useActionOn({ uid }: ReadApplication, path: string) {
  const seen = useRef(uid);
  return (action: string, body?: object): Change => ({
    ...{ method: 'POST', path: `${path}/${action}`, query: { uid: seen.current } },
    ...(body === undefined ? {} : { body }),
  });
}

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
