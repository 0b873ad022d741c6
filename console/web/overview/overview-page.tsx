import { useMemo } from 'preact/hooks';
import type { Overview } from '#queries/answers/application.js';
import { type AskProps, useQuery, Link, useTitle } from '../navigation/navigation.js';
import { CommandList } from '../parts/command-list.js';
import { Filters } from './filters.js';
import { Matrix } from './matrix.js';
import { OVERVIEW_COMMANDS } from '../parts/model/commands.js';
import { OVERVIEW, ALL, overviewQueryOf, searchOf, type OverviewQuery } from './model/overview-query.js';
import { pathTo } from '../navigation/model/place.js';
import { shownRows } from './model/shown-rows.js';
import { Notice } from '../parts/notice.js';
import { Shown, usePolled } from '../data/polled.js';

interface ApplicationsProps extends AskProps<OverviewQuery> {
  readonly overview: Overview;
}

function Applications({ overview, query, ask }: ApplicationsProps) {
  const shown = useMemo(() => shownRows(overview, query), [overview, query]);
  const total = overview.applications.length;
  if (total === 0) {
    return (
      <Notice title="There are no Applications that you may see">
        <p>
          They appear here as soon as one exists in a namespace in which you may list Applications.{' '}
          <Link to={pathTo('newApplication')}>Create one</Link>
        </p>
      </Notice>
    );
  }
  return (
    <>
      <Filters {...{ overview, query, ask }} counts={shown.counts} />
      <p class="hint" role="status">
        {shown.rows.length} of {total} {total === 1 ? 'Application' : 'Applications'}
      </p>
      {shown.rows.length > 0 ? (
        <Matrix {...{ overview, shown, query, ask }} />
      ) : (
        <Notice title="Nothing matches">
          <p>
            <button type="button" onClick={() => ask(ALL)}>
              Show all Applications
            </button>
          </p>
        </Notice>
      )}
    </>
  );
}

/** Applications by clusters, failing first. */
export function OverviewPage() {
  const polled = usePolled(OVERVIEW.path, () => true, OVERVIEW.updates);
  const { query, ask } = useQuery(overviewQueryOf, searchOf);
  useTitle('Applications');
  return (
    <>
      <h1>Applications</h1>
      <Shown polled={polled} what="Applications">
        {(overview) => <Applications {...{ overview, query, ask }} />}
      </Shown>
      <CommandList commands={OVERVIEW_COMMANDS} />
    </>
  );
}
