import { expect, test } from '@jest/globals';
import { nextLink } from '#controllers/source/oci/registry.js';

test.each([
  ['</v2/a/tags/list?n=2&last=b>; rel="next"', '/v2/a/tags/list?n=2&last=b'],
  ['</next>; rel=next', '/next'],
  ['</before>; rel="prev", </next>; rel="next"', '/next'],
  ['</next>; title="x"; REL="next"; type="text/html"', '/next'],
  ['</before>; rel="prev"', undefined],
  ['</other>; rel="nextish"', undefined],
  ['', undefined],
])('%s', (header, target) => expect(nextLink(header)).toBe(target));
