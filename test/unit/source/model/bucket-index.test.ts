import { describe, expect, test } from '@jest/globals';
import { indexOf, indexRevision, type ListedObject } from '#controllers/source/bucket/model/listing.js';

const object = (key: string, bytes = 1): ListedObject => ({ key, etag: `etag-of-${key}`, bytes });
const LIMITS = { maxFiles: 4, maxBytes: 1_000 };
const KEYS = ['a.yaml', 'docs/', 'docs/readme.md', 'logo.png', '.sourceignore', '.git/config'];

describe('what of a bucket is fetched', () => {
  test.each([
    ['everything but folders and the ignore file', {}, ['a.yaml', 'docs/readme.md', 'logo.png', '.git/config']],
    ['what the ignore file leaves', { ignoreFile: '*.md\n.git/' }, ['a.yaml', 'logo.png']],
    ['what spec.ignore leaves', { specIgnore: '/*\n!/a.yaml' }, ['a.yaml']],
    [
      'what spec.ignore takes back in',
      { ignoreFile: '*.md\n*.png', specIgnore: '!*.md' },
      ['a.yaml', 'docs/readme.md', '.git/config'],
    ],
    ['nothing', { specIgnore: '*' }, []],
  ])('%s', (_title, patterns, keys) => {
    const query = {
      objects: KEYS.map((key) => object(key)),
      specIgnore: undefined,
      ignoreFile: undefined,
      limits: LIMITS,
      ...patterns,
    };
    const answer = indexOf(query);
    expect('objects' in answer && answer.objects.map(({ key }) => key)).toEqual(keys);
  });

  test('a key that is listed twice is one object, as it was last', () => {
    const objects = [object('a'), { ...object('a'), etag: 'new' }];
    expect(indexOf({ objects, specIgnore: undefined, ignoreFile: undefined, limits: LIMITS })).toMatchObject({
      objects: [objects[1]],
    });
  });

  const manyFiles = ['a', 'b', 'c', 'd', 'e'].map((key) => object(key));
  test.each([
    ['a key that goes upwards', [object('../../etc/passwd')], 'object "../../etc/passwd" has a key that is no path'],
    ['one in the middle', [object('a/../b')], 'object "a/../b" has a key that is no path'],
    ['an absolute one', [object('/etc/passwd')], 'object "/etc/passwd" has a key that is no path'],
    ['an empty segment', [object('a//b')], 'object "a//b" has a key that is no path'],
    ['a NUL', [object('a\0b')], 'object "a\\u0000b" has a key that is no path'],
    [
      'a name that no file can have',
      [object('x'.repeat(256))],
      'has a key that is no path of a file: rename it, or exclude',
    ],
    ['a file that is a folder, too', [object('a/b'), object('a')], 'object "a" is a file and a folder: rename it, or'],
    ['a folder of the name of the ignore file', [object('.sourceignore/a')], 'object ".sourceignore" is a file and a'],
    ['half a character', [object('a\ud800')], 'has a key that is no path of a file'],
    ['too many', manyFiles, 'there are more than 4 objects: exclude some by spec.ignore'],
    ['too large', [object('a', 600), object('b', 600)], 'the objects have more than 1000 bytes: exclude some'],
  ])('is refused with a way out: %s', (_title, objects, problem) => {
    const query = { objects, specIgnore: undefined, ignoreFile: undefined, limits: LIMITS };
    expect(indexOf(query)).toEqual({ problem: expect.stringContaining(problem) });
    expect(indexOf({ ...query, specIgnore: '*' })).toMatchObject({ objects: [] });
  });
});

test('the revision is that of Flux: each key and ETag on a line, in the order of bytes', () => {
  // printf '...' | sha256sum
  const expected = 'sha256:3641e74a22ade4861057bb6c32935f2175878dfa38ef7e039928954b3b308d18';
  const objects = [
    { key: 'b', etag: '2' },
    { key: 'a', etag: '1' },
    { key: '\u{1f600}', etag: '4' },
    { key: '\uffee', etag: '3' },
  ];
  expect(indexRevision(objects)).toBe(expected);
  expect(indexRevision([])).toBe('sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
});
