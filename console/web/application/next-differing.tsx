import { useEffect, useState } from 'preact/hooks';
import type { DestinationView } from '#queries/views/application-view.js';
import { othersFrom, type Verdict } from './model/differing.js';
import { destinationText } from './model/manifest-query.js';
import { Some } from '../parts/lists.js';
import { Mark } from '../parts/state.js';

interface NextDifferingProps {
  readonly destinations: readonly DestinationView[];
  readonly chosen: DestinationView;
  readonly choose: (child: string) => void;
  /** Those that were asked. */
  readonly asked: readonly string[];
  readonly ask: (child: string) => void;
  readonly verdict: (child: string) => Verdict | undefined;
}

/** What is still looked at, one after the other: a cluster that hangs takes seconds, and so may each of hundreds. */
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
  // Who chooses one himself wants to see that one.
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
export function NextDiffering(props: NextDifferingProps) {
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
