import { type AskProps, useQuery, Link, useTitle } from '../navigation/navigation.js';
import type { Page } from '../../shared/page-query.js';
import type { TemplateItem } from '#queries/answers/templates.js';
import { Choice, SearchField } from '../parts/fields.js';
import { CommandList } from '../parts/command-list.js';
import { Facts, Pager } from '../parts/lists.js';
import { TEMPLATES_COMMANDS } from '../parts/model/commands.js';
import { pathTo } from '../navigation/model/place.js';
import {
  ALL_TEMPLATES,
  TEMPLATE_SORTS,
  templateQueryOf,
  templateSearchOf,
  templatesPath,
  type TemplateQuery,
} from './model/template-query.js';
import { Notice } from '../parts/notice.js';
import { Shown, usePolled } from '../data/polled.js';
import { State } from '../parts/state.js';
import { chartText, sharedText } from './model/template-words.js';

const KINDS = [
  ['', 'All'],
  ['HelmTemplate', 'Charts'],
  ['KustomizationTemplate', 'Kustomizations'],
] as const;
const STATES = [['', 'All'], 'Stalled', 'Pending', 'Ready'] as const;

function Filters({ query, ask }: AskProps<TemplateQuery>) {
  // Another question has another first page.
  const change = (changed: Partial<TemplateQuery>): void => ask({ ...query, page: 1, ...changed });
  return (
    <div class="fields">
      <SearchField value={query.search} find={(search) => change({ search })} />
      <Choice label="Kind" value={query.kind} choices={KINDS} choose={(kind) => change({ kind })} />
      <Choice label="State" value={query.state} choices={STATES} choose={(state) => change({ state })} />
      <Choice label="Sort" value={query.sort} choices={TEMPLATE_SORTS} choose={(sort) => change({ sort })} />
    </div>
  );
}

function Template({ template }: { template: TemplateItem }) {
  const { kind, namespace, name, state, message, revision, usedBy, source } = template;
  return (
    <li>
      <h2 class="card-title">
        <Link to={pathTo('template', { namespace, kind, name })}>
          <span class="of">{namespace}/</span>
          {name}
        </Link>{' '}
        <State state={state} />
      </h2>
      {state === 'Ready' ? null : <p class="message">{message}</p>}
      <Facts
        facts={{
          Kind: kind,
          ...chartText(template),
          Source: source,
          Revision: revision === 0 ? '' : String(revision),
          'Used by': String(usedBy),
          'Shared with': sharedText(template),
        }}
      />
    </li>
  );
}

function Nothing({ query, ask }: AskProps<TemplateQuery>) {
  if (templateSearchOf(query) !== '') {
    return (
      <Notice title="Nothing matches">
        <button type="button" onClick={() => ask(ALL_TEMPLATES)}>
          Show all templates
        </button>
      </Notice>
    );
  }
  return (
    <Notice title="There are no templates that you may see">
      <p>
        One is made of an Application that runs by <code>fairlead template save</code>, or with the label{' '}
        <code>gitops.kubesphere.io/save-helmtemplate</code>.
      </p>
    </Notice>
  );
}

/** The templates that the user may read. */
export function TemplatesPage() {
  const { query, ask } = useQuery(templateQueryOf, templateSearchOf);
  const polled = usePolled<Page<TemplateItem>>(templatesPath(query));
  useTitle('Templates');
  return (
    <>
      <h1>Templates</h1>
      <Filters {...{ query, ask }} />
      <Shown polled={polled} what="templates">
        {({ items, total, page, limit }) => (
          <>
            <p class="hint" role="status">
              {total} {total === 1 ? 'template' : 'templates'}
            </p>
            {items.length === 0 ? <Nothing {...{ query, ask }} /> : null}
            <ul class="cards">
              {items.map((template) => (
                <Template key={template.uid} template={template} />
              ))}
            </ul>
            <Pager {...{ page, limit, total }} ask={(next) => ask({ ...query, page: next })} />
          </>
        )}
      </Shown>
      <CommandList commands={TEMPLATES_COMMANDS} />
    </>
  );
}
