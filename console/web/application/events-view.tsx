import { useMemo } from 'preact/hooks';
import type { EventView } from '#controllers/read-model/event-view.js';
import { Choice } from '../choice.js';
import { CommandList } from '../command-list.js';
import {
  ALL_EVENTS,
  eventQueryOf,
  eventSearchOf,
  ON_HOST,
  shownEvents,
  type EventQuery,
} from '../model/event-query.js';
import { eventCommands } from '../model/member-commands.js';
import { eventsPath } from '../model/member-paths.js';
import { useNavigation } from '../navigation.js';
import { Notice } from '../notice.js';
import { ReadHead, ReadValue } from '../read-head.js';
import { useReads } from '../use-reads.js';
import { EventList } from './event-list.js';
import './tree/tree.css';
import type { ViewProps } from './view.js';

/** As the API says it. */
export interface EventsAnswer {
  readonly events: readonly EventView[];
  readonly more: number;
  readonly problems: readonly string[];
}

interface FilterProps {
  readonly query: EventQuery;
  readonly clusters: readonly string[];
  readonly ask: (query: EventQuery) => void;
}

function Filter({ query, clusters, ask }: FilterProps) {
  return (
    <div class="fields">
      <label class="field">
        Search
        <input
          type="search"
          value={query.search}
          onInput={({ currentTarget }) => ask({ ...query, search: currentTarget.value })}
        />
      </label>
      <Choice
        label="Cluster"
        value={query.cluster}
        choices={[['', 'All'], [ON_HOST, 'Application and releases'], ...clusters.map((each) => [each, each] as const)]}
        choose={(cluster) => ask({ ...query, cluster })}
      />
      <Choice
        label="Type"
        value={query.type}
        choices={[
          ['', 'All'],
          ['Warning', 'Warning'],
          ['Normal', 'Normal'],
        ]}
        choose={(type) => ask({ ...query, type })}
      />
    </div>
  );
}

function Found({ answer, query, ask }: Pick<FilterProps, 'query' | 'ask'> & { answer: EventsAnswer }) {
  const { events, more, problems } = answer;
  const shown = useMemo(() => shownEvents(events, query), [events, query]);
  return (
    <>
      {problems.map((problem, index) => (
        <p key={index} class="banner message">
          <strong>Not read:</strong> {problem}
        </p>
      ))}
      <p class="hint" role="status">
        {shown.length} of {events.length} events, the newest first
        {more > 0 ? `; ${more} older ones are left out` : ''}
      </p>
      {events.length === 0 ? (
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

/** What happened lately, to the Application and to what it deployed. */
export function EventsView({ detail, path }: ViewProps) {
  const { namespace, name, destinations } = detail;
  const { search, path: here, replace } = useNavigation();
  const query = useMemo(() => eventQueryOf(search), [search]);
  const clusters = useMemo(
    () => [...new Set(destinations.map(({ cluster }) => cluster))].filter((cluster) => cluster !== '').sort(),
    [destinations],
  );
  const ask = (next: EventQuery): void => replace(`${here}${eventSearchOf(next)}`);
  const known = clusters.includes(query.cluster) ? query.cluster : '';
  const url = eventsPath(path, known);
  const reads = useReads<EventsAnswer>([url]);
  const read = reads.of(url);
  return (
    <>
      <Filter {...{ query, clusters, ask }} />
      <ReadHead read={read} what="the events" again={() => reads.again(url)} />
      <ReadValue read={read} what="events: each cluster has some seconds to answer">
        {(answer) => <Found {...{ answer, query, ask }} />}
      </ReadValue>
      <CommandList commands={eventCommands({ namespace, name, cluster: known })} />
    </>
  );
}
