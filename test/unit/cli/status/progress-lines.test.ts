import { describe, expect, test } from '@jest/globals';
import { progressLines } from '#cli/status/ready.js';
import { application, RUNNING, STALLED } from '../../../support/application.js';

const READY = '{ conditions: [{ type: Ready, status: "True", message: all fine }], summary: { ready: 2/2 } }';
const PIPE = { columns: undefined, rows: undefined, isLive: false, hasColors: false, hasSymbols: false };

describe('progress', () => {
  const all = [application('web', RUNNING), application('shopping-cart', READY), application('broken', STALLED)];

  test('is one line per Application, by name, with words only where somebody has to act', () => {
    expect(`\n${progressLines(all, PIPE)}\n`).toBe(`
broken              Stalled      spec.fluxApp.spec.source is missing
shopping-cart  2/2  Ready
web            1/2  Progressing
`);
  });

  test('has symbols on a terminal', () => {
    expect(
      progressLines(all, { ...PIPE, hasSymbols: true })
        .split('\n')
        .at(1),
    ).toBe('shopping-cart  2/2  ✓ Ready');
  });
});
