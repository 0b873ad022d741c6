import { useMemo, useState } from 'preact/hooks';
import { schemaFields } from '../model/schema-fields.js';
import type { Page } from '../../shared/page-query.js';
import type { ReadTemplate, TemplateUser } from '#queries/answers/templates.js';
import { applicationPath, pathTo } from '../navigation/model/place.js';
import { Link, type PageProps, useTitle } from '../navigation/navigation.js';
import { Pager, Facts } from '../parts/lists.js';
import { Shown, usePolled } from '../data/polled.js';
import { State } from '../parts/state.js';
import { CommandList } from '../parts/command-list.js';
import { templateCommands } from '../parts/model/commands.js';
import { templateApiPath } from './model/template-query.js';
import { OnDemand } from '../parts/on-demand.js';
import { Revisions } from './revisions.js';
import { Sharing } from './sharing.js';
import { chartText, sharedText } from './model/template-words.js';

/** Shows in words which values a JSON schema allows. */
function SchemaTable({ schema }: { schema: unknown }) {
  const { fields, isCut } = useMemo(() => schemaFields(schema), [schema]);
  if (fields.length === 0) return <p>The schema names no values.</p>;
  return (
    <>
      <dl class="schema">
        {fields.map(({ path, type, isRequired, description, fallback }, index) => (
          <div key={`${index} ${path}`}>
            <dt>
              <code>{path}</code> <span class="hint">{isRequired ? `${type}, required` : type}</span>
            </dt>
            <dd>
              {description}
              {fallback === '' ? null : (
                <>
                  {' '}
                  Default: <code>{fallback}</code>
                </>
              )}
            </dd>
          </div>
        ))}
      </dl>
      {isCut ? <p class="hint">The schema has more: the field valuesSchema of the template has all of it.</p> : null}
    </>
  );
}

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
function Users({ path }: { path: string }) {
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

/** Any value as YAML; who has no mouse can scroll it, too. What prints it is loaded with it. */
async function loadYaml() {
  const { printYaml } = await import('#lib/yaml/yaml.js');
  return function YamlOf({ value, label }: { value: unknown; label: string }) {
    return (
      <pre class="yaml-of" role="region" aria-label={label} tabIndex={0}>
        {printYaml(value)}
      </pre>
    );
  };
}

function Values({ spec }: Pick<ReadTemplate, 'spec'>) {
  const { values, valuesSchema } = { values: undefined, valuesSchema: undefined, ...spec };
  return (
    <>
      {values === undefined ? null : (
        <section aria-labelledby="values">
          <h2 id="values">Default values</h2>
          <OnDemand load={loadYaml} props={{ value: values, label: 'Default values as YAML' }} what="the values" />
        </section>
      )}
      {valuesSchema === undefined ? null : (
        <section aria-labelledby="schema">
          <h2 id="schema">Values that it takes</h2>
          <SchemaTable schema={valuesSchema} />
        </section>
      )}
    </>
  );
}

function Detail({ template, path }: { template: ReadTemplate; path: string }) {
  const { kind, namespace, name, state, message, revision, chartVersion, source, usedBy, savedBy } = template;
  return (
    <>
      <p class="headline">
        <State state={state} /> {state === 'Ready' ? null : <span class="message">{message}</span>}
      </p>
      <Facts
        facts={{
          ...chartText(template),
          'Version that runs': chartVersion,
          Source: source,
          Revision: revision === 0 ? 'none is valid yet' : String(revision),
          'Used by': String(usedBy),
          'Shared with': sharedText(template),
          'Follows the Application': savedBy,
        }}
      />
      <p>
        <Link to={pathTo('useTemplate', { namespace, kind, name })}>Use it for a new Application</Link>
      </p>
      <Users path={path} />
      <Sharing {...{ template, path }} />
      <Revisions path={path} current={revision} />
      <Values spec={template.spec} />
      <CommandList commands={templateCommands({ namespace, kind, name, revision })} />
    </>
  );
}

/** One template with its users and its revisions. */
export function TemplatePage({ params }: PageProps) {
  const { namespace = '', kind = '', name = '' } = params;
  const path = templateApiPath({ namespace, kind, name });
  const polled = usePolled<ReadTemplate>(path);
  useTitle(name);
  return (
    <>
      <h1>
        <span class="of">
          {kind} {namespace}/
        </span>
        {name}
      </h1>
      <Shown polled={polled} what="the template">
        {(template) => <Detail template={template} path={path} />}
      </Shown>
    </>
  );
}
