import { Command } from 'commander';
import { readHistory } from '#queries/plans/history.js';
import type { Kube } from '#runtime/client/kube.js';
import { oneLine } from '#lib/text/text.js';
import type { Application } from '#api/v1alpha1/application.js';
import type { NamespaceOptions } from './connection.js';
import { historyTable } from './history/history-table.js';
import { inFormat, isTable, withOutput, type OutputOptions } from './listing.js';
import { useApplication, withApplication } from './one-application.js';
import { outputTerminal, print } from './terminal/standard-output.js';

type HistoryOptions = NamespaceOptions & OutputOptions;

function note(text: string): void {
  process.stderr.write(`${oneLine(text)}\n`);
}

async function show(kube: Kube, application: Application, options: HistoryOptions): Promise<void> {
  const { view, forbidden } = await readHistory(kube, application);
  for (const kind of forbidden) note(`you may not list ${kind}s: clusters that have one are missing`);
  const { columns } = outputTerminal();
  const text = inFormat(options, view, (wide) =>
    historyTable(view.revisions, { wide, columns: wide ? undefined : columns, now: Date.now() }),
  );
  if (isTable(options) && view.revisions.length === 0) {
    const { namespace, name } = application.metadata;
    note(`Application ${namespace}/${name} keeps no revisions: set spec.revisionHistoryLimit or spec.rollout.`);
    return;
  }
  print(text);
  const { unknown } = view;
  if (isTable(options) && unknown.length > 0) note(`No revision is recorded for ${unknown.join(', ')}.`);
}

async function history(name: string, options: HistoryOptions): Promise<void> {
  await useApplication(name, options, (kube, application) => show(kube, application, options));
}

/** `fairlead history`: the revisions of an Application, and where each of them is. */
export function historyCommand(): Command {
  const command = new Command('history').description(
    'Show the revisions of an Application, and which clusters have them.',
  );
  return withOutput(withApplication(command)).action(history);
}
