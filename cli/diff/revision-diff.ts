import type { CommanderError } from 'commander';
import type { Difference } from '#lib/json/field-changes.js';
import { printJson } from '#lib/json/lossless-json.js';
import { oneLine } from '#lib/text/text.js';
import { fieldName } from '#queries/views/revision-diff.js';
import { errorLine, ExitError } from '../command/exit.js';
import { inFormat, type OutputOptions } from '../output/listing.js';
import { print } from '../output/standard-output.js';

function shown(value: unknown): string {
  return value === undefined || value === null ? '(none)' : printJson(value);
}

/** A line for each field that differs, with both values. */
export function differenceLines(differences: readonly Difference[]): string[] {
  return differences.map(({ path, old, new: next }) => oneLine(`${fieldName(path)}: ${shown(old)} -> ${shown(next)}`));
}

/** Prints what differs; as with kubectl diff, the program then ends with 1 if something does. */
export function showDifferences(differences: readonly Difference[], options: OutputOptions): void {
  const text = inFormat(options, { differences }, () => differenceLines(differences).join('\n'));
  if (text !== '') print(text);
  process.exitCode = differences.length > 0 ? 1 : 0;
}

/** As kubectl diff: 1 stands for differences. */
export const EXIT_ERROR = 2;

/** Ends the program as a diff does whose arguments are wrong, or which only shows its help. */
export function exitAsDiff({ exitCode }: CommanderError): never {
  process.exit(exitCode === 0 ? 0 : EXIT_ERROR);
}

/** An error of a diff ends the program with its own exit code. */
export async function orDiffError(work: Promise<void>): Promise<void> {
  await work.catch((error: unknown) => {
    throw new ExitError(errorLine(error), EXIT_ERROR, { cause: error });
  });
}
