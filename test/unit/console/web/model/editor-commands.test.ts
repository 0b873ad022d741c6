import { expect, it } from '@jest/globals';
import { EDITOR_COMMANDS } from '#console/web/model/editor-commands.js';

it('names the file of each command', () => {
  expect(EDITOR_COMMANDS.map(({ command }) => command)).toEqual([
    'fairlead diff -f application.yaml',
    'fairlead apply -f application.yaml --wait',
    'kubectl apply --server-side -f application.yaml',
  ]);
});
