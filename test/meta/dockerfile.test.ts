import { expect, test } from '@jest/globals';
import { PROGRAMS } from '#manager/programs.js';
import { textOf } from './repository.js';

const text = textOf('Dockerfile');
const args = new Map([...text.matchAll(/^ARG (\w+)=(\S+)$/gm)].map(([, name = '', value = '']) => [name, value]));
const stages = [...text.matchAll(/^FROM (\S+)(?: AS (\S+))?$/gm)].map(([, image = '', name]) => ({ image, name }));

const [, base = ''] = /^FROM \S+ AS base$([^]*?)^FROM /m.exec(text) ?? [];

test('every image is an argument, so that a release can set its digest', () => {
  const ofArguments = stages.map(({ image }) => /^\$\{(\w+)\}$/.exec(image)?.[1]);
  expect(ofArguments.every((name) => name !== undefined && args.has(name))).toBe(true);
  const names = stages.flatMap(({ name }) => name ?? []);
  const pulled = [...args].filter(([, image]) => !names.includes(image)).map(([name]) => name);
  expect(pulled).toEqual(['NODE_IMAGE', 'GO_IMAGE', 'SLIM_IMAGE']);
  for (const name of pulled) expect(textOf('docs/security.md')).toContain(`${name}=`);
});

test('the image holds a slim Debian, the programs that are run, and the account of config/manager', () => {
  expect(args.get('BASE_IMAGE')).toBe('base');
  expect(args.get('SLIM_IMAGE')).toMatch(/-slim$/);
  const [, packages = ''] = /--no-install-recommends ([\w -]+)/.exec(base) ?? [];
  expect(packages.trim().split(' ')).toEqual(['ca-certificates', 'git', 'openssh-client']);
  const last = text.slice(text.lastIndexOf('\nFROM '));
  for (const { command } of PROGRAMS) expect(`${packages} ${last}`).toMatch(new RegExp(`[/ ]${command}\\b`));
  const user = /runAsUser: (\d+)/.exec(textOf('config/manager/deployment.yaml'))?.[1] ?? 'none';
  expect(base).toContain(`useradd --uid ${user} `);
  expect(last).toContain(`USER ${user}:${user}`);
});
