import type { ReadTemplate } from '../../shared/template-item.js';
import { CommandList } from '../parts/command-list.js';
import { Facts } from '../parts/lists.js';
import { templateCommands } from '../parts/model/commands.js';
import { pathTo } from '../navigation/model/place.js';
import { templateApiPath } from './model/template-query.js';
import { Link, type PageProps, useTitle } from '../navigation/navigation.js';
import { OnDemand } from '../parts/on-demand.js';
import { Shown, usePolled } from '../data/polled.js';
import { State } from '../parts/state.js';
import { Revisions } from './revisions.js';
import { SchemaTable } from './schema-table.js';
import { Sharing } from './sharing.js';
import { Users } from './users.js';
import { chartText, sharedText } from './model/template-words.js';

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
