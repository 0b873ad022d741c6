import type { Command } from 'commander';

/** What may follow one verb, e.g. ` sandbox up`; empty for the program itself. */
export interface CompletionWords {
  /** Each verb with a space before it, so that they can be put together. */
  readonly verb: string;
  readonly words: readonly string[];
  /** The values of flags, by each spelling of the flag; empty where there are not only a few, as for files. */
  readonly values: ReadonlyMap<string, readonly string[]>;
}

const HELP = '--help';

function spellings({ long, short }: Command['options'][number]): string[] {
  return [long, short].filter((each) => each !== undefined);
}

function valuesOf({ options }: Command): Map<string, readonly string[]> {
  return new Map(
    options.flatMap((option) => {
      const { argChoices = [], required } = option;
      return required ? spellings(option).map((flag) => [flag, argChoices] as const) : [];
    }),
  );
}

/** The words of a command and of those below it, in the order of the help. */
export function completionWords(command: Command, verb = ''): CompletionWords[] {
  const flags = command.options.flatMap(({ long }) => long ?? []);
  const words = [...command.commands.map((each) => each.name()), ...flags, HELP];
  return [
    { verb, words, values: valuesOf(command) },
    ...command.commands.flatMap((each) => completionWords(each, `${verb} ${each.name()}`)),
  ];
}
