import { useEffect, useMemo, useRef } from 'preact/hooks';
import { CommandList } from '../command-list.js';
import { EDITOR_COMMANDS } from '../model/editor-commands.js';
import { storedOtherwise, type StoredOtherwise } from '../model/stored-otherwise.js';
import { Mark } from '../state.js';
import type { UseReview } from './use-review.js';

interface ReviewViewProps {
  readonly review: UseReview;
  readonly text: string;
  readonly verb: string;
  readonly save: () => void;
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

/** What will be written, and what the API server says of it. */
export function ReviewView({ review, text, verb, save }: ReviewViewProps) {
  const { accepted, isBusy } = review;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const otherwise = useMemo(
    () => storedOtherwise(accepted?.value['spec'], accepted?.answer.spec, ['spec']),
    [accepted],
  );
  if (accepted === undefined) return null;
  return (
    <section aria-labelledby="review">
      <h2 id="review" ref={heading} tabIndex={-1}>
        What this will do
      </h2>
      <p>
        <Mark meaning="good" text="The API server accepts it." /> Nothing is written yet.
      </p>
      <Otherwise fields={otherwise} />
      <h3 id="applied">The YAML that is applied</h3>
      <pre class="applied" tabIndex={0} role="region" aria-labelledby="applied">
        {text}
      </pre>
      <p class="buttons">
        <button type="button" class="main" disabled={isBusy} onClick={save}>
          {isBusy ? 'Writing …' : verb}
        </button>
        <button type="button" disabled={isBusy} onClick={review.forget}>
          Back to the form
        </button>
      </p>
      <CommandList commands={EDITOR_COMMANDS} />
    </section>
  );
}
