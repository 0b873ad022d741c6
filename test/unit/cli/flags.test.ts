import { describe, expect, test } from '@jest/globals';
import { CommanderError, type Command, type Option } from 'commander';
import { VERBS } from '#cli/verbs.js';

interface Verb {
  /** As typed, e.g. `sandbox up`. */
  readonly path: string;
  readonly command: Command;
}

function verbsOf(command: Command): Verb[] {
  if (command.commands.length === 0) return [{ path: command.name(), command }];
  return command.commands.map((part) => ({ path: `${command.name()} ${part.name()}`, command: part }));
}

const ALL: Verb[] = [];
// One after the other: jest cannot import the same modules twice at once.
for (const { load } of VERBS) ALL.push(...verbsOf(await load()));
const ROWS = ALL.flatMap(({ path, command }) =>
  command.options.map((option) => [`${path} ${option.long ?? ''}`, command, option] as const),
);
const isBoolean = ({ required, optional }: Option): boolean => !required && !optional;

/** What the parser prints for these arguments; throws when it accepts them. The verb itself never runs. */
async function refusalOf(command: Command, args: readonly string[]): Promise<string> {
  let printed = '';
  command
    .exitOverride()
    .configureOutput({ writeErr: (text) => (printed += text) })
    .action(() => Promise.reject(new Error(`accepts ${args.join(' ')}`)));
  try {
    await command.parseAsync(args, { from: 'user' });
  } catch (error: unknown) {
    if (error instanceof CommanderError) return printed;
    // Parsers whose message must not quote the value.
    if (error instanceof Error && !error.message.startsWith('accepts ')) return error.message;
    throw error;
  }
  throw new Error(`accepts ${args.join(' ')}`);
}

describe('every flag of every verb', () => {
  test('is found', () => expect(ROWS.length).toBeGreaterThan(50));

  test.each(ROWS.filter(([, , option]) => option.required))('%s needs its value', async (_, command, { long }) => {
    expect(await refusalOf(command, [long ?? ''])).toMatch(
      new RegExp(`^error: option '.*${long}.*' argument missing\n`),
    );
  });

  // These are checked after the parser: see test/e2e/command-line.test.ts.
  const isParsed = (name: string): boolean => !/^(controller|console) /.test(name) && name !== 'status --wait';

  test.each(ROWS.filter(([name, , option]) => !isBoolean(option) && isParsed(name)))(
    '%s takes no empty value, as that of a variable that is not set',
    async (_, command, { long }) => {
      const [line = ''] = (await refusalOf(command, [`${long}=`])).split('\n');
      expect(line).toContain(long);
      expect(line).toMatch(/must be |Allowed choices are /);
    },
  );

  test.each(ROWS.filter(([, , option]) => isBoolean(option)))('%s takes no value', async (_, command, { long }) => {
    expect(await refusalOf(command, [`${long}=x`])).toMatch(new RegExp(`^error: unknown option '${long}=x'`));
  });
});
