import type { Command } from 'commander';
import { readEvents } from '#queries/members/read-events.js';
import type { EventView } from '#queries/answers/members.js';
import { inFormat, isTable, type OutputOptions, withOutput } from '../output/listing.js';
import {
  type ClusterOptions,
  selectedDestinations,
  useApplication,
  withApplication,
  withCluster,
} from '../command/application.js';
import { type Column, printTable } from '../output/model/table.js';
import { note, outputTerminal, print } from '../output/standard-output.js';
import { ageOf } from './model/source-table.js';

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

type EventsOptions = ClusterOptions & OutputOptions;

async function events(name: string, options: EventsOptions): Promise<void> {
  await useApplication(name, options, async (kube, application) => {
    const destinations = selectedDestinations(application, options);
    const { events: newest, more, problems } = await readEvents(kube, application, destinations);
    for (const problem of problems) note(`not read: ${problem}`);
    if (more > 0) process.stderr.write(`${more} older events are left out\n`);
    const all = { events: newest, problems };
    const { columns } = outputTerminal();
    const table = (wide: boolean): string =>
      eventsTable(newest, { columns: wide ? undefined : columns, now: Date.now() });
    if (isTable(options) && newest.length === 0) process.stderr.write(`There are no events of Application ${name}.\n`);
    else print(inFormat(options, all, table));
  });
}

/** `fairlead events`: reads, with the rights of the user, and writes nothing. */
export function eventsCommand(command: Command): void {
  withOutput(withCluster(withApplication(command))).action(events);
}
