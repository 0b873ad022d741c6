import type { Command } from 'commander';
import { readTree } from '#queries/members/read-tree.js';
import { inFormat, withOutput, type OutputOptions } from '../output/listing.js';
import {
  selectedDestinations,
  useApplication,
  withApplication,
  withCluster,
  type ClusterOptions,
} from '../command/application.js';
import { outputTerminal, print } from '../output/standard-output.js';
import { treeText } from './model/tree-text.js';

type TreeOptions = ClusterOptions & OutputOptions;

async function tree(name: string, options: TreeOptions): Promise<void> {
  await useApplication(name, options, async (kube, application) => {
    selectedDestinations(application, options);
    const view = await readTree(kube, application, options);
    print(inFormat(options, view, (wide) => treeText(view, { wide, terminal: outputTerminal() })));
  });
}

/** `fairlead tree`: reads, with the rights of the user, and writes nothing. */
export function treeCommand(command: Command): void {
  withOutput(withCluster(withApplication(command))).action(tree);
}
