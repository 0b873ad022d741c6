import type { EventView } from '#queries/views/event-view.js';
import { ageOf } from '../source/source-table.js';
import { printTable, type Column } from '../table.js';

interface EventsTableOptions {
  readonly columns: number | undefined;
  /** Epoch milliseconds, for ages. */
  readonly now: number;
}

/** The table of `fairlead events`, as kubectl prints events; `-` stands for the host's part of the Application. */
export function eventsTable(rows: readonly EventView[], { columns, now }: EventsTableOptions): string {
  const all: Column<EventView>[] = [
    { title: 'LAST SEEN', value: ({ lastSeen }) => ageOf(lastSeen, now) },
    { title: 'TYPE', value: ({ type }) => type, spare: 1 },
    { title: 'CLUSTER', value: ({ cluster }) => cluster },
    { title: 'REASON', value: ({ reason }) => reason },
    { title: 'OBJECT', value: ({ namespace, object }) => (namespace === '' ? object : `${object} (${namespace})`) },
    { title: 'COUNT', value: ({ count }) => String(count), spare: 2 },
  ];
  return printTable({ columns: all, text: { title: 'MESSAGE', value: ({ message }) => message }, rows }, columns);
}
