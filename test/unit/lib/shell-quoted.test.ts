import { expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { shellQuoted } from '#lib/text/text.js';

it.each(['', 'plain', 'two words', "it's", '$HOME `id` "x" \\ \n', "''"])('a shell reads %j as one word', (text) => {
  expect(execFileSync('/bin/sh', ['-c', `printf %s ${shellQuoted(text)}`], { encoding: 'utf8' })).toBe(text);
});
