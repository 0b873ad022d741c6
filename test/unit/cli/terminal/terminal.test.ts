import { describe, expect, test } from '@jest/globals';
import { terminalOf } from '#cli/output/model/terminal.js';

const TTY = { isTTY: true, columns: 100, rows: 30 };

describe('a stream', () => {
  test.each<[string, object, Record<string, string>, object]>([
    ['is live, coloured and as wide as it is on a terminal', TTY, {}, { columns: 100, isLive: true, hasColors: true }],
    ['has no end of lines in a pipe', {}, { COLUMNS: '80' }, { columns: undefined, isLive: false, hasSymbols: false }],
    ['has 80 columns on a terminal without a size', { isTTY: true, columns: 0 }, {}, { columns: 80, rows: 24 }],
    ['is plain on a dumb terminal', TTY, { TERM: 'dumb' }, { isLive: false, hasColors: false, hasSymbols: false }],
    ['only grows in CI', TTY, { CI: 'true' }, { isLive: false, hasColors: true }],
    ['has no colours with NO_COLOR', TTY, { NO_COLOR: '1' }, { hasColors: false, hasSymbols: true }],
    ['has colours with an empty NO_COLOR', TTY, { NO_COLOR: '' }, { hasColors: true }],
    ['has colours in a pipe with FORCE_COLOR', {}, { FORCE_COLOR: '1' }, { hasColors: true, hasSymbols: false }],
    ['has none with FORCE_COLOR=0', {}, { FORCE_COLOR: '0' }, { hasColors: false }],
    ['has none when both are set', TTY, { FORCE_COLOR: '1', NO_COLOR: '1' }, { hasColors: false }],
  ])('%s', (_, stream, environment, expected) => {
    expect(terminalOf(stream, environment)).toMatchObject(expected);
  });
});
