import { expect, test } from '@jest/globals';
import { pauseMs } from '#console/web/model/editor-commands.js';

test.each([
  [0, 400],
  [50_000, 450],
  [900_000, 1_300],
])('a text of %i characters is read after %i ms', (length, ms) => expect(pauseMs('a'.repeat(length))).toBe(ms));
