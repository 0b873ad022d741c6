import { useState } from 'preact/hooks';
import type { Page } from '../../shared/page-query.js';
import type { TemplateUser } from '../../shared/template-item.js';
import { applicationPath } from '../navigation/model/place.js';
import { Link } from '../navigation/navigation.js';
import { Pager } from '../parts/lists.js';
import { Shown, usePolled } from '../data/polled.js';
import { State } from '../parts/state.js';

interface UsersAnswer extends Page<TemplateUser> {
  /** How many more there are, which the user may not list. */
  readonly hidden: number;
}

const LIMIT = 20;

function User({ user: { namespace, name, state, templateRevisions } }: { user: TemplateUser }) {
  return (
    <li>
      <Link to={applicationPath({ namespace, name })}>
        <span class="of">{namespace}/</span>
        {name}
      </Link>{' '}
      <State state={state} />{' '}
      <span class="hint">{templateRevisions.length === 0 ? '' : `revision ${templateRevisions.join(', ')}`}</span>
    </li>
  );
}

function hiddenWords(hidden: number): string {
  return hidden === 1
    ? 'One more is in a namespace that you may not see.'
    : `${hidden} more are in namespaces that you may not see.`;
}

/** The Applications that use a template, as far as the user may see them. */
export function Users({ path }: { path: string }) {
  const [page, ask] = useState(1);
  const polled = usePolled<UsersAnswer>(`${path}/users?sort=state&limit=${LIMIT}&page=${page}`, () => true);
  return (
    <section aria-labelledby="users">
      <h2 id="users">Applications that use it</h2>
      <Shown polled={polled} what="the Applications">
        {({ items, total, hidden }) => (
          <>
            {total + hidden === 0 ? <p>None does.</p> : null}
            <ul class="users">
              {items.map((user) => (
                <User key={user.uid} user={user} />
              ))}
            </ul>
            {hidden === 0 ? null : <p class="hint">{hiddenWords(hidden)}</p>}
            <Pager page={page} limit={LIMIT} total={total} ask={ask} />
          </>
        )}
      </Shown>
    </section>
  );
}
