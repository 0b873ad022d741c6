import { Banners } from '../parts/notice.js';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { ApplicationDetail, DestinationView } from '#queries/answers/application.js';
import { causeFirst } from '#queries/views/state-meaning.js';
import { CommandList } from '../parts/command-list.js';
import { Facts, Some } from '../parts/lists.js';
import { ageWords, conditionWords, type ConditionWords } from './model/status-words.js';
import { sourceCommands } from './model/application-source.js';
import { applicationCommands } from '../parts/model/commands.js';
import { unsaidMessage, treePage } from './model/tree.js';
import { eventsPage } from './model/events.js';
import { worstFirst, clusterName } from '../parts/model/destinations.js';
import { Link } from '../navigation/navigation.js';
import { Mark, State } from '../parts/state.js';
import { WithSource } from './source-line.js';
import type { ViewProps } from './view.js';

const EVERY_MS = 30_000;

/** Epoch milliseconds, told twice a minute: one clock for all ages of a page. */
function useNow(): number {
  const [now, set] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => set(Date.now()), EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** How long ago that was; when exactly, for who looks at it. Nothing if it is no time. */
function Age({ time, nowMs }: { time: string; nowMs: number }) {
  const words = ageWords(nowMs - Date.parse(time));
  if (words === '') return null;
  return (
    <time dateTime={time} title={new Date(time).toLocaleString()}>
      {words}
    </time>
  );
}

type Named = Pick<ApplicationDetail, 'namespace' | 'name'>;

/** Where the reason is to be found: of what is well nobody asks for one. */
function Causes({ of, cluster }: { of: Named; cluster: string }) {
  return (
    <p class="buttons">
      <Link to={treePage(of, cluster)}>
        What runs<span class="unseen"> on {cluster}</span>
      </Link>
      <Link to={eventsPage(of, cluster)}>
        Its events<span class="unseen"> on {cluster}</span>
      </Link>
    </p>
  );
}

interface DestinationProps {
  readonly destination: DestinationView;
  readonly of: Named;
  /** What it says that is new. */
  readonly message: string;
}

function Destination({ destination, of, message }: DestinationProps) {
  const { name, cluster, namespace, release, child, state, revision } = destination;
  return (
    <li>
      <h3>
        <State state={state} /> <span class="where">{clusterName(cluster)}</span>
      </h3>
      {message === '' ? null : <p class="message">{message}</p>}
      <Facts
        facts={{ Destination: name, Namespace: namespace, Release: release, Revision: revision, 'Made from': child }}
      />
      {state === 'Ready' || cluster === '' ? null : <Causes of={of} cluster={cluster} />}
    </li>
  );
}

type DestinationsProps = Named & Pick<ApplicationDetail, 'destinations'> & { readonly said: string };

function Destinations({ destinations, said, ...of }: DestinationsProps) {
  const sorted = useMemo(() => worstFirst(destinations), [destinations]);
  return (
    <section aria-labelledby="destinations">
      <h2 id="destinations">Destinations, worst first ({destinations.length})</h2>
      {destinations.length === 0 ? <p>The status names none.</p> : null}
      <Some items={sorted} class="cards">
        {(destination, index) => {
          const message = unsaidMessage(destination, { said, destinations: destinations.length });
          return <Destination key={`${index} ${destination.name}`} {...{ destination, of, message }} />;
        }}
      </Some>
    </section>
  );
}

function Condition({ words, nowMs }: { words: ConditionWords; nowMs: number }) {
  const { type, status, meaning, reason, sentence, message, since } = words;
  return (
    <li>
      <h3>
        <Mark meaning={meaning} text={`${type}: ${status}`} />
      </h3>
      {sentence === '' ? null : <p>{sentence}</p>}
      {message === '' ? null : <p class="message">{message}</p>}
      <Facts facts={{ Reason: reason, Changed: since === '' ? '' : <Age time={since} nowMs={nowMs} /> }} />
    </li>
  );
}

type WaitingProps = Pick<ApplicationDetail, 'pending' | 'morePending'> & { readonly nowMs: number };

function Waiting({ pending, morePending, nowMs }: WaitingProps) {
  if (pending.length === 0) return null;
  return (
    <section aria-labelledby="waiting">
      <h2 id="waiting">What waits ({pending.length + morePending})</h2>
      <ul class="cards">
        {pending.map(({ destination, cluster, change, reason, message, since }) => (
          <li key={destination}>
            <h3>{clusterName(cluster)}</h3>
            <p class="message">{message}</p>
            <Facts
              facts={{
                ...{ Destination: destination, Change: change, Reason: reason },
                Began: since === '' ? '' : <Age time={since} nowMs={nowMs} />,
              }}
            />
          </li>
        ))}
      </ul>
      {morePending > 0 ? <p>and {morePending} more</p> : null}
    </section>
  );
}

/** What is so now. */
export function StatusView({ detail }: ViewProps) {
  const { state, ready, revision, kind, message, warnings, approval, namespace, name, pending } = detail;
  const nowMs = useNow();
  const said = state === 'Ready' ? '' : message;
  const commands = applicationCommands({ namespace, name, approval, waits: pending.length > 0 });
  return (
    <>
      <WithSource detail={detail}>
        {(line, isFailing) => (
          <>
            {isFailing ? line : null}
            <p class="headline">
              <State state={state} /> {said === '' ? null : <span class="message">{causeFirst(said)}</span>}
            </p>
            {isFailing ? null : line}
          </>
        )}
      </WithSource>
      <Facts facts={{ Ready: ready, Revision: revision, Kind: kind }} />
      <Banners texts={warnings} />
      <Destinations {...{ namespace, name, said }} destinations={detail.destinations} />
      <Waiting {...detail} nowMs={nowMs} />
      <section aria-labelledby="conditions">
        <h2 id="conditions">Conditions</h2>
        <ul class="cards">
          {conditionWords(detail.conditions, said).map((words) => (
            <Condition key={words.type} {...{ words, nowMs }} />
          ))}
        </ul>
      </section>
      <CommandList commands={[...commands, ...sourceCommands(detail.source)]} />
    </>
  );
}
