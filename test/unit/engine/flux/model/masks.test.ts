import { describe, expect, test } from '@jest/globals';
import { masked, Masks, TOO_MUCH } from '#engine/flux/model/masks.js';

const CERTIFICATE = '-----BEGIN KEY-----\nMIIEvQIBADANBgkq\nhkiG9w0BAQEFAASC\n-----END KEY-----\n';

test.each<[string, string, string[], unknown]>([
  ['nothing that is secret', 'invalid value: a', [], 'invalid value: a'],
  ['a secret, wherever it is', 'bad "s3cret" in s3cret-x', ['s3cret'], 'bad "*****" in *****-x'],
  ['the longer one first', 'abcd1f', ['abcd', 'abcd1'], '*****f'],
  ['all that overlaps', 'x-one1-two2-three3-y', ['one1-two2', 'two2-three3', 'wo2-th'], 'x-*****-y'],
  ['one that ends another', 'p4ssw0rd-and-s4lt', ['p4ssw0rd-and', 'and-s4lt', 's4lt'], '*****'],
  [
    'short words only as a whole',
    'latest test of administrator: admin, "admin" and ADMIN_admin-5432, not 15432',
    ['test', 'admin', '5432'],
    'latest ***** of administrator: *****, "*****" and ADMIN_*****-*****, not 15432',
  ],
  [
    'a short word behind an escape',
    'a\\nadmin %40admin%3A \\u003cadmin',
    ['admin'],
    'a\\n***** %40*****%3A \\u003c*****',
  ],
  ['a secret in %q', String.raw`got "a\"b\\c\n\u00e9\x01"`, ['a"b\\c\n\u00e9\u0001'], 'got "*****"'],
  [
    'a secret in JSON in %q',
    String.raw`body "{\"a\":\"x\\\"y\\u0026z\"}"`,
    ['x"y&z'],
    String.raw`body "{\"a\":\"*****\"}"`,
  ],
  ['a secret in a query', 'GET /?q=a+b%2Bc%C3%A9', ['a b+cé'], 'GET /?q=*****'],
  [
    'the password in the credential of a registry',
    `{"auth":"${btoa('user:hunter2!x')}"} in ${btoa(`{"auth":"${btoa('u:hunter2!x')}"}`)}`,
    ['hunter2!x'],
    expect.not.stringMatching(/aHVudGVyM|bnRlcjIh|aHVud/),
  ],
  ['a secret in base64 in a path', '/v1/czNjcmV0LTE=/x', ['s3cret-1'], '/v1/*****/x'],
  [
    'a word in base64 behind a path',
    'token/aHVudGVy login/aHVudGVy/x token-aHVudGVy run_aHVudGVy token/NTQzMjE=',
    ['hunter', '54321'],
    'token/***** login/*****/x token-***** run_***** token/*****',
  ],
  [
    'a word in base64 of more, in a path',
    `/v1/${btoa('u:hunter')}/x`,
    ['hunter'],
    expect.not.stringContaining('podW50ZX'),
  ],
  ['what is short as a value', 'a=@1, b: 7; line 7, at x@1y', ['@1', '7'], 'a=*****, b: *****; line 7, at x@1y'],
  ['a secret that is quoted', 'bad "a\\"b.c"', ['a"b.c'], 'bad "*****"'],
  ['a secret as Go quotes it in JSON', '{"a":"x\\u003cy\\u0026z\\u003e\\""}', ['x<y&z>"'], '{"a":"*****"}'],
  ['a secret as YAML quotes it', "a: 'it''s me'", ["it's me"], "a: '*****'"],
  [
    'a secret in base64',
    'data: czNjcmV0 for \u00e9p\u00e9e: w6lww6ll',
    ['s3cret', '\u00e9p\u00e9e'],
    'data: ***** for *****: *****',
  ],
  ['a secret in base64 without its end', 'czNjcmV0cw, czNjcmV0cw==', ['s3crets'], '*****, *****'],
  ['a secret in a path', '/data/a~1b~0', ['a/b~'], '/data/*****'],
  ['a secret in a URL', 'at https://u:p%40ss%3A@host', ['p@ss:'], 'at https://u:*****@host'],
  [
    'a number as a schema and a template print it',
    'got 12,345,678, not 1.2345678e+07',
    ['12345678'],
    'got *****, not *****',
  ],
  ['a line of a secret', 'read MIIEvQIBADANBgkq at last', [CERTIFICATE], 'read ***** at last'],
  [
    'a setting of a secret file',
    'FATAL: no role s3cret-role',
    ['user=postgres\nrole: "s3cret-role"'],
    'FATAL: no role *****',
  ],
  [
    'the start that go-yaml shows',
    'cannot unmarshal !!str `hunter2...` into int',
    ['hunter2!topsecret'],
    'cannot unmarshal !!str `*****...` into int',
  ],
  [
    'the start of one that was cut',
    'image reg/hunter2!top… and more',
    ['hunter2!topsecret'],
    'image reg/*****… and more',
  ],
  ['no word that somebody cut', 'waiting... for it…', ['hunter2'], 'waiting... for it…'],
  ['an empty one', 'abc', [''], 'abc'],
  ['one that reads like a pattern', 'a.cd abcd', ['a.cd'], '***** abcd'],
  ['no word of YAML', 'true is not "false"', ['true', 'false'], 'true is not "false"'],
  ['a short one as a word only', 'dev/developers', ['dev'], '*****/developers'],
  [
    'a digit or a character in quotes only',
    `line 1 of 'a': '1' and "a"`,
    ['1', 'a'],
    `line 1 of '*****': '*****' and "*****"`,
  ],
])('%s', (_title, text, secrets, result) => {
  const shown = masked(text, secrets);
  expect(shown).toEqual(result);
  expect(masked(shown, secrets)).toBe(shown);
});

