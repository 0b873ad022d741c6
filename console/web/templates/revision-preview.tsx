import { useEffect, useState } from 'preact/hooks';
import type { PlannedChild } from '#queries/views/planned-view.js';
import {
  childWords,
  leftOutWords,
  pinnedWords,
  userWords,
  worstFirst,
  type PreviewedUser,
  type TemplatePreview,
} from './model/template-preview-words.js';
import { wouldWords } from '../change/model/plan-words.js';
import { applicationPath } from '../navigation/model/place.js';
import { Link } from '../navigation/navigation.js';
import { Loading, ProblemNotice } from '../parts/notice.js';
import { Some } from '../parts/lists.js';
import { useAction } from '../change/use-action.js';
import { Differences } from './differences.js';

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

/** What would become of the Applications that use a template, if they were at this revision. */
export function RevisionPreview({ path, revision }: { path: string; revision: number }) {
  const { run, problem } = useAction<TemplatePreview>();
  const [preview, find] = useState<TemplatePreview | undefined>();
  useEffect(() => {
    void run(`${path}/preview`, { method: 'POST', body: { revision } }).then(find);
  }, []);
  if (problem !== undefined) return <ProblemNotice problem={problem} />;
  return preview === undefined ? <Loading what="what would change" /> : <Found preview={preview} />;
}
