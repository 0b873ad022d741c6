import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { PlainMap } from '#lib/plain.js';
import type { PlannedApplication } from '#queries/answers/plans.js';
import { CommandList } from '../parts/command-list.js';
import { Asked, useReady } from '../change/consent.js';
import { EDITOR_COMMANDS } from '../model/editor-commands.js';
import { inOneText } from '../data/model/problem.js';
import type { FieldProblem } from './model/refusal.js';
import { storedOtherwise, type StoredOtherwise, sizeWords } from './model/application-text.js';
import { useSay } from '../parts/said.js';
import { Mark } from '../parts/state.js';
import { type PlanAnswer, type PlanAsked, usePlanAnswer } from '../change/use-plan-answer.js';
import { useGone, useStill } from '../change/use-action.js';
import { PlanView } from './plan-view.js';
import { preview, type Sent, type Target } from './send.js';
import type { Accepted, Review, UseReview } from './use-review.js';

const CHANGED = 'Somebody changed the Application meanwhile. Go back to the form and check it again.';

function unknownOf(sent: Exclude<Sent<never>, { answer: never }>): string {
  if ('theirs' in sent) return CHANGED;
  return 'refused' in sent ? sent.refused.text : inOneText(sent.problem);
}

async function answerTo(target: Target, value: PlainMap, signal: AbortSignal): Promise<PlanAnswer<PlannedApplication>> {
  const sent = await preview(target, value, signal);
  if ('answer' in sent) return { found: sent.answer };
  if ('problem' in sent && sent.problem.kind === 'login') return { login: sent.problem };
  return { unknown: unknownOf(sent) };
}

/** Asks what the controller would do of what the API server accepted. */
function usePlan({ value, answer, base }: Accepted): PlanAsked<PlannedApplication> {
  const { namespace, name } = answer;
  // The answer has the new spec: compared with that, a new status would look like somebody's change.
  const target: Target = { namespace, name, base };
  return usePlanAnswer((signal) => answerTo(target, value, signal), [value, answer]);
}

interface ReviewViewProps {
  readonly review: UseReview;
  readonly accepted: NonNullable<Review['accepted']>;
  readonly text: string;
  readonly save: () => void;
  /** To the form, with what the controller would refuse. */
  readonly back: (problems: readonly FieldProblem[]) => void;
}

const MOST = 20;

function Otherwise({ fields }: { fields: readonly StoredOtherwise[] }) {
  if (fields.length === 0) return null;
  return (
    <div class="banner" role="alert">
      <p>The API server would not store this as you wrote it ({fields.length}):</p>
      <ul>
        {fields.slice(0, MOST).map(({ field, stored }) => (
          <li key={field}>
            <code>{field}</code> {stored === '' ? 'would be dropped: it does not know the field' : `would be ${stored}`}
          </li>
        ))}
      </ul>
    </div>
  );
}

const VERBS = { create: 'Create the Application', save: 'Save the changes', uninstall: 'Save and uninstall' };

function verbOf(isNew: boolean, loss: string | undefined): string {
  if (loss !== undefined) return VERBS.uninstall;
  return isNew ? VERBS.create : VERBS.save;
}

interface ButtonsProps {
  readonly verb: string;
  readonly isDangerous: boolean;
  readonly isWriting: boolean;
  readonly canSave: boolean;
  readonly take: () => Promise<void>;
  readonly back: () => void;
}

function Buttons({ verb, isDangerous, isWriting, canSave, take, back }: ButtonsProps) {
  return (
    <p class="buttons">
      <button
        type="button"
        class={isDangerous ? 'danger' : 'main'}
        aria-disabled={canSave ? undefined : 'true'}
        onClick={() => void take()}
      >
        {isWriting ? 'Writing …' : verb}
      </button>
      <button type="button" disabled={isWriting} onClick={back}>
        Back to the form
      </button>
    </p>
  );
}

/** What will be written, what the API server says of it, and what the controller would do then. */
export function ReviewView({ review, accepted, text, save, back }: ReviewViewProps) {
  const { isBusy } = review;
  const { value, answer, base } = accepted;
  const isNew = base === undefined;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const otherwise = useMemo(() => storedOtherwise(value['spec'], answer.spec, ['spec']), [accepted]);
  const tooLong = useMemo(() => sizeWords(value), [accepted]);
  const { plan, isChanged, isStill } = usePlan(accepted);
  // A dry run of a new one has another UID each time, and so another plan.
  const [isAsking, still] = useStill(isNew ? undefined : isStill);
  const { isReady, isDangerous, asked } = useReady(plan, { name: answer.name, deed: 'Save it' });
  const say = useSay();
  const isGone = useGone();
  const isWriting = isBusy || isAsking;
  const canSave = isReady && !isWriting;
  const take = async (): Promise<void> => {
    if (!canSave) return;
    if (await still()) save();
    else if (isGone.current)
      say(`${answer.namespace}/${answer.name}: nothing was saved, as you left while it was checked.`);
  };
  return (
    <section class="review" aria-labelledby="review">
      <h2 id="review" ref={heading} tabIndex={-1}>
        What this will do
      </h2>
      <p>
        <Mark meaning="good" text="The API server accepts it." /> Nothing is written yet.
      </p>
      {tooLong === '' ? null : (
        <p class="banner" role="alert">
          {tooLong}
        </p>
      )}
      <Otherwise fields={otherwise} />
      <PlanView {...{ plan, isChanged }} />
      <h3 id="applied">The YAML that is applied</h3>
      <pre class="applied" tabIndex={0} role="region" aria-labelledby="applied">
        {text}
      </pre>
      <Asked {...asked} />
      <Buttons
        verb={verbOf(isNew, asked.loss)}
        back={() => back(plan.found?.problems ?? [])}
        {...{ isDangerous, isWriting, canSave, take }}
      />
      <CommandList commands={EDITOR_COMMANDS} />
    </section>
  );
}