describe('a doubtful text', () => {
  const masks = new Masks({
    sure: ['known'],
    doubtful: ['known', 'maybe', 'public'],
    isPublic: (text) => text !== 'maybe',
  });

  test('is masked unless it is public', () => {
    expect(masks.mask('known, maybe, public')).toBe('*****, *****, public');
  });

  test('is looked up so often, and no more', () => {
    const many = Array.from({ length: 1_000 }, (_none, index) => `word-${index}-`);
    let asked = 0;
    const isPublic = (): boolean => {
      asked += 1;
      return true;
    };
    new Masks({ sure: [], doubtful: many, isPublic }).mask(many.join(' '));
    expect(asked).toBe(200);
  });
});

describe('without end', () => {
  const text = 'a'.repeat(256 * 1024);
  const same = Array.from({ length: 2_000 }, (_none, index) => 'a'.repeat(100 + index));

  test.each<[string, readonly string[]]>([
    ['too many secrets', Array.from({ length: 200_001 }, (_none, index) => `secret ${index}`)],
    ['too much of them', ['x'.repeat(17 * 1024 * 1024)]],
    ['secrets that all begin alike', same.map((each) => `${each}b`)],
  ])('%s withhold the text, and take no time', (_title, secrets) => {
    const masks = new Masks({ sure: secrets });
    const begun = performance.now();
    expect(masks.mask(text)).toBe(TOO_MUCH);
    expect(performance.now() - begun).toBeLessThan(1_000);
  });

  test('many lines that end with three dots are shown', () => {
    const lines = 'waiting for pod ... \n'.repeat(500);
    expect(new Masks({ sure: ['hunter2!x'] }).mask(lines)).toBe(lines);
    expect(new Masks({ sure: ['waiting-7'] }).mask(lines)).toBe(lines);
  });

  test('thousands of secrets, of megabytes, are masked at once', () => {
    const secrets = [
      ...Array.from({ length: 9_000 }, (_none, index) => `secret-${index}`),
      'x'.repeat(4 * 1024 * 1024),
    ];
    const masks = new Masks({ sure: secrets });
    const begun = performance.now();
    expect(masks.mask('this is secret-8999 here')).toBe('this is ***** here');
    expect(performance.now() - begun).toBeLessThan(1_000);
  });

  test('a file of many thousand lines is masked at once, in a long text as well', () => {
    const file = Array.from({ length: 50_000 }, (_none, index) => `a long line ${index}`).join('\n');
    const masks = new Masks({ sure: [file] });
    const begun = performance.now();
    expect(masks.mask('said a long line 49999: no')).toBe('said *****: no');
    expect(masks.mask(`${`a%62\\n''+~1`.repeat(5_000)} a long line 7`)).toMatch(/ \*{5}$/);
    expect(performance.now() - begun).toBeLessThan(2_000);
  });

  test('more secrets than are known withhold everything', () => {
    expect(new Masks({ sure: [], areMore: true }).mask('a')).toBe(TOO_MUCH);
  });
});

test('a secret with a line break at its end is found without it', () => {
  const masks = new Masks({ sure: ['s3cr3t\n'] });
  expect(masks.mask('bad s3cr3t, "s3cr3t"')).toBe('bad *****, "*****"');
});
