import { useState } from 'preact/hooks';
import { ChangeDialog, type ChangeDialogProps } from '../change/change-dialog.js';
import { Asked, useReady } from '../change/consent.js';
import { OnDemand } from '../parts/on-demand.js';
import '../editor/editor.css';
import './history.css';
import { usePlannedChange } from './use-planned-change.js';

async function loadPlan() {
  const { PlanView } = await import('../editor/plan-view.js');
  return PlanView;
}

interface PlannedDialogProps extends Omit<ChangeDialogProps, 'isComplete' | 'isStill'> {
  /** Typed for what would be uninstalled. */
  readonly name: string;
}

/** Says what the controller would do once it is done, and does it only if that was seen. */
export function PlannedDialog({ name, children, ...dialog }: PlannedDialogProps) {
  const { change, label } = dialog;
  const { plan, isChanged, isStill } = usePlannedChange(change);
  const { isReady, isDangerous, asked } = useReady(plan, { name, deed: label, change: JSON.stringify(change) });
  const [isDrawn, setDrawn] = useState(false);
  const load = async () => {
    const PlanView = await loadPlan();
    setDrawn(true);
    return PlanView;
  };
  return (
    <ChangeDialog
      {...dialog}
      isComplete={isReady && isDrawn}
      isStill={isStill}
      isDangerous={isDangerous || dialog.isDangerous === true}
    >
      {children}
      <div class="planned">
        <div class="reserved" role="region" aria-label="What the controller would do" tabIndex={0}>
          <OnDemand load={load} props={{ plan, isChanged }} what="what the controller would do" />
        </div>
        <Asked {...asked} />
      </div>
    </ChangeDialog>
  );
}
