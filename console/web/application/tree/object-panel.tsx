import { Banners } from '../../parts/notice.js';
import { useEffect, useRef } from 'preact/hooks';
import { type EventsAnswer, eventsOfObject } from '../model/events.js';
import { firstLog } from '../model/log.js';
import { eventsPath } from '../model/member-paths.js';
import type { TreeNode } from '../model/tree.js';
import { ReadHead, ReadValue, useReads } from '../../data/reads.js';
import { State } from '../../parts/state.js';
import { EventList } from '../event-list.js';
import { LogView } from './log-view.js';

export interface PanelProps {
  /** Of the API of the Application. */
  readonly path: string;
  readonly cluster: string;
  readonly node: TreeNode;
  /** True if its user just chose it, and wants to be there. */
  readonly isWanted: boolean;
  readonly close: () => void;
}

function ObjectEvents({ path, cluster, node: { object } }: PanelProps) {
  const url = eventsPath(path, cluster);
  const reads = useReads<EventsAnswer>([url]);
  const read = reads.of(url);
  return (
    <section aria-labelledby="object-events">
      <h3 id="object-events">Events</h3>
      <ReadHead read={read} what="the events" again={() => reads.again(url)} />
      <ReadValue read={read} what="events">
        {({ events, problems }) => {
          const own = eventsOfObject(events, { ...object, cluster });
          return (
            <>
              <Banners title="Not read" texts={problems} />
              {own.length === 0 ? <p class="hint">There are none of this object.</p> : null}
              <EventList events={own} isOfOne />
            </>
          );
        }}
      </ReadValue>
    </section>
  );
}

/** One object of a cluster: what it says itself, what it prints, and what happened to it. */
export function ObjectPanel(props: PanelProps) {
  const { path, cluster, node, isWanted, close } = props;
  const { apiVersion, kind, namespace, name, state, message, containers } = node.object;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (isWanted) heading.current?.focus();
  }, []);
  return (
    <section class="panel" aria-labelledby="object">
      <div class="panel-head">
        <h2 id="object" ref={heading} tabIndex={-1}>
          {kind} {name}
        </h2>
        <button type="button" class="small" onClick={close}>
          Close
        </button>
      </div>
      <p class="panel-state">
        <State state={state} />
        <span class="of">
          {' '}
          on {cluster}
          {namespace === '' ? '' : `, namespace ${namespace}`}, {apiVersion}
        </span>
      </p>
      {message === '' ? null : <p class="message">{message}</p>}
      {containers.length === 0 ? null : (
        <LogView path={path} of={{ cluster, pod: name, containers, first: firstLog(node.object) }} />
      )}
      <ObjectEvents {...props} />
    </section>
  );
}
