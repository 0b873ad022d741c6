import { useMemo, useState } from 'preact/hooks';
import { plannedByFate, type Fate } from '#queries/views/planned-view.js';
import type { PlanView as View, PlannedChild } from '#queries/answers/plans.js';
import { printYaml } from '#lib/yaml/yaml.js';
import { ChangedFields } from '../change/changed-fields.js';
import type { Plan } from '../change/consent.js';
import { clustersOf, fateWords, fieldWords, placeWords } from '../change/model/plan-words.js';
import { Banners, Loading } from '../parts/notice.js';
import { Some } from '../parts/lists.js';
import { Mark } from '../parts/state.js';
import { clusterName } from '../parts/model/destinations.js';

/** Printed once somebody wants to see it. */
function Made({ object, of }: { object: object; of: string }) {
  const [isOpen, open] = useState(false);
  const yaml = useMemo(() => (isOpen ? printYaml(object) : ''), [isOpen, object]);
  return (
    <details onToggle={(event) => open(event.currentTarget.open)}>
      <summary>What is created</summary>
      <pre class="applied" tabIndex={0} role="region" aria-label={`What is created: ${of}`}>
        {yaml}
      </pre>
    </details>
  );
}

function Child({ child }: { child: PlannedChild }) {
  const { cluster, kind, why, object, problems = [], fields = [], moreFields = 0 } = child;
  const place = placeWords(child);
  return (
    <li>
      <strong>{clusterName(cluster)}</strong> {place} <span class="hint">{kind}</span>
      <span class="message why">{why}</span>
      <Banners texts={problems} title="Problem" />
      <ChangedFields fields={fields.map(fieldWords)} more={moreFields} />
      {object === undefined ? null : <Made object={object} of={`${place} on ${clusterName(cluster)}`} />}
    </li>
  );
}

/** Those that nothing happens to are folded; what waits may be about to happen. */
const QUIET: Fate = 'keep';

function Group({ fate, children }: { fate: Fate; children: readonly PlannedChild[] }) {
  const { title, hint, meaning } = fateWords(fate, children);
  const list = (
    <Some items={children}>
      {(child) => <Child key={`${child.kind} ${child.name} ${child.entry} ${child.cluster}`} child={child} />}
    </Some>
  );
  if (fate === QUIET) {
    return (
      <details class="fate">
        <summary>
          <Mark meaning={meaning} text={title} />
        </summary>
        {list}
      </details>
    );
  }
  return (
    <section class={`fate ${fate}`}>
      <h3>
        <Mark meaning={meaning} text={title} />
      </h3>
      <p class="hint">
        {hint} On {clustersOf(children)}.
      </p>
      {list}
    </section>
  );
}

/** What a plan would do, the worst first. */
export function FoundPlan({ plan: { problems, children, notes } }: { plan: View }) {
  return (
    <>
      {problems.length === 0 ? null : (
        <div class="banner" role="alert">
          <p>
            <strong>The controller would refuse this</strong> ({problems.length}); what already runs there stays:
          </p>
          <Some items={problems}>
            {({ field, message }) => (
              <li key={message} class="message">
                {field === '' || message.startsWith(field) ? null : <code>{field} </code>}
                {message}
              </li>
            )}
          </Some>
        </div>
      )}
      {children.length === 0 && problems.length === 0 ? <p>It would create, change and delete nothing.</p> : null}
      {plannedByFate(children).map(([fate, found]) => (
        <Group key={fate} fate={fate} children={found} />
      ))}
      {notes.map((note) => (
        <p key={note} class="hint message">
          {note}
        </p>
      ))}
    </>
  );
}

interface PlanViewProps {
  readonly plan: Plan;
  /** It was another one when it was about to be carried out. */
  readonly isChanged: boolean;
}

/** What the change would delete, change and create on each cluster, the worst first. */
export function PlanView({ plan: { found, unknown, again }, isChanged }: PlanViewProps) {
  if (found !== undefined) {
    return (
      <>
        {isChanged ? (
          <p class="banner" role="alert">
            It changed since you opened this: check again what the controller would do.
          </p>
        ) : null}
        <FoundPlan plan={found} />
      </>
    );
  }
  if (unknown === undefined) return <Loading what="what it would create, change and delete" />;
  return (
    <div class="banner" role="alert">
      <p>
        <strong>Nobody can say what this would create, change and delete.</strong>{' '}
        <span class="message">{unknown}</span>
      </p>
      <button type="button" onClick={again}>
        Ask again
      </button>
    </div>
  );
}
