import { useEffect, useState } from 'preact/hooks';
import type { ApplicationDetail } from '#console/server/model/application-detail.js';
import type { PlannedApplication } from '#controllers/read-model/planned-view.js';
import type { PlainMap } from '#controllers/runtime/pure/plain.js';
import type { Plan } from '../consent.js';
import { useSession } from '../session.js';
import { preview, type Sent, type Target } from './send.js';

const CHANGED = 'Somebody changed the Application meanwhile. Go back to the form and check it again.';

function unknownOf(sent: Exclude<Sent<never>, { answer: never }>): string {
  if ('theirs' in sent) return CHANGED;
  return 'refused' in sent ? sent.refused.text : sent.problem.text;
}

interface Accepted {
  readonly value: PlainMap;
  readonly answer: ApplicationDetail;
}

/** Asks what the controller would do of what the API server accepted. */
export function usePlan({ value, answer }: Accepted, isNew: boolean): Plan<PlannedApplication> {
  const { end, epoch } = useSession();
  const [plan, set] = useState<Omit<Plan<PlannedApplication>, 'again'>>({});
  const [round, setRound] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    set({});
    const { namespace, name } = answer;
    const target: Target = isNew ? { namespace, name } : { namespace, name, base: answer };
    void preview(target, value, stop.signal).then((sent) => {
      if (stop.signal.aborted) return;
      if ('answer' in sent) set({ found: sent.answer });
      else if ('problem' in sent && sent.problem.kind === 'login') end(sent.problem);
      else set({ unknown: unknownOf(sent) });
    });
    return () => stop.abort();
  }, [value, answer, isNew, round, epoch]);
  return { ...plan, again: () => setRound(round + 1) };
}
