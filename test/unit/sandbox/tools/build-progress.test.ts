import { describe, expect, test } from '@jest/globals';
import { isPackageLine, progressLine } from '#sandbox/tools/build-progress.js';

describe('progressLine', () => {
  test.each([
    ['before the packages are counted', { done: 0, total: 0, elapsedMs: 12_400 }, 'fetching and reading Go modules, 12 s'],
    ['too early for an estimate', { done: 99, total: 3_000, elapsedMs: 20_000 }, 'compiling: 99 of 3000 packages'],
    ['at a steady pace', { done: 1_000, total: 3_000, elapsedMs: 240_000 }, 'compiling: 1000 of 3000 packages, about 8 min left'],
    ['in the last minute', { done: 2_700, total: 3_000, elapsedMs: 270_000 }, 'compiling: 2700 of 3000 packages, about 30 s left'],
    ['never below ten seconds', { done: 2_960, total: 3_000, elapsedMs: 60_000 }, 'compiling: 2960 of 3000 packages, about 10 s left'],
    ['when only the linker is left', { done: 2_999, total: 3_000, elapsedMs: 300_000 }, 'compiling: 2999 of 3000 packages, then linking'],
  ])('%s', (_when, progress, line) => {
    expect(progressLine(progress)).toBe(line);
  });
});

describe('isPackageLine', () => {
  test.each([
    ['k8s.io/api/core/v1', true],
    ['fmt', true],
    ['vendor/golang.org/x/net/http2/hpack', true],
    ['gopkg.in/inf.v0', true],
    ['# k8s.io/api/core/v1', false],
    ['./main.go:12:2: undefined: x', false],
    ['go: downloading k8s.io/api v0.35.4', false],
    ['', false],
  ])('%j: %s', (line, isPackage) => {
    expect(isPackageLine(line)).toBe(isPackage);
  });
});
