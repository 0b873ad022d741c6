import type { EventView } from '#queries/answers/members.js';
import { Mark } from '../parts/state.js';
import { clusterName } from '../parts/model/destinations.js';

interface EventListProps {
  /** Newest first. */
  readonly events: readonly EventView[];
  /** True: all of them are about the same object. */
  readonly isOfOne?: boolean;
}

function Where({ event: { cluster, namespace, object } }: { event: EventView }) {
  return (
    <>
      <span class="where">{cluster === '' ? 'Application' : clusterName(cluster)}</span>{' '}
      <span class="object">
        {object}
        {namespace === '' ? null : <span class="of"> in {namespace}</span>}
      </span>
    </>
  );
}

/** Events in words, warnings by colour and shape. */
export function EventList({ events, isOfOne = false }: EventListProps) {
  return (
    <ul class="events">
      {events.map((event, index) => {
        const { type, reason, message, count, lastSeen } = event;
        const time = new Date(lastSeen);
        return (
          <li key={`${index} ${lastSeen} ${reason}`}>
            <p class="event-head">
              <Mark
                meaning={type === 'Warning' ? 'bad' : 'idle'}
                text={type === '' ? 'Event' : type}
                quiet={type !== 'Warning'}
              />{' '}
              <strong>{reason}</strong> {isOfOne ? null : <Where event={event} />}
              <span class="when">
                {count > 1 ? `${count} times, last ` : ''}
                {Number.isNaN(time.getTime()) ? '' : <time dateTime={lastSeen}>{time.toLocaleString()}</time>}
              </span>
            </p>
            <p class="message">{message}</p>
          </li>
        );
      })}
    </ul>
  );
}
