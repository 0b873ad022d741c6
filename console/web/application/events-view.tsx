import { useMemo, useState } from 'preact/hooks';
import { listed } from '#lib/text/text.js';
import { Banners, Notice, ProblemNotice } from '../parts/notice.js';
import { type AskProps, useQuery } from '../navigation/navigation.js';
import { namedClusters } from '../parts/model/destinations.js';
import { Choice, SearchField } from '../parts/fields.js';
import { CommandList } from '../parts/command-list.js';
import {
  clustersToRead,
  leftOutWords,
  mergedEvents,
  type EventsAnswer,
  type MergedEvents,
  ALL_EVENTS,
  eventQueryOf,
  eventSearchOf,
  ON_HOST,
  shownEvents,
  type EventQuery,
} from './model/events.js';
import { eventCommands, eventsPath } from './model/member-paths.js';
import { ReadHead, useReads } from '../data/reads.js';
import { EventList } from './event-list.js';
import type { ViewProps } from './view.js';
import './tree/tree.css';

interface FilterProps extends AskProps<EventQuery> {
  readonly clusters: readonly string[];
}

function Filter({ query, clusters, ask }: FilterProps) {
  return (
    <div class="fields">
      <SearchField value={query.search} find={(search) => ask({ ...query, search })} />
      <Choice
        label="Cluster"
        value={query.cluster}
        choices={[['', 'All'], [ON_HOST, 'Application and releases'], ...clusters]}
        choose={(cluster) => ask({ ...query, cluster })}
      />
      <Choice
        label="Type"
        value={query.type}
        choices={[['', 'All'], 'Warning', 'Normal']}
        choose={(type) => ask({ ...query, type })}
      />
    </div>
  );
}

/** Names of clusters are long; nobody waits for many of them for long. */
const NAMED = 5;

function waitingWords(waiting: readonly string[]): string {
  const named = waiting.filter((cluster) => cluster !== '');
  return named.length === 0 ? 'Reading …' : `Waiting for ${listed(named, NAMED)} …`;
}

function Found({ found, query, ask }: AskProps<EventQuery> & { found: MergedEvents }) {
  const { events, problems, waiting } = found;
  const shown = useMemo(() => shownEvents(events, query), [events, query]);
  const leftOut = leftOutWords(found);
  return (
    <>
      <Banners title="Not read" texts={problems} />
      <p class="hint" role="status">
        {shown.length} of {events.length} events, the newest first
        {leftOut === '' ? '' : `; ${leftOut}`}
      </p>
      {waiting.length === 0 ? null : (
        <p class="hint" role="status">
          {waitingWords(waiting)}
        </p>
      )}
      {events.length === 0 && waiting.length === 0 ? (
        <Notice title="There are no events">
          <p>Clusters keep events for an hour or so.</p>
        </Notice>
      ) : null}
      {events.length > 0 && shown.length === 0 ? (
        <Notice title="Nothing matches">
          <button type="button" onClick={() => ask({ ...ALL_EVENTS, cluster: query.cluster })}>
            Show all types and texts
          </button>
        </Notice>
      ) : null}
      <EventList events={shown} />
    </>
  );
}

interface OthersProps {
  readonly clusters: number;
  readonly read: () => void;
}

function Others({ clusters, read }: OthersProps) {
  if (clusters === 0) return null;
  return (
    <p>
      Not read yet: {clusters} more {clusters === 1 ? 'cluster' : 'clusters'}{' '}
      <button type="button" onClick={read}>
        Read them
      </button>
    </p>
  );
}

/** Each cluster by itself: of all of them, some at first. `only`: empty for all. */
function useEvents({ detail: { destinations }, path }: ViewProps, only: string) {
  const { first, others } = useMemo(() => clustersToRead(destinations), [destinations]);
  const [isWhole, setWhole] = useState(false);
  const all = isWhole ? [...first, ...others] : first;
  const ofAll = all.length === 0 ? [''] : all;
  const wanted = only === '' ? ofAll : [only];
  const reads = useReads<EventsAnswer>(wanted.map((cluster) => eventsPath(path, cluster)));
  return {
    each: wanted.map((cluster) => ({ cluster, ...reads.of(eventsPath(path, cluster)) })),
    again: (): void => wanted.forEach((cluster) => reads.again(eventsPath(path, cluster))),
    others: only === '' && !isWhole ? others.length : 0,
    readOthers: () => setWhole(true),
  };
}

/** What happened lately, to the Application and to what it deployed. */
export function EventsView(props: ViewProps) {
  const { namespace, name, destinations } = props.detail;
  const { query, ask } = useQuery(eventQueryOf, eventSearchOf);
  const clusters = useMemo(() => namedClusters(destinations), [destinations]);
  const known = clusters.includes(query.cluster) ? query.cluster : '';
  const { each, again, others, readOthers } = useEvents(props, known);
  const [refused] = each.every(({ value, isReading }) => value === undefined && !isReading) ? each : [];
  const head = { isReading: each.some((read) => read.isReading), at: Math.max(...each.map(({ at }) => at)) };
  return (
    <>
      <Filter {...{ query, clusters, ask }} />
      <ReadHead read={head} what="the events" again={again} />
      {refused?.problem === undefined ? (
        <Found found={mergedEvents(each)} {...{ query, ask }} />
      ) : (
        <ProblemNotice problem={refused.problem} />
      )}
      <Others clusters={others} read={readOthers} />
      <CommandList commands={eventCommands({ namespace, name, cluster: known })} />
    </>
  );
}
