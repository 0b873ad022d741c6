import { describe, expect, test } from '@jest/globals';
import { decryptFile, formatOf, isEncryptedFile } from '#controllers/kustomization/model/sops/decrypt-file.js';
import { parseYamlDocuments } from '#lib/yaml/yaml.js';
import { fixture, keyring } from './fixtures.js';

async function opened(name: string, ...keys: string[]): Promise<Buffer> {
  const { content } = await decryptFile(fixture(name), formatOf(name), await keyring(...keys));
  return Buffer.from(content);
}

const secret = (name: string): object => ({
  ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name } },
  stringData: { password: 's3cret', port: '8080' },
});

describe('what sops encrypted is decrypted', () => {
  test.each<[string, string, string[]]>([
    ['secret.yaml', 'own.agekey', ['by-age']],
    ['pgp.yaml', 'own.asc', ['by-pgp']],
    ['both.yaml', 'own.agekey', ['for-both']],
    ['both.yaml', 'other.agekey', ['for-both']],
    ['several.yaml', 'own.agekey', ['first', 'second']],
    ['mac-only.yaml', 'own.agekey', ['mac-only']],
  ])('%s with %s', async (name, key, names) => {
    expect(parseYamlDocuments(String(await opened(name, key)))).toEqual(names.map(secret));
  });

  test('in one file that was put together from two', async () => {
    const text = `${fixture('secret.yaml')}---\nplain: true\n---\n${fixture('pgp.yaml')}`;
    const { content, values } = await decryptFile(text, 'yaml', await keyring('own.agekey', 'own.asc'));
    expect(parseYamlDocuments(String(content))).toEqual([secret('by-age'), { plain: true }, secret('by-pgp')]);
    expect(values).toEqual(['s3cret', '8080', 's3cret', '8080']);
  });

  test('of every type', async () => {
    const [value] = parseYamlDocuments(String(await opened('types.yaml', 'own.agekey')));
    expect(value).toEqual({
      ...{
        text: 'yes',
        number: 3,
        huge: expect.anything(),
        float: 1.5,
        tiny: 1e-9,
        true: true,
        empty: '',
        nothing: null,
      },
      ...{ lines: 'a\nbé\n', list: ['a', { b: 'c' }, []] },
      some_plain: {
        ...{ number: 12, float: 0.25, big: 1e21, yes: 'no', flag: false, nothing: null, quoted: '1' },
        date: '2001-01-01',
      },
    });
    expect(String(await opened('types.yaml', 'own.agekey'))).toContain('9007199254740993');
  });

  test('as JSON, as sops prints it', async () => {
    expect(String(await opened('config.json', 'own.agekey'))).toBe(
      '{\n\t"a": {\n\t\t"b": [\n\t\t\t1,\n\t\t\ttrue,\n\t\t\tnull,\n\t\t\t"x\\u003cy",\n\t\t\t1.5,\n\t\t\t{}\n\t\t]\n\t},\n\t"c": "é\\n"\n}\n',
    );
  });

  test('as dotenv and as bytes', async () => {
    expect(String(await opened('app.env', 'own.agekey'))).toBe('USER=admin\nPASSWORD=two words\\nand more\n');
    expect(await opened('blob.bin', 'own.agekey')).toEqual(Buffer.from('\x00\xffbinary\n', 'latin1'));
  });

  test('unless the object says that it stays encrypted', async () => {
    const annotation = '  annotations:\n    kustomize.toolkit.fluxcd.io/decrypt: Disabled\n';
    const text = fixture('secret.yaml').replace('metadata:\n', `metadata:\n${annotation}`);
    const { content } = await decryptFile(text, 'yaml', await keyring('own.agekey'));
    expect(String(content)).toContain('ENC[');
  });
});

const NO_KEY = 'no key of Secret/team/keys decrypts it: add the private key of age1';
const CHANGED = 'was changed after it was encrypted';

test.each<[string, string, (text: string) => string, string]>([
  ['for another', 'other.yaml', (text) => text, NO_KEY],
  ['for PGP only', 'pgp.yaml', (text) => text, 'no key of Secret/team/keys decrypts it: add the private key of '],
  [
    'and changed where it is not encrypted',
    'secret.yaml',
    (text) => text.replace('by-age', 'mine'),
    `${CHANGED}: its MAC`,
  ],
  ['and lost a value', 'secret.yaml', (text) => text.replace(/ {4}port: .*\n/, ''), `${CHANGED}: its MAC`],
  ['and got a value', 'secret.yaml', (text) => text.replace('kind:', 'extra: 1\nkind:'), `${CHANGED}: its MAC`],
  [
    'and a value was moved',
    'secret.yaml',
    (text) => text.replace('password:', 'other:'),
    `${CHANGED}: the value of stringData.other is damaged`,
  ],
  [
    'and a value was replaced',
    'secret.yaml',
    (text) => text.replace(/password: .*/, 'password: mine'),
    'the value of stringData.password is damaged',
  ],
  [
    'and its time was changed',
    'secret.yaml',
    (text) => text.replace(/lastmodified: .*/, 'lastmodified: "2001-01-01T00:00:00Z"'),
    `${CHANGED}: its MAC`,
  ],
  ['and its data key is damaged', 'secret.yaml', (text) => text.replace(/(enc: \|\n.*\n *)..../, '$1AAAA'), NO_KEY],
  ['as an INI file', 'app.ini', (text) => text, 'is an INI file, which is not supported'],
  ['and is no YAML', 'secret.yaml', (text) => `${text}: [`, 'is not valid: line '],
])('what is encrypted %s is refused without its content', async (_title, name, change, problem) => {
  const text = change(fixture(name));
  const attempt = decryptFile(text, formatOf(name), await keyring('own.agekey'));
  await expect(attempt).rejects.toThrow(problem);
  await expect(attempt).rejects.not.toThrow(/s3cret|AGE-SECRET-KEY/);
});

test('an encrypted file is known by its format', () => {
  expect(
    ['secret.yaml', 'config.json', 'app.env', 'blob.bin', 'app.ini'].every((name) =>
      isEncryptedFile(fixture(name), formatOf(name)),
    ),
  ).toBe(true);
  expect(isEncryptedFile('password: s3cret', 'yaml')).toBe(false);
  expect(['a.yml', '.dockerconfigjson', 'token'].map(formatOf)).toEqual(['yaml', 'json', 'binary']);
});
