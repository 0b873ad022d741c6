import type { Command } from 'commander';
import { oneLine } from '#lib/text/text.js';
import { installedDeployment } from '#queries/plans/installation.js';
import { withConnection, withKube, type ConnectionOptions } from '../command/connection.js';
import { inFormat, isTable, withOutput, type OutputOptions } from '../output/listing.js';
import { packageVersion } from '../command/program-info.js';
import { print } from '../output/standard-output.js';
import { imageOf } from './choices.js';

interface VersionOptions extends ConnectionOptions, OutputOptions {
  readonly client?: true;
}

/** Throws when flags do not go together. */
function checkFlags({ client, kubeconfig, context }: VersionOptions): void {
  if (client !== true || (kubeconfig === undefined && context === undefined)) return;
  const idle = kubeconfig === undefined ? 'context' : 'kubeconfig';
  throw new Error(`--client asks no cluster, which --${idle} is for: use only one of the two`);
}

async function version(options: VersionOptions): Promise<void> {
  checkFlags(options);
  const client = packageVersion();
  if (isTable(options)) print(`fairlead    ${client}`);
  if (options.client === true) {
    if (!isTable(options)) print(inFormat(options, { client }, String));
    return;
  }
  await withKube(options, async (kube) => {
    const { server } = kube;
    const deployment = await installedDeployment(kube);
    const image = deployment && imageOf(deployment);
    const all = { client, server, ...(image === undefined ? {} : { image }) };
    print(inFormat(options, all, () => `controller  ${oneLine(image ?? `not installed in ${server}`)}`));
  });
}

/** `fairlead version`: exit code 1 when the cluster does not answer. */
export function versionCommand(command: Command): void {
  command.option('--client', 'only the version of this program');
  withConnection(withOutput(command)).action(version);
}
