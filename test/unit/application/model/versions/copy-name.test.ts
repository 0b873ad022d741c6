import { expect, it } from '@jest/globals';
import { copyName, originText } from '#controllers/application/model/spec/resolved-versions.js';

const SOURCE = { kind: 'GitRepository', namespace: 'shop', name: 'fleet' };

it('is known by its source and revision', () => {
  const name = copyName(SOURCE, 'main@sha1:a');
  expect(name).toMatch(/^pinned-fleet-[a-z2-7]{10}$/);
  expect(copyName(SOURCE, 'main@sha1:a')).toBe(name);
  const others = [
    copyName(SOURCE, 'main@sha1:b'),
    copyName({ ...SOURCE, kind: 'OCIRepository' }, 'main@sha1:a'),
    copyName({ ...SOURCE, name: 'base' }, 'main@sha1:a'),
  ];
  expect(new Set([name, ...others]).size).toBe(4);
});

it.each(['a'.repeat(253), 'a.b.c', `${'a'.repeat(45)}.b`])('is a valid name and label value for %s', (name) => {
  expect(copyName({ ...SOURCE, name }, 'x')).toMatch(/^[a-z0-9][-a-z0-9.]{0,61}[a-z0-9]$/);
});

it.each(['fleet', 'a'.repeat(253), `${'a'.repeat(44)}.b`])('has one text with its source %s, and no other', (name) => {
  const copies = ['x', 'y'].map((revision) => originText(copyName({ ...SOURCE, name }, revision)));
  expect(copies).toEqual([originText(name), originText(name)]);
  expect(originText(`x${name}`)).not.toBe(originText(name));
});
