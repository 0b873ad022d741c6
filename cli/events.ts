import { Command } from 'commander';
import { readEvents } from '#queries/members/read-events.js';
import { oneLine } from '#lib/one-line.js';
import { eventsTable } from './events/events-table.js';
import { inFormat, isTable, withOutput, type OutputOptions } from './listing.js';
import {
  selectedDestinations,
  useApplication,
  withApplication,
  withCluster,
  type ClusterOptions,
} from './one-application.js';
import { outputTerminal, print } from './terminal/standard-output.js';

type EventsOptions = ClusterOptions & OutputOptions;

async function events(name: string, options: EventsOptions): Promise<void> {
  await useApplication(name, options, async (kube, application) => {
    const destinations = selectedDestinations(application, options);
    const { events: newest, more, problems } = await readEvents(kube, application, destinations);
    for (const problem of problems) process.stderr.write(`not read: ${oneLine(problem)}\n`);
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
export function eventsCommand(): Command {
  const command = new Command('events').description('Show the events of an Application and of what it deployed.');
  return withOutput(withCluster(withApplication(command))).action(events);
}
