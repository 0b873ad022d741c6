import type { Overview, OverviewRow } from '#queries/answers/application.js';
import { RowName } from './matrix-row.js';
import { drawnItems, isSameDrawn, type Drawn } from './model/grid.js';
import { failingClusters, tallyOf } from './model/shown-rows.js';
import { Skip } from '../navigation/navigation.js';
import { State } from '../parts/state.js';
import { useNarrow, useViewport } from './use-viewport.js';
import { WideMatrix, type MatrixProps } from './wide-matrix.js';
import './matrix.css';

/** Pixels, as in matrix.css. */
const CARD_HEIGHT = 144;

/** Where to look, which has no column here. */
function Failing({ row, overview }: { row: OverviewRow; overview: Overview }) {
  const failing = failingClusters(row, overview);
  if (failing.length === 0) return null;
  return (
    <p class="failing" title={failing.map(({ state, title }) => `${state} on ${title}`).join('; ')}>
      {failing.map(({ state, text }) => (
        <span key={state}>
          <State state={state} /> on {text}{' '}
        </span>
      ))}
    </p>
  );
}

function Card({ row, overview }: { row: OverviewRow; overview: Overview }) {
  return (
    <li>
      <p class="whole-name">
        <RowName row={row} />
      </p>
      <p>
        <State state={row.state} /> {row.ready}
      </p>
      <Failing row={row} overview={overview} />
      <p class="tally">
        {tallyOf(row, overview.states).map(({ state, destinations }) => (
          <span key={state}>
            {destinations} <State state={state} />{' '}
          </span>
        ))}
      </p>
    </li>
  );
}

/** Without room for a column per cluster: how many are in which state. */
function NarrowMatrix({ overview, shown: { rows } }: MatrixProps) {
  const { element, drawn } = useViewport<HTMLDivElement, Drawn>(
    ({ top, height }) => drawnItems({ at: top, room: height, size: CARD_HEIGHT, items: rows.length }, 'rows'),
    isSameDrawn,
  );
  const { first, end } = drawn;
  const style = { paddingTop: `${first * CARD_HEIGHT}px`, paddingBottom: `${(rows.length - end) * CARD_HEIGHT}px` };
  return (
    <>
      <Skip to="after-applications">Skip the Applications</Skip>
      <div ref={element} class="matrix" role="region" aria-label="Applications" tabIndex={0}>
        <ul style={style}>
          {rows.slice(first, end).map((row) => (
            <Card key={`${row.namespace}/${row.name}`} row={row} overview={overview} />
          ))}
        </ul>
      </div>
      <span id="after-applications" tabIndex={-1} />
    </>
  );
}

export function Matrix(props: MatrixProps) {
  return useNarrow() ? <NarrowMatrix {...props} /> : <WideMatrix {...props} />;
}
