import { expect, test } from '@jest/globals';
import { outputOrRefusal } from '#engine/process/run.js';

function ended(code: number): ReturnType<typeof outputOrRefusal> {
  return outputOrRefusal('helm', { code, stdout: '---\n', stderr: ' no \n' }, (stderr) => stderr.trim());
}

test.each([
  [0, { output: '---\n' }],
  [1, { problem: 'no' }],
])('exit code %i is an answer', (code, expected) => {
  expect(ended(code)).toEqual(expected);
});

test.each([2, 137])('exit code %i is trouble of the machine, and no refusal', (code) => {
  const message = `helm crashed with exit code ${code}: no`;
  expect(() => ended(code)).toThrow(expect.objectContaining({ reason: 'ProcessFailed', message }));
});
