import { describe, expect, test } from '@jest/globals';
import { asTyped, programName } from '#cli/command/program-info.js';

describe('the program', () => {
  test.each([
    ['is typed through npm in a checkout', 'fairlead', 'npm run -s fairlead --'],
    ['is typed so after npm start, too', 'start', 'npm run -s fairlead --'],
    ['has its own name when npm runs something else', 'test', 'fairlead'],
    ['has its own name without npm', '', 'fairlead'],
  ])('%s', (_, script, expected) => expect(programName(script)).toBe(expected));
});

test.each([
  ['/usr/local/bin/kubectl-fairlead', '', 'kubectl fairlead'],
  ['/usr/local/bin/kubectl-fairlead', 'start', 'kubectl fairlead'],
  ['/usr/local/bin/fairlead', '', 'fairlead'],
  ['/kubectl-fairlead/dist/cli/main.js', '', 'fairlead'],
])('%s, which npm runs for script "%s", is typed %s', (file, script, expected) => {
  expect(programName(script, file)).toBe(expected);
});

test('a text names commands as they are typed', () => {
  const text = 'run `fairlead install` first, or `fairlead sandbox down`; fairlead is not `fairlead`';
  expect(asTyped(text, 'npm run -s fairlead --')).toBe(
    'run `npm run -s fairlead -- install` first, or `npm run -s fairlead -- sandbox down`; fairlead is not `fairlead`',
  );
});
