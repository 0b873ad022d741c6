import { describe, expect, test } from '@jest/globals';
import type { Command } from 'commander';
import { VERBS as LOADERS } from '#cli/verbs.js';
import { blocksIn } from '../support/doc-blocks.js';
import { filesBelow, textOf } from './repository.js';

const VERBS: Command[] = [];
// One after the other: jest cannot import the same modules twice at once.
for (const { load } of LOADERS) VERBS.push(await load());
const PAGES = ['README.md', ...filesBelow('docs'), ...filesBelow('samples'), 'sandbox/README.md'].filter(
  (file) => file.endsWith('.md') && !file.startsWith('docs/decisions/'),
);
/** `--debug` and `--help` belong to all. */
const OF_ALL = ['--debug', '--help'];

/** What is run in a page: lines of shell blocks, and commands in backticks. */
function commandsIn(page: string): string[] {
  const blocks = blocksIn(page, 'sh').flatMap((block) => block.text.replaceAll(/\\\n\s*/g, '').split('\n'));
  const inline = [...textOf(page).matchAll(/`((?:fairlead|npm) [^`\n]+)`/g)].map(([, command = '']) => command);
  return [...blocks, ...inline];
}

const COMMANDS = PAGES.flatMap((page) => commandsIn(page).map((command) => [page, command] as const));

/** Words of a command after `fairlead`, whichever way it is typed. */
function argumentsIn(command: string): string[] | undefined {
  const [plain = ''] = command.split(/ +#| && | \|/);
  const typed = plain.replace(/npm start(?: --)?/, 'fairlead demo').replace('npm run -s fairlead --', 'fairlead');
  const found = /(?:^|\$\()fairlead ((?:\$\([^)]*\)|[^)])*)/.exec(typed.trim())?.[1];
  return found
    ?.replaceAll(/"\$\([^)]*\)"/g, 'VALUE')
    .trim()
    .split(/\s+/);
}

function unknownIn(words: readonly string[]): string[] {
  const [name = '', ...rest] = words.filter((word) => !OF_ALL.includes(word));
  const verb = VERBS.find((each) => each.name() === name);
  if (verb === undefined) return /^[A-Z]+$/.test(name) ? [] : [name];
  const part = verb.commands.find((each) => each.name() === rest[0]);
  const options = [verb, ...(part === undefined ? [] : [part])].flatMap((each: Command) => each.options);
  const known = options.flatMap(({ long, short }) => [long, short]);
  return rest.filter((word) => word.startsWith('-')).filter((flag) => !known.includes(flag.replace(/=.*/, '')));
}

describe('a command in the docs', () => {
  const ours = COMMANDS.map(([page, command]) => [page, command, argumentsIn(command)] as const).filter(
    (each): each is readonly [string, string, string[]] => each[2] !== undefined,
  );

  test('is read as one', () => expect(ours.length).toBeGreaterThan(20));

  test.each(ours)('%s: %s has a verb and flags that exist', (_page, _command, words) => {
    expect(unknownIn(words)).toEqual([]);
  });

  const scripts = COMMANDS.flatMap(([page, command]) =>
    [...command.matchAll(/npm (?:run (?:-s )?)([\w:]+)/g)].map(([, script = '']) => [page, script] as const),
  );

  test.each(scripts)('%s: npm run %s is a script', (_page, script) => {
    expect(Object.keys((JSON.parse(textOf('package.json')) as { scripts: object }).scripts)).toContain(script);
  });
});
