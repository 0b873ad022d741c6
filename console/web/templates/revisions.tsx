import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { TemplateRevisionView } from '#queries/views/template-view.js';
import type { RevisionAnswer } from '../../shared/template-item.js';
import { Shown, usePolled } from '../data/polled.js';
import { Differences } from './differences.js';
import { RevisionPreview } from './revision-preview.js';

interface RevisionsProps {
  /** Of the API of the template. */
  readonly path: string;
  /** The one that users get who ask for none. */
  readonly current: number;
}

function Changed({ path, revision }: { path: string; revision: number }) {
  const polled = usePolled<RevisionAnswer>(`${path}/revisions/${revision}`);
  return (
    <Shown polled={polled} what="what changed">
      {({ from, differences, moreDifferences }) => (
        <>
          {differences.length === 0 ? (
            <p>{from === 0 ? 'No revision before it is kept.' : `It is the same as revision ${from}.`}</p>
          ) : null}
          <Differences differences={differences} more={moreDifferences} />
        </>
      )}
    </Shown>
  );
}

interface FoldedProps {
  readonly title: string;
  readonly revision: number;
  readonly children: () => ComponentChildren;
}

/** Read once somebody wants to see it. */
function Folded({ title, revision, children }: FoldedProps) {
  const [isOpen, open] = useState(false);
  return (
    <>
      <button type="button" class="small" aria-expanded={isOpen} onClick={() => open(!isOpen)}>
        {title}
        <span class="unseen"> in revision {revision}</span>
      </button>
      {isOpen ? children() : null}
    </>
  );
}

function Revision({ path, item, current }: { path: string; item: TemplateRevisionView; current: number }) {
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
      <Folded title="What changed" revision={revision}>
        {() => <Changed path={path} revision={revision} />}
      </Folded>{' '}
      <Folded title="What it would do to its users" revision={revision}>
        {() => <RevisionPreview path={path} revision={revision} />}
      </Folded>
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
