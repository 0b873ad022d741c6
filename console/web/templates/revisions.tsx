import { useEffect, useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import type { PlannedChild } from '#queries/answers/plans.js';
import type { RevisionAnswer, TemplateRevisionView } from '#queries/answers/templates.js';
import {
  childWords,
  leftOutWords,
  pinnedWords,
  userWords,
  worstFirst,
  type PreviewedUser,
  type TemplatePreview,
} from './model/template-words.js';
import { wouldWords } from '../change/model/plan-words.js';
import { applicationPath } from '../navigation/model/place.js';
import { Link } from '../navigation/navigation.js';
import { Loading, ProblemNotice } from '../parts/notice.js';
import { Some } from '../parts/lists.js';
import { useAction } from '../change/use-action.js';
import { Shown, usePolled } from '../data/polled.js';

interface DifferencesProps {
  readonly differences: readonly { readonly path: string; readonly old?: unknown; readonly new?: unknown }[];
  /** Number of others. */
  readonly more: number;
}

const MOST_CHARACTERS = 2_000;

function valueText(value: unknown): string {
  const text = value === undefined ? '' : JSON.stringify(value);
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}

/** Fields with what they are before and after. */
function Differences({ differences, more }: DifferencesProps) {
  return (
    <>
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
      {more === 0 ? null : <p class="hint">and {more} more</p>}
    </>
  );
}

function Child({ child }: { child: PlannedChild }) {
  const { why, fields = [], moreFields = 0 } = child;
  return (
    <li class="message">
      <span class={wouldWords(child).meaning === 'bad' ? 'bad' : ''}>{childWords(child)}</span>
      {why === '' ? null : <span class="hint"> ({why})</span>}
      <Differences differences={fields} more={moreFields} />
    </li>
  );
}

function User({ user }: { user: PreviewedUser }) {
  const { application, children, problems } = user;
  const [namespace = '', name = ''] = application.split('/');
  return (
    <li>
      <h4>
        <Link to={applicationPath({ namespace, name })}>{application}</Link>
      </h4>
      {[userWords(user), pinnedWords(user)].map((words) =>
        words === '' ? null : (
          <p key={words} class="message">
            {words}
          </p>
        ),
      )}
      {problems.map(({ message }) => (
        <p key={message} class="bad message">
          {message}
        </p>
      ))}
      <Some items={worstFirst(children)}>
        {(child) => <Child key={`${child.cluster} ${child.name} ${child.release}`} child={child} />}
      </Some>
    </li>
  );
}

function Found({ preview }: { preview: TemplatePreview }) {
  const { users, problems } = preview;
  const rest = leftOutWords(preview);
  return (
    <>
      {problems.map(({ message }) => (
        <p key={message} class="banner message" role="alert">
          The template would be refused: {message}
        </p>
      ))}
      {users.length === 0 && problems.length === 0 && rest === '' ? <p>No Application uses it.</p> : null}
      <ul class="users">
        {users.map((user) => (
          <User key={user.application} user={user} />
        ))}
      </ul>
      {rest === '' ? null : <p class="hint">{rest}</p>}
    </>
  );
}

/** Shows how the Applications that use a template would change if they were at this revision. */
function RevisionPreview({ path, revision }: { path: string; revision: number }) {
  const { run, problem } = useAction<TemplatePreview>();
  const [preview, find] = useState<TemplatePreview | undefined>();
  useEffect(() => {
    void run(`${path}/preview`, { method: 'POST', body: { revision } }).then(find);
  }, []);
  if (problem !== undefined) return <ProblemNotice problem={problem} />;
  return preview === undefined ? <Loading what="what would change" /> : <Found preview={preview} />;
}

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
