import { Command } from 'commander';
import { oneLine } from '#lib/text/text.js';
import { installedDeployment } from '#queries/plans/installation.js';
import { withConnection, withKube, type ConnectionOptions } from './connection.js';
import { inFormat, isTable, withOutput, type OutputOptions } from './listing.js';
import { imageOf } from './install/choices.js';
import { packageVersion } from './program-name.js';
import { print } from './terminal/standard-output.js';

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
export function versionCommand(): Command {
  const command = new Command('version')
    .description('Show the version of this program and the image of the installed controller.')
    .option('--client', 'only the version of this program');
  return withConnection(withOutput(command)).action(version);
}
