import type { PlanView } from '#queries/answers/plans.js';
import { FoundPlan } from '../editor/plan-view.js';
import { ReadHead, ReadValue, useReads } from '../data/reads.js';
import { Some } from '../parts/lists.js';
import { clusterName } from '../parts/model/destinations.js';

interface Answer extends PlanView {
  /** What the engine says of children. */
  readonly published: readonly {
    readonly kind: string;
    readonly name: string;
    readonly cluster: string;
    readonly drift?: string;
  }[];
}

/** Children that are not as they were applied, as their status says. */
function Drifted({ published }: Pick<Answer, 'published'>) {
  const drifted = published.filter(({ drift }) => drift !== undefined);
  if (drifted.length === 0) return null;
  return (
    <div class="fate">
      <h3>What the engine found on the clusters</h3>
      <Some items={drifted}>
        {({ kind, name, cluster, drift }) => (
          <li key={`${kind} ${name}`}>
            <strong>{clusterName(cluster)}</strong> {name} <span class="hint">{kind}</span>
            <span class="message why">{drift}</span>
          </li>
        )}
      </Some>
    </div>
  );
}

/** What a reconciliation would do now. */
export function PlannedNow({ path }: { path: string }) {
  const url = `${path}/diff`;
  const reads = useReads<Answer>([url]);
  const read = reads.of(url);
  return (
    <>
      <ReadHead read={read} what="what the controller would do" again={() => reads.again(url)} />
      <ReadValue read={read} what="what the controller would do">
        {(answer) => (
          <>
            <FoundPlan plan={answer} />
            <Drifted published={answer.published} />
          </>
        )}
      </ReadValue>
    </>
  );
}
