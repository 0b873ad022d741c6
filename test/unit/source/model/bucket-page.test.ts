import { expect, test } from '@jest/globals';
import { parseBucketPage, unquoted } from '#controllers/source/bucket/model/listing.js';
import { cpuMsOf } from '../../../support/cpu-time.js';

const HEAD =
  '<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">';
const page = (inner: string, end = '<IsTruncated>false</IsTruncated>'): string =>
  `${HEAD}${inner}${inner.includes('IsTruncated') ? '' : end}</ListBucketResult>`;
const contents = (key: string, more = '<Size>3</Size>'): string =>
  `<Contents><Key>${key}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>&quot;abc&quot;</ETag>${more}</Contents>`;

test.each([
  ['one page', page(`<Name>n</Name>${contents('a.yaml')}`), { objects: [{ key: 'a.yaml', etag: 'abc', bytes: 3 }] }],
  ['an empty bucket', page('<KeyCount>0</KeyCount><IsTruncated>false</IsTruncated>'), { objects: [] }],
  [
    'a page with another after it',
    page(`<IsTruncated>true</IsTruncated><NextContinuationToken>n&amp;x</NextContinuationToken>${contents('a')}`),
    { objects: [{ key: 'a', etag: 'abc', bytes: 3 }], token: 'n&x' },
  ],
  [
    'a token of the last page does not count',
    page('<IsTruncated>false</IsTruncated><NextContinuationToken>x</NextContinuationToken>'),
    { objects: [] },
  ],
  [
    'keys that are escaped',
    page(`<EncodingType>url</EncodingType>${contents('a+b/%C3%BC%0A%2B')}`),
    { objects: [{ key: 'a b/ü\n+', etag: 'abc', bytes: 3 }] },
  ],
  ['spaces around what it says', page('<IsTruncated> False </IsTruncated>'), { objects: [] }],
  ['keys that are not', page(contents('a+b%20')), { objects: [{ key: 'a+b%20', etag: 'abc', bytes: 3 }] }],
  [
    'fields of an owner are not those of the list',
    page(contents('a', '<Size>3</Size><Owner><ID>1</ID><EncodingType>url</EncodingType></Owner>')),
    { objects: [{ key: 'a', etag: 'abc', bytes: 3 }] },
  ],
])('%s', (_title, xml, expected) => {
  expect(parseBucketPage(xml)).toEqual(expected);
});

test.each([
  ['a page of a website', '<!DOCTYPE html><html><body><ListBucketResult/></body></html>'],
  ['JSON', '{"ListBucketResult": []}'],
  ['nothing', ''],
  ['an error', '<Error><Code>AccessDenied</Code></Error>'],
  ['half of a page', page(contents('a')).slice(0, -30)],
  ['a page with others after it that cannot be asked for', page('<IsTruncated>true</IsTruncated>')],
  ['a page that does not say whether others follow', page(contents('a'), '')],
  ['a page that says it in another way', page('<IsTruncated>no</IsTruncated>')],
  ['a key that no object may have', page(contents('k'.repeat(1_025)))],
  ['an ETag that is none', page(contents('a').replace('abc', 'e'.repeat(300)))],
  ['an object without a size', page(contents('a', ''))],
  ['an object with a size below zero', page(contents('a', '<Size>-1</Size>'))],
  ['an entity of its own', `<!DOCTYPE a [<!ENTITY x "y">]>${page(contents('&x;')).slice(39)}`],
  ['elements in elements', page('<a>'.repeat(100_000))],
])('is no list: %s', (_title, xml) => {
  expect(parseBucketPage(xml)).toBeUndefined();
});

test('a page as large as may be takes a moment', () => {
  const large = page(contents('a').repeat(30_000));
  expect(cpuMsOf(() => expect(parseBucketPage(large)?.objects).toHaveLength(30_000))).toBeLessThan(10_000);
});

test.each([
  ['"abc"', 'abc'],
  ['abc', 'abc'],
  ['', ''],
])('an ETag without quotes: %s', (etag, plain) => {
  expect(unquoted(etag)).toBe(plain);
});
