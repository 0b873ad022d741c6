import { Banners } from '../parts/notice.js';
import { useEffect, useState, useMemo } from 'preact/hooks';
import type { DestinationView } from '#queries/answers/application.js';
import type { ComparedObject, LiveDiffView } from '#queries/answers/members.js';
import { comparedSummary } from '#queries/views/live-diff-view.js';
import { othersFrom, type Verdict, verdictOf, comparedField, comparedWords } from './model/compared.js';
import { destinationText, objectsWith, objectText } from './model/manifest-query.js';
import { Some } from '../parts/lists.js';
import { Mark } from '../parts/state.js';
import { ChangedFields } from '../change/changed-fields.js';
import { CommandList } from '../parts/command-list.js';
import { liveDiffCommands, planCommands, liveDiffPath } from './model/member-paths.js';
import { ReadHead, ReadValue, useReads } from '../data/reads.js';
import { OneDestination, type Others } from './one-destination.js';
import { PlannedNow } from './planned-now.js';
import type { ViewProps } from './view.js';

interface NextDifferingProps {
  readonly destinations: readonly DestinationView[];
  readonly chosen: DestinationView;
  readonly choose: (child: string) => void;
  /** Those that were asked. */
  readonly asked: readonly string[];
  readonly ask: (child: string) => void;
  readonly verdict: (child: string) => Verdict | undefined;
}

/**
 * The destinations that are left to look at, one by one: a cluster that hangs takes seconds, and there may be hundreds.
 */
interface Looking {
  readonly left: readonly DestinationView[];
  readonly all: number;
}

const NONE: Looking = { left: [], all: 0 };

function useLooking({ destinations, chosen, choose, ask, verdict }: NextDifferingProps) {
  const [{ left, all }, look] = useState(NONE);
  const [said, say] = useState('');
  const [current, ...rest] = left;
  const known = current === undefined ? undefined : verdict(current.child);
  useEffect(() => {
    if (current === undefined) return;
    if (known === undefined) ask(current.child);
    else if (known.differs) {
      say(`${destinationText(current)} differs.`);
      look(NONE);
      choose(current.child);
    } else {
      if (rest.length === 0) say('No other one differs, as far as they could be compared.');
      look({ left: rest, all });
    }
  }, [current, known?.differs]);
  // Stops looking for others as soon as the user chooses one.
  useEffect(() => look(NONE), [chosen.child]);
  const begin = (): void => {
    const others = othersFrom(destinations, chosen);
    say('');
    look({ left: others, all: others.length });
  };
  const words = current === undefined ? said : `Asking ${destinationText(current)}, ${all - rest.length} of ${all} …`;
  return { isLooking: current !== undefined, words, begin, stop: () => look(NONE) };
}

/** Goes to the next destination that is not as it is wanted, and lists what was found on the way. */
function NextDiffering(props: NextDifferingProps) {
  const { destinations, chosen, choose, asked, verdict } = props;
  const { isLooking, words, begin, stop } = useLooking(props);
  if (destinations.length < 2) return null;
  const known = destinations.filter(({ child }) => asked.includes(child) && verdict(child) !== undefined);
  return (
    <>
      <p class="buttons">
        <button type="button" onClick={isLooking ? stop : begin}>
          {isLooking ? 'Stop' : 'Find the next that differs'}
        </button>
        <span class="hint" role="status">
          {words}
        </span>
      </p>
      {known.length < 2 ? null : (
        <details open>
          <summary>{known.length} were asked</summary>
          <Some items={known} class="asked">
            {(each) => {
              const { meaning = 'idle', text = '' } = verdict(each.child) ?? {};
              return (
                <li key={each.child}>
                  <Mark meaning={meaning} text={text} />{' '}
                  {each === chosen ? (
                    <strong>{destinationText(each)}</strong>
                  ) : (
                    <button type="button" class="small" onClick={() => choose(each.child)}>
                      {destinationText(each)}
                    </button>
                  )}
                </li>
              );
            }}
          </Some>
        </details>
      )}
    </>
  );
}

function ObjectRow({ object }: { object: ComparedObject }) {
  const { state, message, fields, moreFields } = object;
  return (
    <li>
      <Mark {...comparedWords(state)} /> <strong>{objectText(object)}</strong>
      {message === '' ? null : <span class="message why">{message}</span>}
      <ChangedFields fields={fields.map(comparedField)} more={moreFields} />
    </li>
  );
}

function Compared({ found, search }: { found: LiveDiffView; search: string }) {
  const { objects, note, problem } = found;
  const [same, others] = useMemo(() => {
    const shown = objectsWith(search, objects);
    return [shown.filter(({ state }) => state === 'same'), shown.filter(({ state }) => state !== 'same')];
  }, [objects, search]);
  const row = (object: ComparedObject) => (
    <ObjectRow key={`${object.apiVersion} ${objectText(object)}`} object={object} />
  );
  return (
    <>
      {problem === '' ? null : <Banners title="Not read" texts={[problem]} />}
      {note === '' ? null : <p class="hint message">{note}</p>}
      {objects.length === 0 && problem !== '' ? null : (
        <p class="hint" role="status">
          {comparedSummary(found)}. Values of Secrets are not shown.
        </p>
      )}
      <div class="fate compared">
        <Some items={others}>{row}</Some>
        {same.length === 0 ? null : (
          <details>
            <summary>{same.length.toLocaleString()} as they are wanted</summary>
            <Some items={same}>{row}</Some>
          </details>
        )}
      </div>
    </>
  );
}

interface OfDestinationProps extends ViewProps, Others {
  readonly destination: DestinationView;
  readonly search: string;
}

/** What was rendered for a destination, and what is there. Others are only asked when somebody wants it. */
function OfDestination({ detail: { namespace, name }, path, destination, search, ...others }: OfDestinationProps) {
  const { child, cluster } = destination;
  const subject = { namespace, name, cluster };
  const urlOf = (each: string): string => liveDiffPath(path, each);
  const [asked, setAsked] = useState([child]);
  const ask = (each: string): void => setAsked((before) => (before.includes(each) ? before : [...before, each]));
  useEffect(() => ask(child), [child]);
  const reads = useReads<LiveDiffView>(asked.map(urlOf));
  const url = urlOf(child);
  const read = reads.of(url);
  const verdict = (each: string) => verdictOf(reads.of(urlOf(each)));
  return (
    <>
      <NextDiffering {...{ ...others, asked, ask, verdict }} chosen={destination} />
      <ReadHead read={read} what="what differs there" again={() => reads.again(url)} />
      <ReadValue read={read} what="what differs: the cluster has some seconds to answer">
        {(found) => <Compared key={child} found={found} search={search} />}
      </ReadValue>
      <CommandList commands={[...planCommands(subject), ...liveDiffCommands(subject)]} />
    </>
  );
}

export function Differences(props: ViewProps) {
  const { detail } = props;
  const isDeployed = detail.destinations.some(({ child }) => child !== '');
  return (
    <>
      <section aria-labelledby="planned">
        <h2 id="planned">What the controller would do now</h2>
        <PlannedNow path={props.path} />
      </section>
      <section aria-labelledby="live">
        <h2 id="live">What is not as it is wanted</h2>
        <OneDestination detail={detail}>
          {(destination, search, others) => <OfDestination {...{ ...props, ...others, destination, search }} />}
        </OneDestination>
        {isDeployed ? null : <CommandList commands={planCommands({ ...detail, cluster: '' })} />}
      </section>
    </>
  );
}
