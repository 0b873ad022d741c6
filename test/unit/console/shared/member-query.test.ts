import { describe, expect, it } from '@jest/globals';
import { logsQueryOf, memberQueryOf } from '#console/shared/member-query.js';
import type { QueryString } from '#console/shared/list-query.js';

describe('a query of a tree or of events', () => {
  it('may name a cluster', () => {
    expect(memberQueryOf({})).toEqual({});
    expect(memberQueryOf({ cluster: 'eu' })).toEqual({ cluster: 'eu' });
  });

  it.each<[string, QueryString, string]>([
    ['another key', { pod: 'x' }, '"pod" is no key of this query; choose from cluster'],
    ['two clusters', { cluster: ['eu', 'us'] }, 'cluster: it must have one value'],
    ['no name', { cluster: '' }, 'cluster: it must have one value'],
  ])('is refused with %s', (_, query, message) => {
    expect(() => memberQueryOf(query)).toThrow(expect.objectContaining({ code: 400, message }));
  });
});

describe('a query of logs', () => {
  it('has the last thousand lines, once', () => {
    expect(logsQueryOf({})).toEqual({ follow: false, previous: false, tail: 1_000 });
  });

  it('chooses one container', () => {
    const query = { cluster: 'eu', pod: 'web', container: 'app', follow: 'true', previous: 'true', tailLines: '0' };
    const { cluster, pod, container } = query;
    expect(logsQueryOf(query)).toEqual({ cluster, pod, container, follow: true, previous: true, tail: 0 });
  });

  it.each<[QueryString, string]>([
    [{ follow: '1' }, 'follow: it must be true or false'],
    [{ previous: 'yes' }, 'previous: it must be true or false'],
    [{ tailLines: '10001' }, 'tailLines: it must be a number of lines from 0 to 10000'],
    [{ tailLines: '-1' }, 'tailLines: it must be a number of lines from 0 to 10000'],
    [{ tail: '1' }, '"tail" is no key of this query; choose from cluster, pod, container, follow, previous, tailLines'],
  ])('%j is refused', (query, message) => {
    expect(() => logsQueryOf(query)).toThrow(expect.objectContaining({ code: 400, message }));
  });
});
