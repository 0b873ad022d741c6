import { expect, test } from '@jest/globals';
import { machineProblem } from '#engine/artifact/disk-error.js';

test.each<[string, unknown, string | undefined]>([
  ['too many open files', { code: 'EMFILE', syscall: 'open' }, 'EMFILE'],
  ['no memory', { code: 'ENOMEM', syscall: 'read' }, 'ENOMEM'],
  ['a volume that was mounted anew', { code: 'ESTALE', syscall: 'read' }, 'ESTALE'],
  ['no permission', { code: 'EACCES', syscall: 'mkdir' }, 'EACCES'],
  ['a name that is too long', { code: 'ENAMETOOLONG', syscall: 'open' }, undefined],
  ['a file below a file', { code: 'ENOTDIR', syscall: 'open' }, undefined],
  ['damaged data', { code: 'Z_DATA_ERROR', errno: -3 }, undefined],
  ['no error at all', null, undefined],
])('%s', (_title, error, problem) => {
  expect(machineProblem(error)).toBe(problem);
});
