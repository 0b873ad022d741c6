import { useState } from 'preact/hooks';
import type { PlanView } from '#queries/answers/plans.js';
import { urlOf, type Change } from '../change/model/change.js';
import { inOneText, onceProblemOf } from '../data/model/problem.js';
import { PREVIEW_MS, request } from '../data/request.js';
import { usePlanAnswer, type PlanAnswer } from '../change/use-plan-answer.js';
import { ChangeDialog, type ChangeDialogProps } from '../change/change-dialog.js';
import { Asked, useReady } from '../change/consent.js';
import { OnDemand } from '../parts/on-demand.js';
import '../editor/editor.css';
import './history.css';

const NO_ANSWER = 'The server does not answer.';

async function planOf(change: Change, signal: AbortSignal): Promise<PlanAnswer<PlanView>> {
  const { path, body } = change;
  const options = { method: 'POST', signal, exact: true, limitMs: PREVIEW_MS, ...(body === undefined ? {} : { body }) };
  const answer = await request<PlanView>(urlOf({ ...change, path: `${path}/preview` }, false), options);
  if (answer === undefined) return { unknown: NO_ANSWER };
  if ('value' in answer) return { found: answer.value };
  const problem = onceProblemOf(answer.failure);
  if (problem.kind === 'login') return { login: problem };
  return { unknown: inOneText(problem) };
}

interface PlannedDialogProps extends Omit<ChangeDialogProps, 'isComplete' | 'isStill'> {
  /** Typed for what would be uninstalled. */
  readonly name: string;
}

/** Says what the controller would do once it is done, and does it only if that was seen. */
export function PlannedDialog({ name, children, ...dialog }: PlannedDialogProps) {
  const { change, label } = dialog;
  const key = JSON.stringify(change);
  // It is asked for again whenever it is another change.
  const { plan, isChanged, isStill } = usePlanAnswer((signal) => planOf(change, signal), [key]);
  const { isReady, isDangerous, asked } = useReady(plan, { name, deed: label, change: key });
  const [isDrawn, setDrawn] = useState(false);
  const load = async () => {
    const { PlanView } = await import('../editor/plan-view.js');
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
