import type { Command } from 'commander';
import { readFluxObjectTree } from '#queries/host/flux-objects.js';
import { fluxObjectView } from '#queries/host/model/flux-object.js';
import { readTree } from '#queries/members/read-tree.js';
import { inFormat, withOutput, type OutputOptions } from '../output/listing.js';
import {
  selectedDestinations,
  useApplication,
  withApplication,
  withCluster,
  type ClusterOptions,
} from '../command/application.js';
import { inNamespace } from '../command/connection.js';
import { fluxObjectIn, type FluxObjectName, readFluxObject } from '../command/flux-object.js';
import { outputTerminal, print } from '../output/standard-output.js';
import { fluxTreeText, treeText } from './model/tree-text.js';

const NAMED = 'an Application; or KIND/NAME of a HelmRelease or Kustomization, e.g. hr/web';

type TreeOptions = ClusterOptions & OutputOptions;

async function objectTree(wanted: FluxObjectName, options: TreeOptions): Promise<void> {
  const { cluster } = options;
  if (cluster !== undefined)
    throw new Error(`--cluster ${cluster} selects destinations of an Application: leave it out`);
  await inNamespace(options, async (kube, namespace) => {
    const view = await readFluxObjectTree(kube, fluxObjectView(await readFluxObject(kube, wanted, namespace)));
    print(inFormat(options, view, (wide) => fluxTreeText(view, { wide, terminal: outputTerminal() })));
  });
}

async function tree(name: string, options: TreeOptions): Promise<void> {
  const object = fluxObjectIn(name);
  if (object !== undefined) {
    await objectTree(object, options);
    return;
  }
  await useApplication(name, options, async (kube, application) => {
    selectedDestinations(application, options);
    const view = await readTree(kube, application, options);
    print(inFormat(options, view, (wide) => treeText(view, { wide, terminal: outputTerminal() })));
  });
}

/** `fairlead tree`: reads, with the rights of the user, and writes nothing. */
export function treeCommand(command: Command): void {
  withOutput(withCluster(withApplication(command, NAMED))).action(tree);
}
