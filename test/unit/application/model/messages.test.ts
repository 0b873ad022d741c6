import { describe, expect, it } from '@jest/globals';
import { describeChild, shortened } from '#controllers/application/model/child/messages.js';

describe('a child', () => {
  it('is named by kind, namespace and name', () => {
    const metadata = { name: 'web-prod', namespace: 'shop' };
    expect(describeChild({ apiVersion: 'v2', kind: 'HelmRelease', metadata })).toBe('HelmRelease shop/web-prod');
  });
});

describe('a message', () => {
  it.each([
    ['stays as it is when it is short', 'all is well', 'all is well'],
    ['becomes one line', ' first\n\tsecond  third\n', 'first second third'],
    ['stays whole at the limit', 'x'.repeat(300), 'x'.repeat(300)],
  ])('%s', (_, text, expected) => {
    expect(shortened(text)).toBe(expected);
  });

  it('that is too long keeps its start and its cause', () => {
    const text = shortened(`install failed: ${'x'.repeat(1_000)}: connection refused`);
    expect(text).toHaveLength(300);
    expect(text).toMatch(/^install failed: .* \.\.\. .*: connection refused$/);
  });

  it('is as short as asked for', () => {
    expect(shortened('a'.repeat(50), 20)).toHaveLength(20);
  });
});
