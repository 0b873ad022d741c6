import { describe, expect, test } from '@jest/globals';
import type { Option } from 'commander';
import { everyVerb } from '../../support/every-verb.js';

const ALL = await everyVerb();

const CONNECTION = ['--kubeconfig', '--context'];
const LISTING = [...CONNECTION, '-n, --namespace', '-A, --all-namespaces', '-o, --output'];
const SHOWING = [...CONNECTION, '-n, --namespace', '-o, --output'];
const ACTING = [...CONNECTION, '-n, --namespace', '--dry-run'];
const ROLLOUT = ['approve', 'pause', 'resume', 'ignore-windows', 'retry', 'abort'].map((action) => `rollout ${action}`);

/** What users expect of all verbs of a kind. Every verb is of one. */
const KINDS: Readonly<Record<string, { readonly flags: readonly string[]; readonly verbs: readonly string[] }>> = {
  'lists objects': { flags: LISTING, verbs: ['status', 'source', 'clusters', 'pending', 'template list'] },
  'shows one object': {
    flags: SHOWING,
    verbs: ['tree', 'events', 'explain', 'history', 'rollout status', 'template show'],
  },
  'asks for something': {
    flags: ACTING,
    verbs: ['sync', 'suspend', 'resume', 'rollback', ...ROLLOUT, 'template save', 'template use', 'template share'],
  },
  'takes an object over': { flags: [...CONNECTION, '-n, --namespace', '--yes'], verbs: ['adopt'] },
  'compares two things': { flags: SHOWING, verbs: ['diff', 'template diff'] },
  'passes on what a pod prints': { flags: [...CONNECTION, '-n, --namespace'], verbs: ['logs'] },
  'applies files': { flags: [...CONNECTION, '-n, --namespace', '--server-dry-run'], verbs: ['apply'] },
  'reads files, or one object': { flags: SHOWING, verbs: ['render'] },
  'tells of a cluster': { flags: [...CONNECTION, '-o, --output'], verbs: ['check', 'version'] },
  'changes a cluster': { flags: CONNECTION, verbs: ['install', 'uninstall'] },
  'runs until it is ended': { flags: CONNECTION, verbs: ['controller', 'console'] },
  'is for this machine': { flags: [], verbs: ['demo', 'completion', 'sandbox up', 'sandbox down', 'sandbox env'] },
};

const ROWS = Object.entries(KINDS).flatMap(([kind, { flags, verbs }]) =>
  verbs.map((verb) => [verb, kind, flags] as const),
);

function spelling({ short, long }: Option): string {
  return [short, long].filter((each) => each !== undefined).join(', ');
}

test('every verb is of one kind', () => {
  expect(ROWS.map(([verb]) => verb).sort()).toEqual([...ALL.keys()].sort());
});

test.each(ROWS)('%s, which %s, has the flags of its kind', (verb, _, flags) => {
  expect(ALL.get(verb)?.options.map(spelling)).toEqual(expect.arrayContaining([...flags]));
});

describe('one flag means the same everywhere', () => {
  const options = [...ALL].flatMap(([verb, command]) => command.options.map((option) => [verb, option] as const));
  const named = (long: string) => options.filter(([, option]) => option.long === long);

  test.each([
    ['--kubeconfig', /^--kubeconfig <file>$/],
    ['--context', /^--context <name>$/],
    ['--namespace', /^(-n, )?--namespace <name>$/],
    ['--output', /^-o, --output <format>$/],
    ['--cluster', /^--cluster <(name|kind\/name)>$/],
    ['--timeout', /^--timeout <duration>$/],
    ['--filename', /^-f, --filename <file>$/],
    ['--dry-run', /^--dry-run$/],
  ])('%s', (long, expected) => {
    const spelled = new Set(named(long).map(([, { flags }]) => flags));
    expect(spelled.size).toBeGreaterThan(0);
    for (const each of spelled) expect(each).toMatch(expected);
  });

  test.each(named('--output').map(([verb, { argChoices }]) => [verb, argChoices] as const))(
    '%s prints the formats of all',
    (verb, choices) => {
      expect(choices).toEqual(verb === 'render' ? ['yaml', 'json'] : ['table', 'wide', 'json', 'yaml']);
    },
  );
});

describe('the help of every verb', () => {
  test.each([...ALL])('%s', (verb, command) => {
    expect(command.description()).toMatch(/^[A-Z].*\.$/);
    // Those of servers are sentences of the docs.
    const isServer = KINDS['runs until it is ended']?.verbs.includes(verb) === true;
    const form = isServer ? /^.+\.$/s : /^([^A-Z]|KIND|Applications).*[^.]$/;
    for (const { flags, description } of command.options) {
      expect({ flags, description }).toEqual({ flags, description: expect.stringMatching(form) });
    }
    for (const argument of command.registeredArguments) {
      expect(argument.description).not.toBe('');
    }
  });
});
