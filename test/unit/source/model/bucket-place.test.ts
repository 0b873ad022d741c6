import { describe, expect, test } from '@jest/globals';
import { bucketPlace, listUrl, objectUrl } from '#controllers/source/bucket/model/place.js';

const SPEC = { interval: '1m', endpoint: 's3.example.com', bucketName: 'manifests' };

describe('where a bucket is', () => {
  test.each([
    ['the path names it', {}, 'https://s3.example.com /manifests us-east-1'],
    ['plain HTTP, with a port', { endpoint: 'minio:9000', insecure: true }, 'http://minio:9000 /manifests us-east-1'],
    ['an IPv6 address', { endpoint: '[::1]:9000' }, 'https://[::1]:9000 /manifests us-east-1'],
    ['its own region', { region: 'hel1' }, 'https://s3.example.com /manifests hel1'],
    [
      'AWS: the host names bucket and region',
      { endpoint: 's3.amazonaws.com', region: 'eu-west-1' },
      'https://manifests.s3.eu-west-1.amazonaws.com  eu-west-1',
    ],
    [
      'AWS: a host with a region',
      { endpoint: 's3.eu-central-1.amazonaws.com' },
      'https://manifests.s3.eu-central-1.amazonaws.com  eu-central-1',
    ],
    [
      'AWS: the host with the newer protocol',
      { endpoint: 's3.dualstack.us-west-2.amazonaws.com' },
      'https://manifests.s3.dualstack.us-west-2.amazonaws.com  us-west-2',
    ],
    [
      'AWS in China',
      { endpoint: 's3.amazonaws.com.cn', region: 'cn-north-1' },
      'https://manifests.s3.cn-north-1.amazonaws.com.cn  cn-north-1',
    ],
    [
      'AWS: no certificate fits a name with dots',
      { endpoint: 's3.amazonaws.com', bucketName: 'my.bucket' },
      'https://s3.us-east-1.amazonaws.com /my.bucket us-east-1',
    ],
    [
      'AWS: a host of no region',
      { endpoint: 's3-accelerate.amazonaws.com' },
      'https://s3-accelerate.amazonaws.com /manifests us-east-1',
    ],
    [
      'a host that only looks like AWS',
      { endpoint: 's3.amazonaws.com.example.org' },
      'https://s3.amazonaws.com.example.org /manifests us-east-1',
    ],
  ])('%s', (_title, spec, expected) => {
    const answer = bucketPlace({ ...SPEC, ...spec });
    const { origin, path, region } =
      'place' in answer ? answer.place : { origin: answer.problem, path: '', region: '' };
    expect(`${origin} ${path} ${region}`).toBe(expected);
  });

  test.each([
    ['a URL', { endpoint: 'https://s3.example.com' }, /^spec.endpoint is not a host/],
    ['a path', { endpoint: 's3.example.com/x' }, /^spec.endpoint is not a host/],
    ['a login', { endpoint: 'me:secret@s3.example.com' }, /^spec.endpoint is not a host/],
    ['a query', { endpoint: 's3.example.com?x' }, /^spec.endpoint is not a host/],
    ['nothing', { endpoint: '' }, /^spec.endpoint is not a host/],
    ['a name with a slash', { bucketName: 'a/b/c' }, /^spec.bucketName is not/],
    ['a name that goes upwards', { bucketName: '..' }, /^spec.bucketName is not/],
    ['a name with a query', { bucketName: 'abc?acl' }, /^spec.bucketName is not/],
  ])('is refused: %s', (_title, spec, problem) => {
    expect(bucketPlace({ ...SPEC, ...spec })).toEqual({ problem: expect.stringMatching(problem) });
  });
});

describe('URLs are as a signature needs them', () => {
  const place = { origin: 'https://s3.example.com', path: '/manifests', region: 'us-east-1' };

  test.each([
    ['app/deploy.yaml', '/manifests/app/deploy.yaml'],
    ['a b/c+d&e=f?g#h.yaml', '/manifests/a%20b/c%2Bd%26e%3Df%3Fg%23h.yaml'],
    ["it's (1)*!.yaml", '/manifests/it%27s%20%281%29%2A%21.yaml'],
    ['grün.yaml', '/manifests/gr%C3%BCn.yaml'],
  ])('the object %s', (key, path) => {
    expect(objectUrl(place, key)).toBe(`https://s3.example.com${path}`);
  });

  test('a page of the list', () => {
    const url = 'https://s3.example.com/manifests/?encoding-type=url&list-type=2&prefix=app%2F';
    expect(listUrl(place, { prefix: 'app/', token: undefined })).toBe(url);
    expect(listUrl(place, { prefix: '', token: 'a+b/=' })).toBe(
      'https://s3.example.com/manifests/?continuation-token=a%2Bb%2F%3D&encoding-type=url&list-type=2&prefix=',
    );
  });
});
