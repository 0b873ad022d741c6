import { useState } from 'preact/hooks';
import type { RevisionAnswer } from '#console/server/model/template-item.js';
import type { TemplateRevisionView } from '#controllers/read-model/template-view.js';
import { Shown } from '../shown.js';
import { usePolled } from '../use-polled.js';

interface RevisionsProps {
  /** Of the API of the template. */
  readonly path: string;
  /** The one that users get who ask for none. */
  readonly current: number;
}

function valueText(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value);
}

function Differences({ path, revision }: { path: string; revision: number }) {
  const polled = usePolled<RevisionAnswer>(`${path}/revisions/${revision}`);
  return (
    <Shown polled={polled} what="what changed">
      {({ from, differences, moreDifferences }) => (
        <>
          {differences.length === 0 ? (
            <p>{from === 0 ? 'No revision before it is kept.' : `It is the same as revision ${from}.`}</p>
          ) : null}
          <dl class="differences">
            {differences.map((difference) => (
              <div key={difference.path}>
                <dt>
                  <code>{difference.path}</code>
                </dt>
                <dd class="bad">
                  <span aria-hidden="true">−</span> <span class="unseen">before: </span>
                  {valueText(difference.old)}
                </dd>
                <dd class="good">
                  <span aria-hidden="true">+</span> <span class="unseen">now: </span>
                  {valueText(difference.new)}
                </dd>
              </div>
            ))}
          </dl>
          {moreDifferences === 0 ? null : <p class="hint">and {moreDifferences} more</p>}
        </>
      )}
    </Shown>
  );
}

function Revision({ path, item, current }: { path: string; item: TemplateRevisionView; current: number }) {
  const [isOpen, open] = useState(false);
  const { revision, createdAt, changes, usedBy } = item;
  return (
    <li>
      <h3>
        Revision {revision}
        {revision === current ? ', the current one' : ''}
      </h3>
      <p class="hint">
        {createdAt === '' ? '' : `${new Date(createdAt).toLocaleString()} · `}
        {usedBy.length === 0 ? 'no user that you may see' : `used by ${usedBy.length} that you may see`}
      </p>
      {changes.length === 0 ? null : <p>Changed: {changes.join(', ')}</p>}
      <button type="button" class="small" aria-expanded={isOpen} onClick={() => open(!isOpen)}>
        What changed<span class="unseen"> in revision {revision}</span>
      </button>
      {isOpen ? <Differences path={path} revision={revision} /> : null}
    </li>
  );
}

/** What a template was, and what each revision changed. */
export function Revisions({ path, current }: RevisionsProps) {
  const polled = usePolled<{ items: readonly TemplateRevisionView[] }>(`${path}/revisions`);
  return (
    <section aria-labelledby="revisions">
      <h2 id="revisions">Revisions, newest first</h2>
      <Shown polled={polled} what="the revisions">
        {({ items }) => (
          <>
            {items.length === 0 ? <p>None is kept.</p> : null}
            <ol class="cards">
              {items.map((item) => (
                <Revision key={item.revision} {...{ path, item, current }} />
              ))}
            </ol>
          </>
        )}
      </Shown>
    </section>
  );
}
