import { Command } from 'commander';
import type { Difference } from '#lib/json/field-changes.js';
import { describeObject } from '#lib/net/urls.js';
import { templateDifferences } from '#queries/views/template-view.js';
import type { Kube } from '#runtime/client/kube.js';
import { inNamespace } from '../connection.js';
import { showDifferences } from '../diff/revision-diff.js';
import { errorLine, ExitError } from '../exit.js';
import { type OutputOptions, withOutput } from '../listing.js';
import { TEMPLATE_ARGUMENT, type TemplateOptions, withTemplate } from './options.js';
import { readSpec, readTemplate, type Wanted } from './read.js';

/** As kubectl diff: 1 stands for differences. */
const EXIT_ERROR = 2;

async function compare(kube: Kube, from: Wanted, to: Wanted): Promise<Difference[]> {
  const [one, other] = [await readTemplate(kube, from), await readTemplate(kube, to)];
  if (one.kind !== other.kind) {
    const both = [one, other].map(({ kind, metadata }) => describeObject(kind, metadata)).join(' and ');
    throw new Error(`${both} have nothing to compare: name two of one kind`);
  }
  return templateDifferences(await readSpec(kube, one, from.text), await readSpec(kube, other, to.text));
}

async function diff(from: string, to: string, options: TemplateOptions & OutputOptions): Promise<void> {
  try {
    await inNamespace(options, async (kube, namespace) => {
      const { kind } = options;
      const differences = await compare(kube, { text: from, namespace, kind }, { text: to, namespace, kind });
      showDifferences(differences, options);
    });
  } catch (error: unknown) {
    throw new ExitError(errorLine(error), EXIT_ERROR, { cause: error });
  }
}

/** `fairlead template diff`: exit codes as those of `fairlead diff`. */
export function diffCommand(): Command {
  const command = new Command('diff')
    .description('Show what differs between two templates, or two revisions of one.')
    .argument('<from>', `${TEMPLATE_ARGUMENT}, optionally with @REVISION`)
    .argument('<to>', 'the other one')
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : EXIT_ERROR));
  return withOutput(withTemplate(command)).action(diff);
}
