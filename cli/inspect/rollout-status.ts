import { Command } from 'commander';
import { rolloutProgress } from '#queries/plans/rollout-progress.js';
import { useApplication, withApplication } from '../command/application.js';
import type { NamespaceOptions } from '../command/connection.js';
import { inFormat, type OutputOptions, withOutput } from '../output/listing.js';
import { outputTerminal, print } from '../output/standard-output.js';
import { rolloutText } from './model/rollout-text.js';

async function show(name: string, options: NamespaceOptions & OutputOptions): Promise<void> {
  await useApplication(name, options, (_, application) => {
    const now = Date.now();
    const view = rolloutProgress(application, now);
    const { namespace } = application.metadata;
    if ('problem' in view) throw new Error(`Application ${namespace}/${name}: ${view.problem}`);
    const terminal = outputTerminal();
    const shownOn = (wide: boolean) => (wide ? { ...terminal, columns: undefined } : terminal);
    print(inFormat(options, view, (wide) => rolloutText(view, { wide, terminal: shownOn(wide), now })));
    return Promise.resolve();
  });
}

/** `fairlead rollout status`: how far the rollout of an Application is, and how it goes on. */
export function rolloutStatusCommand(): Command {
  const command = new Command('status').description('Show stages, clusters and times, and what it waits for.');
  return withOutput(withApplication(command)).action(show);
}
