import { oneLine } from '../controllers/runtime/pure/one-line.js';
import { Command } from 'commander';
import { installedDeployment } from '../controllers/preview/installation.js';
import { withConnection, withKube, type ConnectionOptions } from './connection.js';
import { imageOf } from './install/choices.js';
import { packageVersion } from './package-version.js';

interface VersionOptions extends ConnectionOptions {
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
  process.stdout.write(`fairlead    ${packageVersion()}\n`);
  if (options.client === true) return;
  await withKube(options, async (kube) => {
    const deployment = await installedDeployment(kube);
    const image = deployment === undefined ? `not installed in ${kube.server}` : oneLine(imageOf(deployment));
    process.stdout.write(`controller  ${image}\n`);
  });
}

/** `fairlead version`: exit code 1 when the cluster does not answer. */
export function versionCommand(): Command {
  const command = new Command('version')
    .description('Show the version of this program and the image of the installed controller.')
    .option('--client', 'only the version of this program');
  return withConnection(command).action(version);
}
