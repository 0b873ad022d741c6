import { useMemo, useState } from 'preact/hooks';
import type { ExplanationView, GroupView } from '#queries/answers/plans.js';
import { cut } from '#lib/text/text.js';
import { Banners, Notice } from '../parts/notice.js';
import { ClusterChoice, SearchField } from '../parts/fields.js';
import { CommandList } from '../parts/command-list.js';
import { valueCommands, valuesPath } from './model/member-paths.js';
import { rowsWith, valueRows, type ValueRow } from './model/value-rows.js';
import { ReadHead, ReadValue, useReads } from '../data/reads.js';
import { Some } from '../parts/lists.js';
import { Mark } from '../parts/state.js';
import type { ViewProps } from './view.js';
import './values.css';

/** As the API says it. */
interface ValuesAnswer extends ExplanationView {
  readonly notes: readonly string[];
}

const SHORT = 200;
const NAMED = 5;

/** A long text whole, once somebody wants it. */
function LongText({ text }: { text: string }) {
  const [isOpen, open] = useState(false);
  if (text.length <= SHORT) return <code>{text}</code>;
  return (
    <>
      <code class="long">{isOpen ? text : cut(text, SHORT)}</code>{' '}
      <button type="button" class="small" aria-expanded={isOpen} onClick={() => open(!isOpen)}>
        {isOpen ? 'Show less' : `Show all ${text.length.toLocaleString()} characters`}
      </button>
    </>
  );
}

function Row({ row: { key, values, from, expression, overrode } }: { row: ValueRow }) {
  return (
    <li>
      <p class="key">{key}</p>
      <Some items={values}>
        {({ cluster, text }) => (
          <li key={cluster}>
            {cluster === '' ? null : <span class="of">{cluster}: </span>}
            <LongText text={text} />
          </li>
        )}
      </Some>
      <p class="layer">
        <span class="of">from</span> {from}
        {expression === '' ? null : (
          <>
            : <LongText text={expression} />
          </>
        )}
        {overrode === '' ? null : (
          <>
            <span class="of">, instead of</span> <LongText text={overrode} />
          </>
        )}
      </p>
    </li>
  );
}

function titleOf({ clusters }: GroupView): string {
  const more = clusters.length - NAMED;
  return `${clusters.slice(0, NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Destinations that have their values from the same layers. */
function Group({ group, search }: { group: GroupView; search: string }) {
  const { entry, kind, clusters, state, reason, message, notRead } = group;
  const all = useMemo(() => valueRows(group), [group]);
  const rows = useMemo(() => rowsWith(search, all), [search, all]);
  return (
    <section class="group">
      <h2 title={clusters.slice(0, SHORT).join(', ')}>{titleOf(group)}</h2>
      <p class="of">
        {kind}, {entry}
      </p>
      {state === 'Explained' ? null : (
        <p class="message">
          <Mark meaning={state === 'Rejected' ? 'bad' : 'moving'} text={`${state}: ${reason}`} /> {message}
        </p>
      )}
      {notRead.length === 0 ? null : <Banners title="Below these values, not read" texts={[notRead.join(', ')]} />}
      {state === 'Rejected' ? null : (
        <p class="hint">
          {rows.length.toLocaleString()} of {all.length.toLocaleString()} values
        </p>
      )}
      <div class="values">
        <Some items={rows}>{(row) => <Row key={row.key} row={row} />}</Some>
      </div>
    </section>
  );
}

function Found({ answer: { destinations, notes }, search }: { answer: ValuesAnswer; search: string }) {
  return (
    <>
      <Banners texts={notes} />
      {destinations.length === 0 ? <Notice title="There are no destinations" /> : null}
      {destinations.map((group) => (
        <Group key={`${group.entry} ${group.clusters.join()}`} group={group} search={search} />
      ))}
    </>
  );
}

/** Which value comes from which layer. */
export function ValuesView({ detail, path }: ViewProps) {
  const { namespace, name, destinations } = detail;
  const [search, find] = useState('');
  const [cluster, choose] = useState('');
  const url = valuesPath(path, cluster);
  const reads = useReads<ValuesAnswer>([url]);
  const read = reads.of(url);
  return (
    <>
      <div class="fields">
        <SearchField value={search} find={find} />
        <ClusterChoice {...{ cluster, destinations, choose }} />
      </div>
      <ReadHead read={read} what="the values" again={() => reads.again(url)} />
      <ReadValue read={read} what="values">
        {(answer) => <Found answer={answer} search={search} />}
      </ReadValue>
      <CommandList commands={valueCommands({ namespace, name, cluster })} />
    </>
  );
}
