import { afterEach, describe, expect, it } from '@jest/globals';
import { Connections } from '#runtime/client/connections.js';

describe('the pools of one server', () => {
  const connections = new Connections({ origin: 'https://127.0.0.1:1', most: 4 });

  afterEach(() => connections.close());

  it('are one for equal certificates and a new one for others', () => {
    const first = connections.poolFor({ cert: Buffer.from('a'), key: 'k' });
    expect(connections.poolFor({ cert: Buffer.from('a'), key: 'k' })).toBe(first);
    const second = connections.poolFor({ cert: Buffer.from('b'), key: 'k' });
    expect(second).not.toBe(first);
    expect(connections.poolFor({ cert: Buffer.from('b'), key: 'k' })).toBe(second);
  });
});
